package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestKill kills the server at a random moment, again and again, while clients
// write, and compares what the next one finds with what the clients know. Each store
// is killed five times: all of it is read after each.
func TestKill(t *testing.T) {
	t.Parallel()
	for i := range 2 {
		t.Run(fmt.Sprintf("store %d", i+1), func(t *testing.T) {
			t.Parallel()
			eachDurable(t, killed)
		})
	}
}

func killed(t *testing.T, store string) {
	const rounds, clients = 5, 8
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	token := newToken(t)
	l := &ledger{writes: map[string]write{}}
	for round := range rounds {
		s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
		if round == 0 {
			for i := range clients {
				l.attempt(s.as(token), write{mark: fmt.Sprintf("first-%d", i), kind: "create"})
			}
		}
		state := inspect(t, s.as(token))
		// The client whose write has the fatal number gives the signal, with
		// its own write and those of the others under way.
		fatal := int64(10 + random.IntN(150))
		var attempts atomic.Int64
		var group sync.WaitGroup
		strike := make(chan struct{})
		for i := range clients {
			writer := rand.New(rand.NewPCG(seed, uint64(1+round*clients+i)))
			own := slices.Clone(state.problems)
			group.Go(func() {
				c := s.as(token)
				for n := 0; ; n++ {
					if attempts.Add(1) == fatal {
						close(strike)
					}
					w := draw(writer, own)
					w.mark = fmt.Sprintf("r%02d-c%d-%04d-%s", round, i, n, w.kind)
					body, alive := l.attempt(c, w)
					if !alive {
						return
					}
					var made struct{ Identifier int64 }
					if w.kind == "create" && json.Unmarshal(body, &made) == nil {
						own = append(own, made.Identifier)
					}
				}
			})
		}
		<-strike
		s.kill()
		group.Wait()

		again := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
		c := again.as(token)
		recovered := inspect(t, c).found
		if v := l.judge(recovered); !v.clean() {
			t.Fatalf("round %d: %s", round, v)
		}
		prefix := fmt.Sprintf("r%02d-", round)
		split := l.split(prefix, recovered)
		// What carries a key is tried again, which must not do it twice.
		for _, w := range l.keyed(prefix) {
			if _, alive := l.attempt(c, w); !alive {
				t.Fatalf("round %d: the server is gone again", round)
			}
		}
		v := l.judge(inspect(t, c).found)
		t.Logf("round %2d: %s; %s", round, split, v)
		if !v.clean() {
			t.Fatalf("round %d, after trying again: %s", round, v)
		}
		if round%2 == 0 {
			again.kill() // the next one recovers once more
		} else {
			again.stop()
		}
	}
}

// draw makes up a write on one of the problems; its mark is the caller's.
func draw(random *rand.Rand, problems []int64) write {
	pick := func() int64 { return problems[random.IntN(len(problems))] }
	w := write{kind: []string{"create", "create", "title", "comment", "comment", "keyword", "relate", "relate", "stale"}[random.IntN(9)], problem: pick()}
	if w.kind == "relate" {
		w.other = pick()
	}
	return w
}

// keyed returns the writes with the prefix that carry a key and may have happened.
func (l *ledger) keyed(prefix string) []write {
	l.mu.Lock()
	defer l.mu.Unlock()
	var writes []write
	for mark, w := range l.writes {
		if strings.HasPrefix(mark, prefix) && w.outcome != rejected && (w.kind == "create" || w.kind == "comment") {
			writes = append(writes, w)
		}
	}
	return writes
}

// stored is what a server has.
type stored struct {
	problems []int64
	found    map[string]int // how often each trace is there
	oneSided int            // relationships that only one of two problems knows
}

// inspect reads everything and checks that each problem agrees with its own log
// and with its neighbours.
func inspect(t *testing.T, c *client) stored {
	t.Helper()
	state := stored{found: map[string]int{}}
	type pair struct{ from, to int64 }
	forth, back := map[pair]bool{}, map[pair]bool{}
	for id, missing := int64(1), 0; missing < 64; id++ {
		path := fmt.Sprintf("/problems/%d", id)
		code, body := c.do(http.MethodGet, path, "")
		if code == http.StatusNotFound {
			missing++
			continue
		}
		missing = 0
		state.problems = append(state.problems, id)
		var p struct {
			Title    string
			Revision int
			Keywords []struct{ Name, Value string }
			Logs     []struct {
				Type, BatchIdentifier string
				Field                 *string
				To                    json.RawMessage
			}
		}
		if err := json.Unmarshal(body, &p); code != http.StatusOK || err != nil {
			t.Fatalf("GET %s: %d %s %v", path, code, body, err)
		}
		var comments []struct{ Identifier, Text string }
		c.get(t, path+"/comments", &comments)
		var relationships []struct {
			Type              string
			ProblemIdentifier int64
		}
		c.get(t, path+"/relationships", &relationships)

		title, batches, logged := "", map[string]bool{}, map[string]int{}
		for _, entry := range p.Logs {
			batches[entry.BatchIdentifier] = true
			logged[entry.Type]++
			text := ""
			switch entry.Type {
			case "ProblemCreated":
				var to struct{ Title string }
				if err := json.Unmarshal(entry.To, &to); err != nil {
					t.Errorf("%s: %v in %s", path, err, entry.To)
				}
				title = to.Title
				state.found[title]++
			case "FieldChanged":
				if err := json.Unmarshal(entry.To, &text); err != nil {
					t.Errorf("%s: %v in %s", path, err, entry.To)
				}
				title = text
				state.found[title]++
			}
		}
		for _, comment := range comments {
			state.found[comment.Text]++
		}
		for _, keyword := range p.Keywords {
			state.found[keyword.Name]++
			if keyword.Value != keyword.Name {
				t.Errorf("%s has the keyword %s with the value %s", path, keyword.Name, keyword.Value)
			}
		}
		for _, r := range relationships {
			if r.Type == "BlockerOf" {
				forth[pair{id, r.ProblemIdentifier}] = true
				state.found[write{kind: "relate", problem: id, other: r.ProblemIdentifier}.trace()]++
			} else {
				back[pair{r.ProblemIdentifier, id}] = true
			}
		}
		if p.Title != title || p.Revision != len(batches) || logged["ProblemCreated"] != 1 || logged["CommentAdded"] != len(comments) ||
			logged["KeywordSet"] != len(p.Keywords) || logged["RelationshipAdded"] != len(relationships) {
			t.Errorf("%s disagrees with its log: title %q, revision %d, %d batches, %d comments, %d keywords, %d relationships; log %v",
				path, p.Title, p.Revision, len(batches), len(comments), len(p.Keywords), len(relationships), logged)
		}
	}
	for p := range forth {
		if !back[p] {
			state.oneSided++
			t.Errorf("problem %d blocks %d, which does not know", p.from, p.to)
		}
	}
	for p := range back {
		if !forth[p] {
			state.oneSided++
			t.Errorf("problem %d is blocked by %d, which does not know", p.to, p.from)
		}
	}
	return state
}
