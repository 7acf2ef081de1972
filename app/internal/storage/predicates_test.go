package storage_test

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/rules"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// TestPredicatesPage asks every recipe and every error of the page about predicates, in
// every kind of store, and compares the answers with the page.
func TestPredicatesPage(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(rules.Pages(), "predicates.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for name, open := range map[string]func(t *testing.T) (store.Store, error){
		"memory": func(t *testing.T) (store.Store, error) { return memory.Open(t.Context(), memory.Options{}) },
		"sqlite": func(t *testing.T) (store.Store, error) {
			return sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "problems.db")})
		},
		"postgres": func(t *testing.T) (store.Store, error) {
			return postgres.Open(t.Context(), postgres.Options{URL: postgrestest.Schema(t), AutoMigrate: true})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := open(t)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			a := assemble(t, s)
			a.prepare(page)
			if recipes := a.recipes(page); recipes < 40 {
				t.Errorf("%d recipes in the page: did its form change?", recipes)
			}
			if errors := a.errors(page); errors < 35 {
				t.Errorf("%d errors in the page: did its form change?", errors)
			}
		})
	}
}

// assembly is the API on a store, with a clock that the test sets.
type assembly struct {
	*testing.T
	api    http.Handler
	now    atomic.Pointer[time.Time]
	tokens map[string]string // by the name of the user
}

