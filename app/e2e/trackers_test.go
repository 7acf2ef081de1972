package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// TestTrackersOfOneDatabase runs two trackers in schemas of one PostgreSQL database, the
// first of them with two servers. Their clients write at once, and no tracker sees
// anything of the other one. Then it copies one beside them.
func TestTrackersOfOneDatabase(t *testing.T) {
	t.Parallel()
	const clients, each = 4, 10
	database := postgrestest.Database(t)
	in := func(schema string) string { return database + "&schema=" + schema }
	tokens := map[string]string{"red": newToken(t), "blue": newToken(t)}
	servers := map[string][]*server{}
	for _, schema := range []string{"red", "red", "blue"} {
		servers[schema] = append(servers[schema], serve(t, in(schema), "PROBLEMS_BOOTSTRAP_TOKEN="+tokens[schema]))
	}
	var group sync.WaitGroup
	for schema, all := range servers {
		for i := range clients {
			c := all[i%len(all)].as(tokens[schema])
			group.Go(func() {
				for n := range each {
					code, body := c.do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":"%s %d-%d","keywords":[{"name":"%[1]s","value":null}]}`, schema, i, n))
					if code != http.StatusCreated {
						t.Errorf("%s: %d %s", schema, code, body)
					}
				}
			})
		}
	}
	group.Wait()
	for schema, other := range map[string]string{"red": "blue", "blue": "red"} {
		c := servers[schema][0].as(tokens[schema])
		if code := status(servers[schema][0], tokens[other]); code != http.StatusUnauthorized {
			t.Errorf("%s lets in a token of %s: %d", schema, other, code)
		}
		var found []struct {
			Identifier int64
			Title      string
		}
		c.get(t, "/problems?limit=1000", &found)
		if len(found) != clients*each {
			t.Errorf("%s has %d problems; want %d", schema, len(found), clients*each)
		}
		for i, p := range found {
			if !strings.HasPrefix(p.Title, schema) || i == 0 && p.Identifier != 1 {
				t.Errorf("%s has problem %d, %q; want its own, from number 1 on", schema, p.Identifier, p.Title)
			}
		}
		var events []struct {
			Type    string
			Problem *struct{ Title string }
		}
		c.get(t, "/events?limit=1000", &events)
		created := 0
		for _, e := range events {
			if e.Type != "problem.created" {
				continue
			}
			created++
			if e.Problem == nil || !strings.HasPrefix(e.Problem.Title, schema) {
				body, _ := json.Marshal(e)
				t.Errorf("%s has the event %s", schema, body)
			}
		}
		if created != clients*each {
			t.Errorf("%s has the events of %d problems; want %d", schema, created, clients*each)
		}
		command(t, []string{"PROBLEMS_STORE=" + in(schema), "PROBLEMS_LISTEN=127.0.0.1:0"}, "doctor") // it finds no fault
	}
	for _, s := range append(servers["red"], servers["blue"]...) {
		s.stop()
	}
	command(t, nil, "copy", "--from="+in("red"), "--to="+in("green"))
	dir := t.TempDir()
	archives := map[string]string{}
	for _, schema := range []string{"red", "blue", "green"} {
		archives[schema] = filepath.Join(dir, schema+".jsonl")
		command(t, []string{"PROBLEMS_STORE=" + in(schema)}, "export", "--to="+archives[schema])
	}
	read := func(schema string) string {
		text, err := os.ReadFile(archives[schema])
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	red, blue, green := read("red"), read("blue"), read("green")
	if red != green {
		t.Error("the copy of a tracker has another archive")
	}
	if strings.Contains(red, "blue") || strings.Contains(blue, "red ") {
		t.Error("an archive has problems of another tracker")
	}
}
