package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/problemtracking/problems/app/internal/cli"
)

// authorized sends requests with a token.
type authorized string

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(a))
	return http.DefaultTransport.RoundTrip(r)
}

// model is a public client of the protocol.
type model struct {
	*testing.T
	session *sdk.ClientSession
}

func connected(t *testing.T, transport sdk.Transport) model {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // over HTTP, there is no session to close
	return model{t, session}
}

// use calls a tool, and returns its structured content as JSON, or the text of its refusal.
func (m model) use(tool, arguments string) (answer string, refused bool) {
	m.Helper()
	result, err := m.session.CallTool(m.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		m.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if result.IsError {
		return result.Content[0].(*sdk.TextContent).Text, true
	}
	text, err := json.Marshal(result.StructuredContent)
	if err != nil {
		m.Fatal(err)
	}
	return string(text), false
}

// does calls tools, and compares a part of each answer. A refusal begins with an exclamation mark.
func (m model) does(cases [][3]string) {
	m.Helper()
	for _, c := range cases {
		want, refused := strings.CutPrefix(c[2], "!")
		if got, is := m.use(c[0], c[1]); is != refused || !strings.Contains(got, want) {
			m.Errorf("%s %s answers %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

// A model works on problems over HTTP and over standard input alike, with the rights of its token.
func TestMCP(t *testing.T) {
	t.Parallel()
	for name, connect := range map[string]func(*testing.T, *running) sdk.Transport{
		"http": func(t *testing.T, s *running) sdk.Transport {
			return &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: authorized(s.token(t))}}
		},
		"stdio": func(t *testing.T, s *running) sdk.Transport {
			in, send := io.Pipe()
			receive, out := io.Pipe()
			p := process(variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}, []string{"mcp"}, out, io.Discard)
			p.Stdin = in
			go func() { _ = cli.Run(t.Context(), p) }() // it ends with the test
			return &sdk.IOTransport{Reader: receive, Writer: send}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil, "--store=memory:", "--base-path=/tracker")
			m := connected(t, connect(t, s))
			all, err := m.session.ListTools(t.Context(), nil)
			if err != nil || len(all.Tools) != 8 {
				t.Fatalf("the tools are %v, %v", all, err)
			}
			for _, tool := range all.Tools {
				if tool.Annotations == nil || tool.OutputSchema == nil {
					t.Errorf("%s has no annotations or no schema of its answer", tool.Name)
				}
			}
			if definitions, _ := json.Marshal(all); len(definitions) > 10_000 { // by the encoding o200k, this JSON has more than four bytes a token
				t.Errorf("the definitions have %d bytes", len(definitions))
			}
			m.does([][3]string{
				{"report", `{"title":"The lamp is dark","text":"It went out.","fields":{"priority":"HIGH","assignee":"me"},"keywords":{"floor":"kitchen","b":"1"},"key":"lamp"}`, `{"created":true,"identifier":1,"revision":1,"state":"Open"}`},
				{"report", `{"title":"The lamp is dark","text":"It went out.","fields":{"priority":"HIGH","assignee":"me"},"keywords":{"floor":"kitchen","b":"1"},"key":"lamp"}`, `"identifier":1,`},
				{"report", `{"title":"The fuse blows","once":{"name":"alert","value":"fuse"},"key":"fuse"}`, `{"created":true,"identifier":2,`},
				{"report", `{"title":"A fuse again","text":"Twice.","once":{"name":"alert","value":"fuse"},"key":"again"}`, `{"created":false,"identifier":2,"revision":2,`},
				{"report", `{"title":"x","key":""}`, `!key is empty`},
				{"report", `{"title":"x","fields":{"priority":"hgih"},"key":"x"}`, `!there is no priority "hgih": choose from Urgent, High, Normal, Low`},
				{"report", `{"title":"x","fields":{"colour":"red"},"key":"x"}`, `!there is no field "colour"`},
				{"find", `{"text":"WENT out","mine":true,"predicate":"priority.order <= 2"}`, `{"more":false,"problems":[{"assignee":"Administrator","identifier":1,"priority":"High","revision":1,"state":"Open","title":"The lamp is dark"}]}`},
				{"find", `{"limit":1}`, `{"more":true,"problems":[{"identifier":2,`},
				{"find", `{"limit":1,"skip":1}`, `{"more":false,"problems":[{"assignee":"Administrator","identifier":1,`},
				{"find", `{"limit":51}`, `!limit is 51: it goes from 1 to 50`},
				{"find", `{"state":"nope"}`, `!there is no state "nope": choose from Open, In Progress, Closed`},
				{"find", `{"predicate":"1 = 1) OR (state.resolved = YES"}`, `!nothing was sent: the predicate "1 = 1) OR (state.resolved = YES" has an unbalanced bracket`},
				{"find", `{"predicate":"title = ':-)' AND (title = \":(\" OR title = '\\')')"}`, `{"more":false,"problems":[]}`},
				{"find", `{"predicate":"titel = 'x'"}`, `!invalid-predicate: Problem has no key "titel"; did you mean title?`},
				{"update", `{"identifier":1,"revision":2,"fields":{"title":"Too late"}}`, `!stale-revision: the problem is at revision 1`},
				{"update", `{"identifier":1,"revision":1,"fields":{"priority":""},"keywords":{"floor":null,"room":"hall"}}`, `{"identifier":1,"revision":4,"state":"Open"}`},
				{"update", `{"identifier":1,"keywords":{"b":"1","..":"2"}}`, `!keyword "..": `},
				{"comment", `{"identifier":1,"text":"` + strings.Repeat("long ", 400) + `","key":"c1"}`, `{"identifier":1}`},
				{"comment", `{"identifier":9,"text":"x","key":"c2"}`, `!problem-not-found: `},
				{"relate", `{"identifier":1,"type":"CausedBy","other":2}`, `{"identifier":1}`},
				{"relate", `{"identifier":2,"type":"CausedBy","other":1}`, `!relationship-conflict: `},
				{"show", `{"identifier":1}`, `"relationships":[{"identifier":2,"state":"Open","title":"The fuse blows","type":"CausedBy"}]`},
				{"show", `{"identifier":1}`, `"keywords":{"b":"1","room":"hall"}`},
				{"show", `{"identifier":1}`, `"comments":[{"author":"Administrator","date":`},
				{"show", `{"identifier":1}`, `"number":0,"untrustedText":"It went out."},{"author":"Administrator","cut":true,`},
				{"show", `{"identifier":1,"fromComment":1,"wholeTexts":true}`, strings.Repeat("long ", 400)},
				{"claim", `{"predicate":"identifier = 1"}`, `"identifier":1,"title":"The lamp is dark"}`},
				{"claim", `{"predicate":"identifier = 1","wait":1}`, `{}`},
				{"claim", `{"predicate":"identifier = 1","wait":21}`, `!wait is 21`},
				{"claim", `{"identifier":1,"predicate":"x"}`, `!predicate and wait are for the next problem`},
				{"find", `{}`, `"claimedBy":"Administrator","identifier":1,`},
				{"show", `{"identifier":1}`, `"claimExpires":"2`},
				{"update", `{"identifier":1,"fields":{"due":""},"claim":"0150d4f1-6000-7000-8000-000000000021"}`, `!claim-lost: `},
				{"update", `{"identifier":1,"keywords":{"a":"b"},"claim":"0150d4f1-6000-7000-8000-000000000021"}`, `!`},
				{"comment", `{"identifier":1,"text":"x","key":"late","claim":"0150d4f1-6000-7000-8000-000000000021"}`, `!claim-lost: `},
				{"relate", `{"identifier":1,"type":"CausedBy","other":2,"remove":true,"claim":"0150d4f1-6000-7000-8000-000000000021"}`, `!claim-lost: `},
				{"claim", `{"identifier":1}`, `!claimed: Administrator has claimed the problem`},
				{"finish", `{"identifier":1,"claim":"0150d4f1-6000-7000-8000-000000000021","key":"f0"}`, `!claim-lost: `},
				{"claim", `{"identifier":1,"end":true}`, `!end needs the claim`},
				{"claim", `{"identifier":1,"lease":29}`, `!lease is 29: it goes from 30 to 86400`},
				{"finish", `{"identifier":1,"text":"It was the fuse.","key":"f1"}`, `{"identifier":1,"state":"Closed"}`},
				{"finish", `{"identifier":1,"text":"It was the fuse.","key":"f1"}`, `{"identifier":1,"state":"Closed"}`},
				{"update", `{"identifier":1,"fields":{"state":"Open"}}`, `"state":"Open"`},
				{"finish", `{"identifier":1,"text":"It was the fuse.","key":"f1"}`, `{"identifier":1,"state":"Closed"}`},
				{"show", `{"identifier":1}`, `"state":"Open"`}, // nothing was written
				{"show", `{"identifier":1}`, `"commentCount":3,`},
				{"update", `{"identifier":1,"fields":{"state":"Closed"}}`, `"state":"Closed"`},
				{"finish", `{"identifier":1,"claim":"0150d4f1-6000-7000-8000-000000000021","key":"f2"}`, `!claim-lost: `}, // it is Closed already
				{"finish", `{"identifier":2,"state":"nope","key":"f3"}`, `!there is no move to such a resolved state; moves are possible to In Progress, Closed`},
				{"find", `{"state":"done"}`, `"identifier":1,`},
				{"find", `{"limit":"many"}`, `!limit`},
			})
			taken, _ := m.use("claim", `{"identifier":2}`)
			m.does([][3]string{{"claim", `{"identifier":2,"end":true,"claim":"` + decode[struct{ Claim string }](t, taken).Claim + `"}`, `{"identifier":2}`}})
			taken, _ = m.use("claim", `{"identifier":2}`)
			finish := `{"identifier":2,"claim":"` + decode[struct{ Claim string }](t, taken).Claim + `","text":"Replaced.","key":`
			m.does([][3]string{
				{"finish", finish + `"f4"}`, `{"identifier":2,"state":"Closed"}`},
				{"finish", finish + `"f4"}`, `{"identifier":2,"state":"Closed"}`}, // the answer was lost
				{"finish", finish + `"f5"}`, `!claim-lost: `},
				{"show", `{"identifier":2}`, `"commentCount":2,`},
			})
			s.send(t, s.token(t), "/users", map[string]any{"name": "Robby", "email": "robby@example.org", "robotOf": map[string]any{"name": "Administrator"}})
			byRobot := must(t, variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}, "token", "create", "--user=robby@example.org", "--scope=report")
			s.send(t, byRobot, "/problems", map[string]any{"title": "Dark"})
			s.send(t, byRobot, "/problems/3/comments", map[string]any{"text": "It is dark."})
			taken, _ = m.use("claim", `{"identifier":3}`)
			closer := must(t, variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}, "token", "create", "--user=robby@example.org", "--scope=write")
			must(t, variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": closer}, "done", "3")
			m.does([][3]string{{"finish", `{"identifier":3,"claim":"` + decode[struct{ Claim string }](t, taken).Claim + `","key":"f6"}`, `!claim-lost: `}})
			m.does([][3]string{{"show", `{"identifier":3}`, `"author":"Robby","authorIsRobotOf":"Administrator"`}, {"show", `{"identifier":3}`, `"reporterIsRobotOf":"Administrator"`}})
		})
	}
}