func assemble(t *testing.T, s store.Store) *assembly {
	t.Helper()
	a := &assembly{T: t, tokens: make(map[string]string)}
	a.set("2025-11-01")
	var seed [32]byte
	_, _ = rand.Read(seed[:]) // never fails
	admin := access.NewSecret(seed)
	now := func() time.Time { return *a.now.Load() }
	service := usecases.New(tracker.Options{Store: s, Now: now, Random: rand.Reader, Limits: tracker.DefaultLimits()}, nil)
	if _, err := service.Seed(t.Context(), admin); err != nil {
		t.Fatal(err)
	}
	var err error
	a.api, err = httpapi.New(httpapi.Options{Service: service, Limits: httpapi.DefaultLimits(), Logger: quiet, NewRequestID: rand.Text, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	a.tokens["admin"] = admin.Reveal()
	return a
}

// set sets the clock to noon of a day.
func (a *assembly) set(day string) {
	a.Helper()
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		a.Fatal(err)
	}
	at = at.Add(12 * time.Hour)
	a.now.Store(&at)
}

// do makes a request and returns the status and the body.
func (a *assembly) do(user, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, "/api/"+httpapi.Version+path, strings.NewReader(body))
	r.Header.Set("Authorization", a.tokens[user])
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	a.api.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// must is do, for what has to succeed.
func (a *assembly) must(user, method, path string, body any) string {
	a.Helper()
	text, isText := body.(string)
	if !isText {
		encoded, err := json.Marshal(body)
		if err != nil {
			a.Fatal(err)
		}
		text = string(encoded)
	}
	status, answer := a.do(user, method, path, text)
	if status > 299 {
		a.Fatalf("%s %s %s: %d %s", method, path, text, status, answer)
	}
	return answer
}

// prepare makes what the page says exists: the users, components and milestones of its
// tables, the problems, and the changes after that.
func (a *assembly) prepare(page string) {
	a.Helper()
	type object = map[string]any
	for _, name := range []string{"Ann", "Bo"} {
		a.must("admin", "POST", "/users", object{"name": name, "email": strings.ToLower(name) + "@example.org"})
		var token struct{ Token string }
		answer := a.must("admin", "POST", "/tokens", object{"user": object{"name": name}, "scope": "write"})
		if err := json.Unmarshal([]byte(answer), &token); err != nil || token.Token == "" {
			a.Fatal(answer, err)
		}
		a.tokens[name] = token.Token
	}
	for _, path := range []string{"API", "API/Login", "API/Cache", "Kitchen"} {
		component := object{"name": path}
		if parent, name, below := strings.Cut(path, "/"); below {
			component = object{"name": name, "parent": object{"fullName": parent}}
		}
		a.must("admin", "POST", "/components", component)
	}
	a.must("admin", "POST", "/milestones", object{"name": "1.0", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-02-28T00:00:00.000Z"})
	a.must("admin", "POST", "/milestones", object{"name": "Next", "startDate": "2026-03-01T00:00:00.000Z", "endDate": "2026-04-30T00:00:00.000Z"})
	a.must("admin", "POST", "/milestones", object{"name": "Later"})
	problems := table(a.T, page, "| problem | created |")
	for _, row := range problems {
		a.set(row[1])
		problem := object{"title": row[3], "state": object{"name": row[4]}}
		for i, field := range map[int]string{5: "priority", 6: "component", 7: "milestone", 8: "assignee"} {
			key := "name"
			if field == "component" {
				key = "fullName"
			}
			if row[i] != "" {
				problem[field] = object{key: row[i]}
			}
		}
		answer := a.must(row[2], "POST", "/problems", problem)
		if !strings.HasPrefix(answer, `{"identifier":`+row[0]+`,`) {
			a.Fatalf("problem %s is %s", row[0], answer)
		}
	}
	for _, row := range table(a.T, page, "| when | by |") {
		a.set(row[0])
		method, path, _ := strings.Cut(strings.Trim(row[2], "`"), " ")
		a.must(row[1], method, path, strings.Trim(row[3], "`"))
	}
	a.set("2026-03-15")
}

// recipe is a predicate of the page, with its answer.
var recipe = regexp.MustCompile("(?m)^```predicate\n((?:.+\n)+)```\nFinds (.+)\\.$")

// recipes asks the recipes, and returns their number.
func (a *assembly) recipes(page string) (asked int) {
	for _, found := range recipe.FindAllStringSubmatch(page, -1) {
		asked++
		text, want := strings.TrimSpace(found[1]), found[2]
		kind, key := "problems", "identifier"
		for _, other := range []string{"milestones", "states"} {
			if names, ok := strings.CutPrefix(want, "the "+other+" "); ok {
				kind, key, want = other, "name", names
			}
		}
		status, body := a.do("Ann", "GET", "/"+kind+"/search?predicate="+url.QueryEscape(text), "")
		var objects []map[string]any
		if err := json.Unmarshal([]byte(body), &objects); status != http.StatusOK || err != nil {
			a.Errorf("%s: %d %s", text, status, body)
			continue
		}
		var got []string
		for _, o := range objects {
			got = append(got, fmt.Sprint(o[key]))
		}
		slices.Sort(got)
		if answer := cmp.Or(strings.Join(got, ", "), "nothing"); answer != want {
			a.Errorf("%s finds %s, and the page says %s", text, answer, want)
		}
	}
	if blocks := strings.Count(page, "\n```predicate\n"); blocks != asked {
		a.Errorf("%d of %d predicates of the page have an answer", asked, blocks)
	}
	return asked
}

// errors asks the predicates of the table of errors, and the predicates to write
// instead. It returns the number of errors.
func (a *assembly) errors(page string) (asked int) {
	kinds := map[string]bool{}
	for _, row := range table(a.T, page, "| predicate | kind |") {
		asked++
		text, message, instead := unquoted(row[0]), unquoted(row[3]), unquoted(row[4])
		status, body := a.do("Ann", "GET", "/problems/search?predicate="+url.QueryEscape(text), "")
		var answer struct {
			Kind, Detail string
			Line, Column int
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || status != http.StatusBadRequest {
			a.Errorf("%s: %d %s", text, status, body)
			continue
		}
		got := []string{answer.Kind, fmt.Sprintf("%d:%d", answer.Line, answer.Column), answer.Detail}
		if want := []string{unquoted(row[1]), row[2], message}; !slices.Equal(got, want) {
			a.Errorf("%s: %q, and the page says %q", text, got, want)
		}
		if status, body := a.do("Ann", "GET", "/problems/search?predicate="+url.QueryEscape(instead), ""); status != http.StatusOK {
			a.Errorf("%s, offered by the page instead of %s: %d %s", instead, text, status, body)
		}
		kinds[answer.Kind] = true
	}
	for _, kind := range []predicate.ErrorKind{
		predicate.InvalidSyntax, predicate.Unsupported, predicate.UnknownKey, predicate.UnknownFunction,
		predicate.UnboundVariable, predicate.TypeMismatch, predicate.InvalidPattern, predicate.LimitExceeded,
	} {
		if !kinds[string(kind)] {
			a.Errorf("the page shows no error of the kind %s", kind)
		}
	}
	return asked
}

// unquoted returns the content of a cell without its backticks.
func unquoted(cell string) string { return strings.TrimSuffix(strings.TrimPrefix(cell, "`"), "`") }

// table returns the rows of the table that begins with a header.
func table(t *testing.T, page, header string) (rows [][]string) {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n"+header)
	if !found {
		t.Fatalf("the page has no table %q", header)
	}
	for n, line := range strings.Split(rest, "\n") {
		if n < 2 {
			continue // the rest of the header, and the line below it
		}
		if !strings.HasPrefix(line, "|") {
			return rows
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// TestPredicatesPageHasLimits finds the limits of a search in the page.
func TestPredicatesPageHasLimits(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(rules.Pages(), "predicates.md")
	if err != nil {
		t.Fatal(err)
	}
	row := []string{fmt.Sprintf("%d,%03d", store.MostCandidates/1000, store.MostCandidates%1000), "problems to look at one by one"}
	if rows := table(t, string(text), "| limit of a search | |"); !slices.ContainsFunc(rows, func(r []string) bool { return slices.Equal(r, row) }) {
		t.Errorf("the page lacks the limit %s in %s", row, rows)
	}
}
