package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// request is one of a random sequence.
type request struct {
	method, path, body string
	headers            []string // names and values
	asAnn              bool     // who has the scope write; else the administrator
}

func (r request) String() string {
	return fmt.Sprintf("%s %s %q %q", r.method, r.path, r.headers, r.body)
}

// TestAdaptersAgree sends one random sequence of requests, good and bad, to a
// server of each adapter: every answer has to be the same to the byte, but for
// identifiers and times.
func TestAdaptersAgree(t *testing.T) {
	t.Parallel()
	const requests = 1500
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	memory := newTranscript(t, "memory:")
	others := make(map[string]*transcript)
	for name, open := range durables() {
		others[name] = newTranscript(t, open(t))
	}
	random := rand.New(rand.NewPCG(seed, 0))
	statuses := map[int]int{}
	for n := range requests {
		r := invent(random)
		status, x := memory.send(r)
		for name, other := range others {
			if _, y := other.send(r); x != y {
				t.Fatalf("seed %d: request %d, %v\nmemory: %s\n%s: %s", seed, n, r, x, name, y)
			}
		}
		statuses[status]++
	}
	t.Logf("answers by status: %v", statuses)
	for _, status := range []int{200, 201, 204, 400, 404, 409, 412, 422} {
		if statuses[status] == 0 {
			t.Errorf("none of %d requests was answered with %d", requests, status)
		}
	}
}

// transcript is one side of the comparison.
type transcript struct {
	t      *testing.T
	server *server
	tokens [2]string
	names  *names
}

func newTranscript(t *testing.T, store string) *transcript {
	t.Helper()
	admin := newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+admin)
	place := []string{"PROBLEMS_URL=" + s.url, "PROBLEMS_TOKEN=" + admin}
	command(t, place, "user", "add", "--name", "Ann", "--email", "ann@example.org")
	ann := command(t, place, "token", "create", "--user", "ann@example.org", "--scope", "write")
	return &transcript{t, s, [2]string{admin, ann}, newNames()}
}

// send returns the status of the answer, and all of it that has to agree.
func (x *transcript) send(r request) (int, string) {
	x.t.Helper()
	asked, err := http.NewRequest(r.method, x.server.url+"/api/20151105"+r.path, strings.NewReader(r.body))
	if err != nil {
		x.t.Fatal(err)
	}
	asked.Header.Set("Authorization", x.tokens[0])
	if r.asAnn {
		asked.Header.Set("Authorization", x.tokens[1])
	}
	for i := 0; i < len(r.headers); i += 2 {
		asked.Header.Set(r.headers[i], r.headers[i+1])
	}
	answer, err := x.server.transport.RoundTrip(asked)
	if err != nil {
		x.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		x.t.Fatal(err)
	}
	answer.Header.Del("Date")
	answer.Header.Del("X-Request-Id")
	var b strings.Builder
	fmt.Fprintln(&b, answer.StatusCode)
	if err := answer.Header.Write(&b); err != nil {
		x.t.Fatal(err)
	}
	b.Write(body)
	return answer.StatusCode, x.names.replace(b.String())
}

