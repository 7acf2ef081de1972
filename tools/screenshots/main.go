// Command screenshots makes pictures of every page of the client application, at 1280 and
// 360 pixels and in both schemes of colours.
//
//	screenshots -binary ../bin/problems -to ../bin/screenshots
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/tools/browser"
	"github.com/problemtracking/problems/tools/launch"
)

func main() {
	binary := flag.String("binary", "../bin/problems", "the program `file`")
	to := flag.String("to", "../bin/screenshots", "the `directory` for the pictures")
	flag.Parse()
	if err := run(context.Background(), *binary, *to); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

// page is a page with the name of its pictures.
type page struct{ name, path string }

// pages are shown as a whole, and longPages as far as the window goes.
var pages = []page{
	{"list", "/problems?query=all"}, {"problem", "/problems/1"}, {"new", "/problems/new"}, {"graph", "/problems/1/graph"},
	{"past", "/problems/1/past?revision=3"}, {"bulk", "/problems/bulk?problem=1&problem=2"}, {"fault", "/problems?predicate=titel+%3D+%27x%27"},
	{"empty", "/problems?query=mine"}, {"settings", "/settings"}, {"missing", "/nowhere"}, {"states", "/administration/states"},
	{"components", "/administration/components"}, {"milestones", "/administration/milestones"}, {"users", "/administration/users"},
	{"tokens", "/administration/tokens"}, {"audit", "/administration/audit"},
	{"keywords", "/problems/13"}, {"sign-in", "/sign-in?code=x"},
}

var longPages = []page{{"docs", "/docs"}, {"docs-operation", "/docs#createProblem"}, {"docs-predicates", "/docs/predicates"}, {"docs-errors", "/errors"}}

func run(ctx context.Context, binary, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "problems-screenshots-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(home) }()
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	token := access.NewSecret(random).Reveal()
	p := launch.Program{Path: binary, Home: home, Logs: filepath.Join(home, "log")}
	server, err := p.Serve(ctx, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	if err != nil {
		return err
	}
	defer server.Kill()
	if err := fill(client{server.URL, token}); err != nil {
		return err
	}
	b, err := browser.Start(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	tab, err := b.Tab(server.URL)
	if err != nil {
		return err
	}
	defer tab.Close()
	if err := errors.Join(tab.Open("/sign-in"), tab.Type("input[name=token]", token), tab.Click("main button"), tab.Shows("All open")); err != nil {
		return err
	}
	for i, page := range slices.Concat(pages, longPages) {
		take := tab.Screenshot
		if i >= len(pages) {
			take = tab.View
		}
		for _, width := range []int64{1280, 360} {
			for _, scheme := range []string{"light", "dark"} {
				file := filepath.Join(to, fmt.Sprintf("%s-%d-%s.png", page.name, width, scheme))
				err := errors.Join(tab.Size(width, 800), tab.Scheme(scheme), tab.Open(page.path), tab.Until("document.readyState === 'complete'"), take(file))
				if err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
			}
		}
	}
	return nil
}

// client calls the API.
type client struct{ url, token string }

func (c client) call(method, path string, body any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(method, c.url+"/api/20151105"+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", c.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s (%v)", method, path, text, err)
	}
	return nil
}

// titles are those of the problems in the pictures, from the first to the last.
var titles = []string{
	"Login page is blank after a session timeout", "Export drops keywords with emoji", "Search is slow for patterns on long titles",
	"Crash when two people rename one milestone", "القائمة لا تظهر بعد تحديث الصفحة", "Password reset mail is never sent",
	"Time zone is wrong in the weekly report", "Typo on the welcome page", "Dark mode makes the graph unreadable", "Memory grows while a stream is idle",
	"Attachments over 10 MB are cut without a word", "Keyboard focus is lost after a comment is saved, so long pages are hard to use without a mouse",
}

// fill creates the data of a small team.
func fill(c client) error {
	name := func(n string) map[string]any { return map[string]any{"name": n} }
	var err error
	do := func(method, path string, body any) {
		if err == nil {
			err = c.call(method, path, body)
		}
	}
	people := []string{"Ann Keller", "Bob Smith", "Chiara Russo"}
	for _, p := range people {
		do("POST", "/users", map[string]any{"name": p, "email": strings.ToLower(strings.Fields(p)[0]) + "@example.org"})
	}
	do("POST", "/components", name("Server"))
	do("POST", "/components", map[string]any{"name": "Accounts", "parent": name("Server")})
	do("POST", "/components", name("Client"))
	do("POST", "/milestones", map[string]any{"name": "Spring", "startDate": "2026-03-01T00:00:00Z", "endDate": "2026-06-01T00:00:00Z"})
	priorities, components := []string{"Normal", "High", "Low", "Urgent"}, []string{"Server", "Accounts", "Client"}
	for i, title := range titles {
		do("POST", "/problems", map[string]any{"title": title, "priority": name(priorities[i%4]), "component": name(components[i%3]), "assignee": name(people[i%3])})
	}
	do("POST", "/problems/1/comments", map[string]any{"text": "It happens in **two browsers**:\n\n1. sign in\n2. wait 30 minutes\n3. press *Save*\n\n```\nsession is null\n```\n\nSee #2."})
	do("PUT", "/problems/1/keywords/customer", "ACME")
	do("PUT", "/problems/1/keywords/regression", nil)
	for _, r := range []struct {
		owner int
		kind  string
		other int
	}{{1, "BlockedBy", 2}, {1, "ParentOf", 3}, {1, "ParentOf", 4}, {1, "RelatedTo", 7}, {2, "CausedBy", 5}, {3, "ParentOf", 8}, {3, "ParentOf", 9}, {4, "BlockedBy", 9}, {10, "BlockedBy", 8}, {2, "DuplicateOf", 10}} {
		do("PUT", fmt.Sprintf("/problems/%d/relationships", r.owner), map[string]any{"type": r.kind, "problemIdentifier": r.other})
	}
	do("PATCH", "/problems/1", map[string]any{"state": name("In Progress"), "milestone": name("Spring")})
	do("PATCH", "/problems/8", map[string]any{"state": name("Closed")})
	do("POST", "/problems/1/comments", map[string]any{"text": "The cause is in the session cache. A fix follows."})
	do("PUT", "/problems/1/watchers", map[string]any{"email": "bob@example.org"})
	do("PATCH", "/problems/7", map[string]any{"read": false})
	do("PATCH", "/problems/3", map[string]any{"read": false})
	var many []map[string]any
	for i := range 500 {
		many = append(many, map[string]any{"name": fmt.Sprintf("customer-%03d", i), "value": []string{"ACME", "Initech, since the upgrade in spring", "Hooli"}[i%3]})
	}
	do("POST", "/problems", map[string]any{"title": "Imported reports have lost their owner", "keywords": many})
	return err
}