// What is piped into the program is answered before it ends.
func TestMCPFromAPipe(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:")
	var out strings.Builder
	p := process(variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}, []string{"mcp"}, &out, io.Discard)
	p.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"sh","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"report","arguments":{"title":"From a pipe","key":"a"}}}`)
	if code := cli.Run(t.Context(), p); code != 0 || !strings.Contains(out.String(), `"id":1,`) || !strings.Contains(out.String(), `\"created\":true`) {
		t.Errorf("exit code %d, and the answers\n%s", code, out.String())
	}
}

// The address of the protocol takes requests with a valid token alone, keeps no session, and
// can be off.
func TestMCPRefuses(t *testing.T) {
	t.Parallel()
	s, off := start(t, nil, "--store=memory:"), start(t, nil, "--store=memory:", "--mcp=off")
	reader := must(t, variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}, "token", "create", "--user=admin@localhost", "--scope=read")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
	for _, c := range []struct {
		at                     *running
		method, token, foreign string
		status                 int
	}{
		{s, http.MethodPost, s.token(t), "", 200},
		{s, http.MethodPost, reader, "", 200},
		{s, http.MethodPost, "", "", 401},
		{s, http.MethodPost, "pts_x", "", 401},
		{s, http.MethodPost, s.token(t), "https://evil.example", 403},
		{s, http.MethodGet, s.token(t), "", 405},
		{s, http.MethodDelete, s.token(t), "", 405},
		{off, http.MethodPost, off.token(t), "", 404},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, c.at.url+"/mcp", strings.NewReader(list))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": c.token, "Origin": c.foreign} {
			if value != "" {
				request.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != c.status || response.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s with the token %q from %q: %s, %v, want %d", c.method, c.token, c.foreign, response.Status, response.Header, c.status)
		}
	}
	m := connected(t, &sdk.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: authorized(reader)}})
	m.does([][3]string{{"find", `{}`, `"problems":[]`}, {"report", `{"title":"x","key":"x"}`, "!forbidden: "}})
}
