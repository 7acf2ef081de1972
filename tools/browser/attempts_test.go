package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/problemtracking/problems/adapters/httpframe/xsstest"
)

// inert lists what no text of a user may add to a page, as the browser has read it: elements
// that load or run something, handlers of events, and addresses that run something.
const inert = `(() => {
	const found = [], elements = "style iframe frame object embed base marquee math video audio source template portal animate set use foreignobject".split(" ");
	const attributes = "style formaction srcdoc srcset ping background poster contenteditable popover".split(" ");
	const own = address => { const u = new URL(address, location.href); return u.origin === location.origin && u.pathname.startsWith("/assets/"); };
	for (const e of document.querySelectorAll("*")) {
		const tell = what => found.push(what + " in " + e.outerHTML.slice(0, 200));
		const name = e.localName.toLowerCase();
		if (elements.includes(name)) tell("the element " + name);
		if (name === "script" && (e.textContent || !own(e.getAttribute("src")))) tell("a script");
		if ((name === "img" || name === "image") && !own(e.getAttribute("src") || e.getAttribute("href"))) tell("a picture");
		if (name === "link" && !own(e.getAttribute("href"))) tell("a link");
		if (name === "meta" && e.hasAttribute("http-equiv")) tell("a refresh");
		if (name === "form" && new URL(e.getAttribute("action"), location.href).origin !== location.origin) tell("a form");
		for (const a of e.attributes) {
			const key = a.name.toLowerCase();
			if (key.startsWith("on") || attributes.includes(key)) tell("the attribute " + key);
			if (key === "href" || key === "src" || key === "xlink:href") {
				let scheme = "no address";
				try { scheme = new URL(a.value, location.href).protocol; } catch {}
				if (!["http:", "https:", "mailto:"].includes(scheme)) tell(scheme);
			}
		}
	}
	if (document.scripts.length !== 1) found.push(document.scripts.length + " scripts");
	if (!document.title.endsWith(" · Problem Tracker")) found.push("the title " + document.title);
	return found.slice(0, 3).join("\n");
})()`

// harmless checks the shown page: nothing of a user runs, and nothing is asked of another
// origin. The page shows the texts, without regard to white space.
func (p *person) harmless(texts ...string) {
	t := p.TB
	t.Helper()
	at, err := Get[string](p.Tab, "location.pathname + location.search")
	if err != nil {
		t.Fatal(err)
	}
	if found, err := Get[string](p.Tab, inert); err != nil || found != "" {
		t.Errorf("%.100s has %s (%v)", at, found, err)
	}
	for _, asked := range p.Asked() {
		// Chromium has pictures of its own for the inputs of dates, as addresses with data.
		if !strings.HasPrefix(asked, p.scene.url+"/") && !strings.HasPrefix(asked, "data:image/svg+xml;base64,") {
			t.Errorf("%.100s asks for %.200s", at, asked)
		}
	}
	shown, err := Get[string](p.Tab, "document.documentElement.textContent + [...document.querySelectorAll('input, textarea')].map(e => ' ' + e.value).join('')")
	if err != nil {
		t.Fatal(err)
	}
	shown = spaced(shown)
	missing := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return strings.Contains(shown, spaced(text)) })
	if len(missing) > 0 {
		t.Errorf("%.100s lacks %d of %d texts, such as %q", at, len(missing), len(texts), missing[0])
	}
}

// spaced returns a text with single spaces.
func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// offer sends the API a text that it takes or refuses. It fails the test when the answer is
// anything else.
func (s *scene) offer(method, path string, body any) (taken bool) {
	s.Helper()
	status, text := s.call(method, path, body)
	if status >= 300 && (status < 400 || status >= 500 || status == http.StatusTooManyRequests) {
		s.Errorf("%s %s with %q: %d %s", method, path, body, status, text)
	}
	return status < 300
}

// refuses checks that the API refuses a text.
func (s *scene) refuses(method, path string, body any) {
	s.Helper()
	if s.offer(method, path, body) {
		s.Errorf("%s %s takes %q", method, path, body)
	}
}

// hostile is a team that writes nothing but attempts.
type hostile struct {
	*scene
	attempts []string
	lines    []string // the attempts, in one line each and all distinct
	// constants are the attempts in predicates.
	constants []string
	// components, emails and urls are those lines and attempts that the API takes there. States
	// are some of the lines: more than 60 are not drawn.
	components, emails, urls, states []string
	// problems are numbers, and hubs the paths of those with many relationships.
	problems, hubs []string
	agents         []string // names of browsers, half of them of the user with the token
	token          string
	// Identifiers of the last object of each kind.
	user, milestone, state, component, priority, hook string
}

// perHub is how many problems are related to one: a drawing has at most 60 problems.
const perHub = 58

// named is a partial object with a name.
func named(name string, more ...any) map[string]any {
	object := map[string]any{"name": name}
	for i := 0; i < len(more); i += 2 {
		object[more[i].(string)] = more[i+1]
	}
	return object
}

