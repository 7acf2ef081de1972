package e2e

import (
	"net/http"
	"slices"
	"strings"
)

// eventPages changes the pages of the feed.
func eventPages(fn func([]map[string]any) []map[string]any) func(serving) serving {
	return answering(func(c call, r *reply) {
		if page := array(r.body); c.is("GET", "/events") && r.status == http.StatusOK && len(page) > 0 {
			r.body = asJSON(fn(page))
		}
	})
}

// eventSaboteurs break the feed.
func eventSaboteurs() []saboteur {
	withoutParameter := func(name string) func(serving) serving {
		return asking(func(c *call) {
			if path, query, ok := strings.Cut(c.uri, "?"); ok && c.is("GET", "/events") {
				parts := slices.DeleteFunc(strings.Split(query, "&"), func(part string) bool { return strings.HasPrefix(part, name+"=") })
				c.uri = path + "?" + strings.Join(parts, "&")
			}
		})
	}
	return []saboteur{
		{"events without their log entries", "HTTP-EV-001", eventPages(func(page []map[string]any) []map[string]any {
			for _, e := range page {
				e["logs"] = []any{}
			}
			return page
		})},
		{"the title of an event before the change", "HTTP-EV-001", eventPages(func(page []map[string]any) []map[string]any {
			for i := len(page) - 1; i > 0; i-- {
				page[i]["problem"] = page[i-1]["problem"]
			}
			return page
		})},
		{"no link from an empty page of events", "HTTP-EV-002", answering(func(c call, r *reply) {
			if c.is("GET", "/events") && len(array(r.body)) == 0 {
				r.header.Del("Link")
			}
		})},
		{"the last event of a page again", "HTTP-EV-003", answering(func(c call, r *reply) {
			if page := array(r.body); c.is("GET", "/events") && len(page) > 1 {
				link := r.header.Get("Link")
				_, cursor, _ := strings.Cut(link, "after=")
				cursor, _, _ = strings.Cut(strings.Split(cursor, ">")[0], "&")
				before, _ := page[len(page)-2]["identifier"].(string)
				r.header.Set("Link", strings.Replace(link, cursor, before, 1))
			}
		})},
		{"an event lost between two pages", "HTTP-EV-003", answering(func(c call, r *reply) {
			if page := array(r.body); c.is("GET", "/events") && strings.Contains(c.uri, "limit=3") && len(page) == 3 {
				r.body = asJSON(page[:2])
			}
		})},
		{"a batch for each event", "HTTP-EV-004", eventPages(func(page []map[string]any) []map[string]any {
			for _, e := range page {
				e["batchIdentifier"] = e["identifier"]
			}
			return page
		})},
		{"events of all problems", "HTTP-EV-005", withoutParameter("problem")},
		{"the predicate of events ignored", "HTTP-EV-005", withoutParameter("predicate")},
		{"everybody sees the events of administration", "HTTP-EV-006", administrator(func(c call) bool { return c.is("GET", "/events") })},
		{"a wait of any length", "HTTP-EV-007", withoutParameter("wait")},
		{"an empty page for a cursor that is gone", "HTTP-EV-007", answering(func(c call, r *reply) {
			if c.is("GET", "/events") && r.status == http.StatusGone {
				*r = fails(404, "not-found", "There is no such cursor.")
			}
		})},
		{"no wait", "HTTP-EV-008", withoutParameter("wait")},
		{"events of dry runs", "HTTP-EV-010", asking(func(c *call) {
			if c.is("PATCH", "/problems/*") {
				c.uri = strings.Replace(c.uri, "dryRun=true", "dryRun=false", 1)
			}
		})},
		{"events in no order", "HTTP-EV-011", eventPages(func(page []map[string]any) []map[string]any {
			slices.Reverse(page)
			return page
		})},
	}
}