// invent makes up a request about one of a dozen problems.
func invent(random *rand.Rand) request {
	one := func(choices ...string) string { return choices[random.IntN(len(choices))] }
	number := func() string { return fmt.Sprint(1 + random.IntN(12)) }
	problem := "/problems/" + number()
	r := request{asAnn: random.IntN(3) == 0}
	r.headers = []string{"Content-Type", "application/json"}
	field := func() string {
		return one(
			`"title":`+one(`"Lamp"`, `" Fuse "`, `"e\u0301"`, `"é"`, `""`, `null`, `7`, `"a\u0000"`, `"👩‍💻"`),
			`"state":`+one(`{"name":"Open"}`, `{"name":"In Progress"}`, `{"name":"Closed"}`, `{"resolved":true}`, `{"resolved":false}`, `{}`, `null`),
			`"priority":`+one(`{"name":"High"}`, `{"name":"Low"}`, `{"order":1}`, `null`, `{"name":"Nope"}`, `"High"`),
			`"classification":`+one(`{"name":"Task"}`, `null`, `{"name":"Feature"}`),
			`"assignee":`+one(`{"email":"ann@example.org"}`, `{"name":"Administrator"}`, `null`, `{"inactive":false}`),
			`"read":`+one(`true`, `false`, `null`),
			`"revision":`+one(number(), `1`, `"1"`),
			`"nope":1`,
		)
	}
	fields := func() string {
		members := make([]string, random.IntN(4))
		for i := range members {
			members[i] = field()
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	keyword := func() string {
		return problem + "/keywords/" + url.PathEscape(one("a", "B", "a/b", "two words", "💡", "é", "e\u0301", ".", "..", "/", " a ", "z"))
	}
	switch random.IntN(19) {
	case 0, 1:
		r.method, r.path, r.body = "POST", "/problems", one(`{"title":"New"}`, `{"title":"New"}`, fields())
	case 2, 3, 4:
		r.method, r.path, r.body = "PATCH", problem, fields()
	case 5:
		r.method, r.path, r.body = "POST", problem+"/comments", one("text", " two\r\nlines ", "", "a\x00b", "naïve")
		r.headers = []string{"Content-Type", one("text/plain", "text/plain", "text/html")}
	case 6:
		r.method, r.path, r.body = "POST", problem+"/comments", one(`{"text":"x"}`, `{"text":"x","html":"<b>x</b>"}`, `{"html":"x"}`, `{"text":7}`, `{"text":"x",}`)
	case 7, 8:
		r.method, r.path, r.body = one("PUT", "PATCH"), keyword(), one(`"x"`, `"y"`, `null`, ``, `7`, `"e\u0301"`)
	case 9:
		r.method, r.path = "DELETE", keyword()
	case 10, 11:
		kind := one("RelatedTo", "ParentOf", "ChildOf", "BlockerOf", "BlockedBy", "DuplicateOf", "FriendOf")
		r.method, r.path, r.body = one("PUT", "PUT", "DELETE"), problem+"/relationships", fmt.Sprintf(`{"type":%q,"problemIdentifier":%s}`, kind, number())
	case 12:
		r.method, r.path, r.body = "PUT", problem+"/watchers", one(`{"email":"ANN@example.org"}`, `{"name":"Administrator"}`, `{}`, `{"email":"x@example.org"}`)
	case 13:
		name := one("Bo", "Cy", "Di")
		r.method, r.path, r.body = "POST", "/users", fmt.Sprintf(`{"name":%q,"email":"%s@example.org"}`, name, name)
	case 14:
		predicate := one("TRUEPREDICATE", "title = 'New'", "state.resolved = NO", "identifier <= "+number(), "assignee.identifier = $ApiUser AND read = NO", "title =")
		r.method, r.path, r.body = "PATCH", "/problems", fields()
		r.path += "?predicate=" + url.QueryEscape(predicate) + one("&dryRun=true", "&dryRun=true", "&dryRun=true", "", "&preview=x")
		return r
	case 15:
		r.method, r.path = "GET", one(problem, problem+"/comments", problem+"/relationships", problem+"/watchers")
		r.path += "?asOf=" + one("1", "2", "3", number(), "0", "2000-01-01T00:00:00Z", "2999-01-01T00:00:00%2B01:00", "x")
	default:
		r.method, r.path = one("GET", "GET", "HEAD"), one(problem, problem, problem+"/comments", problem+"/relationships", problem+"/watchers", "/users", "/me", "/nope")
	}
	if random.IntN(8) == 0 && !strings.Contains(r.path, "?") {
		r.path += one("?dryRun=true", "?dryRun=true", "?dryRun=1")
	}
	if random.IntN(8) == 0 {
		r.headers = append(r.headers, one("If-Match", "If-None-Match"), one("*", `"`+number()+`"`, `"1"`, "x"))
	}
	if random.IntN(8) == 0 {
		r.headers = append(r.headers, "Idempotency-Key", one("one", `"one"`, "two", "three four"))
	}
	return r
}
