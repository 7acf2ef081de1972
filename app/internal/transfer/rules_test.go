package transfer_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// Requests and archives meet the same rules: what one lets in, the other takes.

// lists are the paths of the metadata objects, by the kinds of their lines.
var lists = map[string]string{
	"state": "/states", "priority": "/priorities", "classification": "/classifications",
	"component": "/components", "milestone": "/milestones", "user": "/users",
}

// client asks the API of a store as an administrator.
type client struct {
	t       *testing.T
	handler http.Handler
	token   string
}

// asking returns a client of the store; ok is false if nobody can have a token.
func asking(t *testing.T, s store.Store) (c client, ok bool) {
	t.Helper()
	w := service(s)
	handler, err := httpapi.New(httpapi.Options{
		Service: w, Limits: httpapi.DefaultLimits(), Version: "test", Logger: slog.New(slog.DiscardHandler),
		NewRequestID: func() string { return "r" }, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	users, err := w.Users().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range users.Value {
		if u.Inactive {
			continue
		}
		issued, err := w.CreateToken(t.Context(), tracker.Caller{User: u.ID, Scope: access.Admin}, admin.CreateToken{
			User: patch.Set[metadata.Partial](metadata.Members{"identifier": metadata.Text(u.ID.String())}), Scope: patch.Set("admin"),
		})
		if err != nil {
			t.Fatal(err)
		}
		return client{t, handler, issued.Value.Secret.Reveal()}, true
	}
	return c, false
}

func (c client) do(method, path, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/api/20151105"+path, strings.NewReader(body))
	r.Header.Set("Authorization", c.token)
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(w, r)
	return w
}

// objects returns what a list has, each as it is sent.
func (c client) objects(path string) (objects []json.RawMessage) {
	c.t.Helper()
	if w := c.do(http.MethodGet, path, ""); w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &objects) != nil {
		c.t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	return objects
}

// sendsBack sends every metadata object, user and problem back as it was read, and
// reports whether all were taken, and nothing has changed.
func sendsBack(t *testing.T, s store.Store) bool {
	t.Helper()
	c, ok := asking(t, s)
	if !ok {
		return true
	}
	before, good := export(t, s), true
	for _, path := range append([]string{"/problems"}, slices.Sorted(maps.Values(lists))...) {
		for _, object := range c.objects(path) {
			var named struct{ Identifier any }
			d := json.NewDecoder(bytes.NewReader(object))
			d.UseNumber()
			if err := d.Decode(&named); err != nil {
				t.Fatal(err)
			}
			if w := c.do(http.MethodPatch, fmt.Sprintf("%s/%v", path, named.Identifier), string(object)); w.Code != http.StatusOK {
				t.Errorf("PATCH %s with what was read, %s: %d %s", path, object, w.Code, w.Body)
				good = false
			}
		}
	}
	if after := export(t, s); after != before {
		t.Errorf("what is sent back as it was read changes something: %s", difference(after, before))
		good = false
	}
	return c.setsAgain() && good
}

// neutral are values that every object can have for a while.
var neutral = map[string]any{
	"name": "for a while", "email": "for@a.while", "order": 7, "nextStates": []any{}, "startDate": nil, "endDate": nil,
	"successor": nil, "parent": nil, "component": nil,
}

// setsAgain gives members of all metadata objects and users another value and then that
// which they had, and reports whether it was taken: requests let old values that stay
// pass, but not these. Closed components are left out, which are no new values.
func (c client) setsAgain() bool {
	c.t.Helper()
	closed, good := map[any]bool{}, true
	for _, raw := range c.objects("/components") {
		var o map[string]any
		if err := json.Unmarshal(raw, &o); err != nil {
			c.t.Fatal(err)
		}
		closed[o["identifier"]] = o["closed"] == true
	}
	for _, path := range lists {
		for _, raw := range c.objects(path) {
			var o map[string]any
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			if err := d.Decode(&o); err != nil {
				c.t.Fatal(err)
			}
			for member, value := range neutral {
				was, has := o[member]
				ref, _ := was.(map[string]any)
				if !has || closed[ref["identifier"]] {
					continue
				}
				at := fmt.Sprintf("%s/%v", path, o["identifier"])
				for _, v := range []any{value, was} {
					w := c.do(http.MethodPatch, at, encoded(c.t, map[string]any{member: v}))
					// The neutral place can have another object of the name.
					if w.Code != http.StatusOK && !strings.Contains(w.Body.String(), string(fault.AlreadyExists)) {
						c.t.Errorf("PATCH %s with %s: %v, for %s: %d %s", at, member, v, raw, w.Code, w.Body)
						good = false
					}
				}
			}
		}
	}
	return good
}

// odd are values of members, at the edges of the rules and beyond.
var odd = map[string][]any{
	"name": {"", " ", "a", "A", "a/b", " e\u0301 ", strings.Repeat("\u00e9", 255), strings.Repeat("x", 256), "a\tb", "\U0001f600"},
	"email": {"noat", "@", "a@", "@b", "a@b", "A@B", "a b@c", "a@b@c", "Ann@EXAMPLE.org", "\u00e9@b", strings.Repeat("x", 254) + "@",
		strings.Repeat("x", 253) + "@y", strings.Repeat("x", 254) + "@y", "a@\u00a0b"},
	"order": {0, 1, -1, json.Number("2147483647"), json.Number("2147483648"), json.Number("-2147483648"), json.Number("-2147483649"),
		json.Number("9007199254740991"), json.Number("9007199254740992"), json.Number("1e400")},
	"startDate": {nil, "0001-01-01T00:00:00.000Z", "0001-01-01T00:00:00.001Z", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"},
	"expires":   {nil, "2026-01-01T00:00:00.000Z", "0001-01-01T00:00:00.001Z", "9999-12-31T23:59:59.999Z"},
	"predicate": {"", "TRUEPREDICATE", " title = 'e\u0301' ", "title =", "colour = 1", "((", strings.Repeat("a", 16_385)},
	"sort":      {nil, "title", "-colour", "title,", ","},
	"value":     {nil, "", strings.Repeat("x", 64<<10), strings.Repeat("x", 64<<10+1), "a\r\n\tb", "a\u0000b"},
	"text":      {"", "a\r\n\tb", "a\u0000b", "e\u0301"},
	"inactive":  {true, false}, "resolved": {true, false}, "initial": {true, false}, "closed": {true, false},
}

func init() { odd["endDate"] = odd["startDate"] }

// settable are the members of each kind that are changed.
var settable = map[string][]string{
	"state": {"name", "order", "resolved", "initial", "nextStates"}, "priority": {"name", "order"}, "classification": {"name"},
	"component": {"name", "closed", "parent", "successor"}, "milestone": {"name", "component", "startDate", "endDate"},
	"user": {"name", "email", "inactive"}, "token": {"expires"}, "savedQuery": {"name", "predicate", "sort"},
	"keyword": {"value"}, "comment": {"text"},
}

// refersTo are the kinds of the members that refer to others.
var refersTo = map[string]string{"nextStates": "state", "parent": "component", "successor": "component", "component": "component"}

// oddity returns a value for a member. Others are referred to by what ids has, which
// reference writes.
func oddity(rng *mathrand.Rand, member string, ids map[string][]string, reference func(id string) any) any {
	kind, refers := refersTo[member]
	if !refers {
		return odd[member][rng.IntN(len(odd[member]))]
	}
	if member != "nextStates" {
		if rng.IntN(4) == 0 || len(ids[kind]) == 0 {
			return nil
		}
		return reference(ids[kind][rng.IntN(len(ids[kind]))])
	}
	next := []any{}
	for range rng.IntN(4) {
		next = append(next, reference(ids[kind][rng.IntN(len(ids[kind]))]))
	}
	return next
}

// seeded returns random numbers, and says from which seed.
func seeded(t *testing.T) *mathrand.Rand {
	seed := mathrand.Uint64()
	t.Logf("seed %d", seed)
	return mathrand.New(mathrand.NewPCG(seed, 1))
}

// encoded writes a value as JSON.
func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Whatever requests have made of a store, an import takes, and what it has loaded can be
// sent back.
func TestWhatRequestsMakeIsImported(t *testing.T) {
	t.Parallel()
	rng, s := seeded(t), lived(t)
	c, _ := asking(t, s)
	accepted, refused := 0, 0
	for range 400 {
		kinds := []string{"state", "priority", "classification", "component", "component", "milestone", "user", "token", "savedQuery"}
		kind := kinds[rng.IntN(len(kinds))]
		ids := map[string][]string{}
		for kind, path := range lists {
			for _, object := range c.objects(path) {
				var named struct{ Identifier string }
				if err := json.Unmarshal(object, &named); err != nil {
					t.Fatal(err)
				}
				ids[kind] = append(ids[kind], named.Identifier)
			}
		}
		reference := func(id string) any { return metadata.Members{"identifier": metadata.Text(id)} }
		body := map[string]any{}
		for _, member := range settable[kind] {
			if rng.IntN(2) == 0 {
				body[member] = oddity(rng, member, ids, reference)
			}
		}
		method, path := http.MethodPost, lists[kind]
		switch {
		case kind == "token":
			path, body["scope"], body["user"] = "/tokens", "read", reference(ids["user"][rng.IntN(len(ids["user"]))])
		case kind == "savedQuery":
			path = "/queries"
		case rng.IntN(2) == 0 && len(ids[kind]) > 0:
			method, path = http.MethodPatch, path+"/"+ids[kind][rng.IntN(len(ids[kind]))]
		}
		if _, named := body["name"]; !named && rng.IntN(2) == 0 && kind != "token" {
			body["name"] = fmt.Sprint("name ", rng.Uint32())
		}
		if body["inactive"] == true && strings.HasPrefix(path, "/users/") {
			continue // or the client may end as nobody
		}
		switch w := c.do(method, path, encoded(t, body)); {
		case w.Code < 300:
			accepted++
		case w.Code < 500:
			refused++
		default:
			t.Fatalf("%s %s %v: %d %s", method, path, body, w.Code, w.Body)
		}
	}
	if accepted < 50 || refused < 50 {
		t.Errorf("%d requests are accepted and %d refused, which shows little", accepted, refused)
	}
	want, moved := export(t, s), open(t, 0)
	if _, err := transfer.Import(t.Context(), strings.NewReader(want), moved, filled); err != nil {
		t.Fatalf("what requests have made: %v", err)
	}
	if got := export(t, moved); got != want {
		t.Errorf("the import differs: %s", difference(got, want))
	}
	sendsBack(t, s)
	sendsBack(t, moved)
}

// A state without problems can become resolved, or unresolved. The savepoints of problems
// that were in it before stay as they are, and an import takes them.
func TestStateChangesBelowSavepoints(t *testing.T) {
	t.Parallel()
	s := open(t, 0)
	secret, err := service(s).NewSecret()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service(s).Seed(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	c, _ := asking(t, s)
	do := func(method, path, body string) (id string) {
		t.Helper()
		w := c.do(method, path, body)
		if w.Code >= 300 {
			t.Fatalf("%s %s %s: %d %s", method, path, body, w.Code, w.Body)
		}
		var named struct{ Identifier json.RawMessage }
		if err := json.Unmarshal(w.Body.Bytes(), &named); err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(named.Identifier), `"`)
	}
	for name, resolved := range map[string]bool{"Waiting": false, "Refused": true} {
		state := do(http.MethodPost, "/states", fmt.Sprintf(`{"name":%q,"resolved":%t,"initial":true,"nextStates":[{"name":"Open"}]}`, name, resolved))
		problem := do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":"Leak","state":{"name":%q}}`, name))
		do(http.MethodPatch, "/problems/"+problem, `{"state":{"name":"Open"}}`)
		do(http.MethodPatch, "/states/"+state, fmt.Sprintf(`{"resolved":%t}`, !resolved))
	}
	want, moved := export(t, s), open(t, 0)
	if _, err := transfer.Import(t.Context(), strings.NewReader(want), moved, filled); err != nil {
		t.Fatal(err)
	}
	if got := export(t, moved); got != want {
		t.Errorf("the import differs: %s", difference(got, want))
	}
}

// Whatever an import takes can be sent back as it was read, and be exported again.
func TestWhatIsImportedCanBeSentBack(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	rng := seeded(t)
	base := withSamples(t, lived(t))
	accepted, refused := 0, 0
	for range 150 {
		text := altered(t, rng, base)
		s := open(t, 0)
		if _, err := transfer.Import(t.Context(), strings.NewReader(text), s, filled); err != nil {
			refused++
			continue
		}
		accepted++
		again := open(t, 0)
		if _, err := transfer.Import(t.Context(), strings.NewReader(export(t, s)), again, filled); err != nil {
			t.Errorf("what was imported is exported, and refused: %v", err)
		}
		if !sendsBack(t, s) {
			t.Fatalf("the import took what requests may not send:\n%s", changedLines(text, base))
		}
	}
	if accepted < 20 || refused < 20 {
		t.Errorf("%d archives are accepted and %d refused, which shows little", accepted, refused)
	}
	t.Logf("%d archives accepted, %d refused", accepted, refused)
}

// withSamples exports a store with an object at least of every kind that is altered.
func withSamples(t *testing.T, s store.Store) string {
	t.Helper()
	c, _ := asking(t, s)
	for _, r := range [][2]string{
		{"/components", `{"name":"Engine"}`},
		{"/components", `{"name":"Pump","parent":{"name":"Engine"}}`},
		{"/components", `{"name":"Valve","successor":{"name":"Pump"}}`},
		{"/milestones", `{"name":"Beta","startDate":"2026-06-01T00:00:00Z"}`},
		{"/milestones", `{"name":"Beta","component":{"name":"Pump"},"startDate":"2026-06-01T00:00:00Z"}`},
		{"/users", `{"name":"Cy","email":"cy@example.org"}`},
		{"/queries", `{"name":"Mine","predicate":"assignee.identifier = $ApiUser"}`},
	} {
		if w := c.do(http.MethodPost, r[0], r[1]); w.Code != http.StatusCreated {
			t.Fatalf("POST %s %s: %d %s", r[0], r[1], w.Code, w.Body)
		}
	}
	return export(t, s)
}

// altered returns an archive with some members changed, and the manifest that fits.
func altered(t *testing.T, rng *mathrand.Rand, text string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	objects, ids := make([]map[string]any, len(lines)), map[string][]string{}
	choices := map[string][]int{} // lines by kind
	for i, line := range lines {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&objects[i]); err != nil {
			t.Fatal(err)
		}
		kind, _ := objects[i]["kind"].(string)
		if id, ok := objects[i]["identifier"].(string); ok {
			ids[kind] = append(ids[kind], id)
		}
		if settable[kind] != nil {
			choices[kind] = append(choices[kind], i)
		}
	}
	kinds := slices.Sorted(maps.Keys(choices))
	for range 1 + rng.IntN(2) {
		kind := kinds[rng.IntN(len(kinds))]
		i, members := choices[kind][rng.IntN(len(choices[kind]))], settable[kind]
		member := members[rng.IntN(len(members))]
		objects[i][member] = oddity(rng, member, ids, func(id string) any { return id })
		lines[i] = encoded(t, objects[i])
	}
	return resealed(t, lines)
}

// resealed returns an archive of lines, whose manifest, the last one, is made to fit.
func resealed(t *testing.T, lines []string) string {
	t.Helper()
	last := len(lines) - 1
	var m map[string]any
	d := json.NewDecoder(strings.NewReader(lines[last]))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	sums := m["sha256"].(map[string]any)
	for kind := range sums {
		h := sha256.New()
		for _, line := range lines[1:last] {
			if strings.Contains(line, `"kind":"`+kind+`"`) {
				fmt.Fprintln(h, line)
			}
		}
		sums[kind] = fmt.Sprintf("%x", h.Sum(nil))
	}
	return strings.Join(append(slices.Clone(lines[:last]), encoded(t, m)), "\n") + "\n"
}

// changedLines shows the lines of one archive that another does not have.
func changedLines(text, base string) string {
	had := strings.Split(base, "\n")
	return strings.Join(slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return slices.Contains(had, line) }), "\n")
}

