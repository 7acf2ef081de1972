// Command screenshots makes pictures of every page of the client application, at 1280 and
// 360 pixels and in both schemes of colours.
//
//	screenshots -binary ../bin/problems -to ../bin/screenshots -only 'list|problem'
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
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/tools/browser"
	"github.com/problemtracking/problems/tools/launch"
)

func main() {
	binary := flag.String("binary", "../bin/problems", "the program `file`")
	to := flag.String("to", "../bin/screenshots", "the `directory` for the pictures")
	only := flag.String("only", "", "a regular `expression` for the names of the pages; by default, all")
	flag.Parse()
	if err := run(context.Background(), *binary, *to, *only); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

// page is a page with the name of its pictures.
type page struct{ name, path string }

// pages are shown as a whole, and longPages as far as the window goes.
var pages = []page{
	{"list", "/problems?query=all"}, {"problem", "/problems/1"}, {"new", "/problems/new"}, {"graph", "/problems/1/graph"},
	{"past", "/problems/1/past?revision=3"}, {"redaction", "/problems/1/redaction"}, {"bulk", "/problems/bulk?problem=1&problem=2"}, {"fault", "/problems?predicate=titel+%3D+%27x%27"},
	{"empty", "/problems?query=mine"}, {"settings", "/settings"}, {"missing", "/nowhere"}, {"states", "/administration/states"},
	{"components", "/administration/components"}, {"milestones", "/administration/milestones"}, {"users", "/administration/users"},
	{"tokens", "/administration/tokens"}, {"audit", "/administration/audit"},
	{"queries", "/administration/queries"}, {"sessions", "/administration/sessions"}, {"webhooks", "/administration/webhooks"},
	{"keywords", "/problems/13"}, {"board", "/problems/board"}, {"keys", "/keys"}, {"sign-in", "/sign-in?code=x"},
}

var longPages = []page{{"docs", "/docs"}, {"docs-operation", "/docs#createProblem"}, {"docs-predicates", "/docs/predicates"}, {"docs-errors", "/errors"}}

func run(ctx context.Context, binary, to, only string) error {
	wanted, err := regexp.Compile("^(" + only + ")$")
	if err != nil {
		return err
	}
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
	team := client{server.URL, token}
	milestone, hook, err := fill(team)
	if err != nil {
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
	whole := append(slices.Clone(pages), page{"milestone", "/milestones/" + milestone}, page{"webhook", "/administration/webhooks/" + hook},
		page{"webhook-delete", "/administration/webhooks/" + hook + "/delete"})
	for i, page := range slices.Concat(whole, longPages) {
		if only != "" && !wanted.MatchString(page.name) {
			continue
		}
		take := tab.Screenshot
		if i >= len(whole) {
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

// call returns the identifier in the answer, if it has one.
func (c client) call(method, path string, body any) (identifier string, _ error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	r, err := http.NewRequest(method, c.url+"/api/20151105"+path, bytes.NewReader(sent))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", c.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		return "", fmt.Errorf("%s %s: %s (%v)", method, path, text, err)
	}
	var made struct{ Identifier any }
	_ = json.Unmarshal(text, &made) // some answers are lists, or empty
	return fmt.Sprint(made.Identifier), nil
}

// titles are those of the problems in the pictures, from the first to the last.
var titles = []string{
	"Login page is blank after a session timeout", "Export drops keywords with emoji", "Search is slow for patterns on long titles",
	"Crash when two people rename one milestone", "القائمة لا تظهر بعد تحديث الصفحة", "Password reset mail is never sent",
	"Time zone is wrong in the weekly report", "Typo on the welcome page", "Dark mode makes the graph unreadable", "Memory grows while a stream is idle",
	"Attachments over 10 MB are cut without a word", "Keyboard focus is lost after a comment is saved, so long pages are hard to use without a mouse",
}

// fill creates the data of a small team, and returns its milestone and its webhook.
func fill(c client) (milestone, hook string, err error) {
	name := func(n string) map[string]any { return map[string]any{"name": n} }
	do := func(method, path string, body any) (identifier string) {
		if err == nil {
			identifier, err = c.call(method, path, body)
		}
		return identifier
	}
	people := []string{"Ann Keller", "Bob Smith", "Chiara Russo"}
	for _, p := range people {
		do("POST", "/users", map[string]any{"name": p, "email": strings.ToLower(strings.Fields(p)[0]) + "@example.org"})
	}
	do("POST", "/components", name("Server"))
	do("POST", "/components", map[string]any{"name": "Accounts", "parent": name("Server")})
	do("POST", "/components", name("Client"))
	do("POST", "/queries", map[string]any{"name": "Urgent, and nobody’s", "predicate": "priority.name = 'Urgent' AND assignee = nil", "sort": "-modificationDate"})
	do("POST", "/queries", map[string]any{"name": "Accounts, by day", "predicate": "component.name = 'Accounts'", "sort": "due", "columns": "state,assignee,due", "shared": true})
	hook = do("POST", "/webhooks", map[string]any{"url": "https://hooks.example.org/problems", "types": []string{"problem.created", "problem.changed"}, "predicate": "priority.name = 'High'"})
	today := time.Now().UTC().Truncate(24 * time.Hour)
	milestone = do("POST", "/milestones", map[string]any{"name": "Spring", "startDate": today.AddDate(0, 0, -3), "endDate": today.AddDate(0, 0, 11)})
	priorities, components := []string{"Normal", "High", "Low", "Urgent"}, []string{"Server", "Accounts", "Client"}
	for i, title := range titles {
		do("POST", "/problems", map[string]any{"title": title, "priority": name(priorities[i%4]), "component": name(components[i%3]), "assignee": name(people[i%3])})
	}
	for i := range titles {
		if i%3 != 0 {
			do("PATCH", fmt.Sprintf("/problems/%d", i+1), map[string]any{"milestone": name("Spring")})
		}
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
	return milestone, hook, err
}