// constant returns a text as a constant of predicates.
func constant(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`).Replace(text) + "'"
}

// newHostile writes each attempt wherever the API takes it.
func newHostile(t *testing.T) *hostile {
	t.Helper()
	s := open(t, "memory:")
	h := &hostile{scene: s, attempts: xsstest.Attempts()}
	made := func(path string, body map[string]any) string {
		t.Helper()
		return s.api("POST", path, body)["identifier"].(string)
	}
	root := made("/components", named("Root"))
	for i, attempt := range h.attempts {
		line := fmt.Sprintf("%s %d", spaced(attempt), i)
		h.lines = append(h.lines, line)
		h.constants = append(h.constants, constant(attempt))
		if strings.ContainsFunc(strings.TrimSpace(attempt), unicode.IsControl) { // a name is one line
			for path, body := range map[string]map[string]any{
				"/users": named(attempt, "email", "x@example.org"), "/components": named(attempt), "/milestones": named(attempt), "/priorities": named(attempt, "order", 1),
				"/classifications": named(attempt), "/states": named(attempt, "order", 1), "/problems": {"title": attempt}, "/queries": named(attempt, "predicate", "TRUEPREDICATE"),
			} {
				s.refuses("POST", path, body)
			}
		}
		if email := fmt.Sprintf("%s%d", attempt, i); s.offer("POST", "/users", named(fmt.Sprintf("Address %d", i), "email", email)) {
			h.emails = append(h.emails, email)
		}
		if strings.Contains(line, "/") { // a slash separates the names of components
			s.refuses("POST", "/components", named(line))
		} else {
			h.component = made("/components", named(line, "parent", map[string]any{"identifier": root}))
			h.components = append(h.components, line)
		}
		h.user = made("/users", named(line, "email", fmt.Sprintf("u%d@example.org", i)))
		h.milestone = made("/milestones", named(line))
		h.priority = made("/priorities", named(line, "order", 10+i))
		made("/classifications", named(line))
		if i%4 == 0 {
			h.state = made("/states", named(line, "order", 10+i, "initial", true, "nextStates", []map[string]any{named("Open")}))
			h.states = append(h.states, line)
		}
		made("/queries", named(line, "predicate", "title = "+constant(attempt), "sort", "-identifier"))
		problem := map[string]any{"title": line}
		for _, field := range []string{"priority", "classification", "milestone", "assignee"} {
			problem[field] = named(line)
		}
		problem["state"] = named(h.states[len(h.states)-1])
		if h.component != "" {
			problem["component"] = map[string]any{"identifier": h.component}
		}
		h.problems = append(h.problems, fmt.Sprint(s.api("POST", "/problems", problem)["identifier"]))
	}
	for i := range h.lines {
		at := "/problems/" + h.problems[i-i%perHub]
		if i%perHub == 0 {
			h.hubs = append(h.hubs, at)
		} else {
			s.api("PUT", at+"/relationships", map[string]any{"type": "ParentOf", "problemIdentifier": json.Number(h.problems[i])})
		}
		s.api("PUT", at+"/watchers", map[string]any{"email": fmt.Sprintf("u%d@example.org", i)})
		s.api("PUT", at+"/keywords/"+url.PathEscape(h.lines[i]), h.attempts[i])
		s.api("PATCH", at, map[string]any{"title": h.lines[i], "priority": named(h.lines[i]), "assignee": named(h.lines[i])})
	}
	for _, attempt := range h.attempts {
		if address := "https://hooks.example.org/?" + strings.Map(visible, attempt); s.offer("POST", "/webhooks", map[string]any{"url": address, "predicate": "FALSEPREDICATE"}) {
			h.urls = append(h.urls, address)
		}
		if !strings.HasPrefix(attempt, "https:") {
			s.refuses("POST", "/webhooks", map[string]any{"url": attempt})
		}
	}
	var tokens []string // a user has at most 100 sessions
	for _, line := range h.lines[:2] {
		tokens = append(tokens, s.api("POST", "/tokens", map[string]any{"user": named(line), "scope": "write"})["token"].(string))
	}
	h.token = tokens[0]
	for i, attempt := range h.attempts {
		if agent := spaced(attempt); !strings.ContainsFunc(agent, func(c rune) bool { return c > '~' }) {
			s.signInAs(agent, tokens[i%2])
			h.agents = append(h.agents, agent)
		}
	}
	h.hook = made("/webhooks", map[string]any{"url": "https://hooks.example.org/", "predicate": "FALSEPREDICATE AND title IN {" + strings.Join(h.constants, ", ") + "}"})
	return h
}

// signInAs begins a session as a browser of this name, and returns its key.
func (s *scene) signInAs(agent, token string) (key string) {
	s.Helper()
	r, err := http.NewRequest("POST", s.url+"/sign-in", strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("User-Agent", agent)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		s.Fatalf("%q cannot sign in: %d", agent, response.StatusCode)
	}
	return response.Cookies()[0].Value
}

// visible keeps the characters that may be in the address of a webhook.
func visible(c rune) rune {
	if c <= ' ' || c > '~' || c == '#' || c == '%' {
		return -1
	}
	return c
}

// In a real browser, a text of a user is text wherever a page shows it: nothing runs, and
// nothing is asked of another origin.
func TestAttemptsOnAllPages(t *testing.T) {
	t.Parallel()
	h := newHostile(t)
	p := h.signedIn(h.scene.token)
	p.Asked()
	// next opens the next page of a list; false: this is the last one.
	next := func() bool {
		t.Helper()
		to, err := Get[string](p.Tab, "document.querySelector('a[rel=next]')?.getAttribute('href') || ''")
		if err != nil {
			t.Fatal(err)
		}
		if to != "" {
			p.visit(to)
		}
		return to != ""
	}
	last := h.lines[len(h.lines)-1]
	for kind, texts := range map[string][]string{
		"components": h.components, "milestones": h.lines, "priorities": h.lines, "classifications": h.lines, "users": slices.Concat(h.lines, h.emails),
		"queries": h.lines, "webhooks": h.urls, "sessions": h.agents,
		"states/" + h.state: h.states[len(h.states)-1:], "components/" + h.component: h.components[len(h.components)-1:], "milestones/" + h.milestone: {last}, "users/" + h.user: {last},
		"webhooks/" + h.hook: h.constants, "webhooks/" + h.hook + "/delete": nil, "tokens": nil, "audit": nil, "audit?before=300": nil,
	} {
		p.visit("/administration/"+kind, texts...)
	}
	p.visit("/administration/states", h.states...)
	p.check(`document.querySelectorAll("svg title").length > 40`)
	p.visit("/milestones", h.lines...)
	p.visit("/milestones/"+h.milestone, last)
	p.visit("/problems/new")
	p.visit("/problems?query=all&columns=state&columns=priority&columns=assignee&columns=component&columns=milestone&columns=classification&columns=originator", h.lines[:10]...)
	for next() {
	}
	for i, hub := range h.hubs {
		mine := h.lines[i*perHub : min((i+1)*perHub, len(h.lines))]
		p.visit(hub, mine...)
		p.visit(hub+"/graph", mine[1:]...)
		p.visit(hub+"/past?revision=80", mine[0])
	}
	// The form for many problems, and what it would change.
	p.visit("/problems/bulk?problem="+h.problems[0]+"&problem="+h.problems[1], h.lines[1])
	p.must(p.Choose("select[name=priority]", last), p.Choose("select[name=state]", "Open"), p.Choose("select[name=classification]", last), p.Choose("select[name=milestone]", last),
		p.Click("main form button"), p.Shows("2 problems would change"))
	p.harmless(last)
	p.clean()

	// The pages of somebody with such a name and such browsers. Changes arrive while one is open.
	mallory := h.signedIn(h.token)
	mallory.Asked()
	mallory.visit("/settings", h.lines[0], h.agents[len(h.agents)/2*2-2])
	mallory.visit(h.hubs[0])
	for i, attempt := range h.attempts[:20] {
		h.api("POST", h.hubs[0]+"/comments", map[string]any{"text": attempt})
		h.api("PUT", h.hubs[0]+"/keywords/"+url.PathEscape("late "+h.lines[i]), attempt)
	}
	h.api("PUT", h.hubs[0]+"/keywords/latest", nil)
	mallory.must(mallory.Shows("late "+h.lines[19]), mallory.Shows("latest"))
	mallory.harmless("late " + h.lines[19])
	mallory.clean()
}

// The same holds for comments, for their HTML, and for predicates that are refused: the page
// shows the line with the fault.
func TestAttempts(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	p := s.signedIn(s.token)
	p.Asked()
	for some := range slices.Chunk(xsstest.Attempts(), 12) {
		at := fmt.Sprintf("/problems/%v", s.api("POST", "/problems", map[string]any{"title": spaced(some[0])})["identifier"])
		var constants []string
		for _, attempt := range some {
			s.api("POST", at+"/comments", map[string]any{"text": attempt})
			s.api("POST", at+"/comments", map[string]any{"text": "html", "html": attempt})
			constants = append(constants, constant(attempt))
		}
		p.visit(at, some[0])
		raw, line := strings.Join(some, "\n"), "title IN {"+strings.Join(constants, ", ")+"} @"
		p.visit("/problems?"+url.Values{"predicate": {line}, "title": {some[0]}, "sort": {some[1]}}.Encode(), some[1], line)
		p.visit("/problems?"+url.Values{"predicate": {raw}, "title": {raw}}.Encode(), raw)
		p.visit("/problems?"+url.Values{"predicate": {line}}.Encode(), line)
	}
	p.clean()
}

// visit opens a page and checks it, as harmless does.
func (p *person) visit(at string, texts ...string) {
	p.TB.Helper()
	p.must(p.Open(at), p.Until("document.readyState === 'complete'"))
	p.harmless(texts...)
}