// Numbers can be as great as JSON has them, and what comes thereafter is exported too.
func TestNumbersAtTheEndAreExported(t *testing.T) {
	t.Parallel()
	for i := range adapters {
		t.Run(adapters[i].name, func(t *testing.T) {
			t.Parallel()
			lines := strings.Split(strings.TrimSuffix(single(t), "\n"), "\n")
			for i, line := range lines {
				replacements := [][2]string{
					{`"identifier":1,"kind":"problem"`, fmt.Sprintf(`"identifier":%d,"kind":"problem"`, problem.MaxID)},
					{`"problem":1,`, fmt.Sprintf(`"problem":%d,`, problem.MaxID)},
					{`"problem":1}`, fmt.Sprintf(`"problem":%d}`, problem.MaxID)},
				}
				if i == len(lines)-1 {
					replacements = [][2]string{{`"nextIdentifier":2,`, fmt.Sprintf(`"nextIdentifier":%d,`, problem.MaxID+1)}}
				}
				for _, r := range replacements {
					line = strings.Replace(line, r[0], r[1], 1)
				}
				if i == 0 {
					var header map[string]any
					if err := json.Unmarshal([]byte(line), &header); err != nil {
						t.Fatal(err)
					}
					header["catalogueVersion"] = json.Number("9007199254740991")
					line = encoded(t, header)
				}
				lines[i] = line
			}
			s := open(t, i)
			if _, err := transfer.Import(t.Context(), strings.NewReader(resealed(t, lines)), s, filled); err != nil {
				t.Fatal(err)
			}
			if !sendsBack(t, s) {
				return
			}
			c, _ := asking(t, s)
			if r := c.do(http.MethodPost, "/priorities", `{"name":"New"}`); r.Code != http.StatusCreated {
				t.Errorf("a change of the catalogue: %d %s", r.Code, r.Body)
			}
			if r := c.do(http.MethodPost, fmt.Sprintf("/problems/%d/comments", problem.MaxID), "wet"); r.Code != http.StatusCreated {
				t.Errorf("a comment: %d %s", r.Code, r.Body)
			}
			if r := c.do(http.MethodPost, "/problems", `{"title":"x"}`); r.Code != http.StatusUnprocessableEntity || !strings.Contains(r.Body.String(), string(fault.InvalidValue)) {
				t.Errorf("another problem: %d %s", r.Code, r.Body)
			}
			if _, err := transfer.Import(t.Context(), strings.NewReader(export(t, s)), open(t, 0), filled); err != nil {
				t.Error(err)
			}
		})
	}
}

// single exports a store with one problem.
func single(t *testing.T) string {
	t.Helper()
	s := open(t, 0)
	w := service(s)
	secret, err := w.NewSecret()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Seed(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	c, _ := asking(t, s)
	if r := c.do(http.MethodPost, "/problems", `{"title":"Leak","keywords":[{"name":"room","value":"cellar"}]}`); r.Code != http.StatusCreated {
		t.Fatalf("%d %s", r.Code, r.Body)
	}
	return export(t, s)
}
