package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// pageSaboteurs break the order of what is found, and its pages.
func pageSaboteurs() []saboteur {
	return []saboteur{
		{"sort ignored", "HTTP-PAGE-001", asked(func(values url.Values) { values.Del("sort") })},
		{"nil first when it descends", "HTTP-PAGE-001", found(func(c call, l []map[string]any) []map[string]any {
			if strings.HasPrefix(c.query().Get("sort"), "-priority.") {
				slices.SortStableFunc(l, func(a, b map[string]any) int {
					return strings.Compare(fmt.Sprint(a["priority"] != nil), fmt.Sprint(b["priority"] != nil))
				})
			}
			return l
		})},
		{"no link to the next page", "HTTP-PAGE-002", answering(func(_ call, r *reply) { r.header.Del("Link") })},
		{"a page begins with the last of the page before", "HTTP-PAGE-003", func(next serving) serving {
			var lasts memory[map[string]any]
			return func(c call) reply {
				r, values := next(c), c.query()
				l := array(r.body)
				if !c.is("GET", "/problems/search") || len(l) == 0 {
					return r
				}
				key := values.Get("predicate") + values.Get("sort")
				if last, ok := lasts.get(key); ok && values.Has("cursor") {
					r.body = asJSON(append([]map[string]any{last}, l...))
				}
				lasts.put(key, l[len(l)-1])
				return r
			}
		}},
		{"an answer silently cut at 100", "HTTP-PAGE-004", found(func(_ call, l []map[string]any) []map[string]any { return l[:min(100, len(l))] })},
		{"GET /problems is not the whole problem", "HTTP-PAGE-005", list("/problems", func(l []map[string]any) []map[string]any {
			for _, o := range l {
				delete(o, "logs")
			}
			return l
		})},
		{"searches of metadata in the order of their list", "HTTP-PAGE-006", asked(func(values url.Values) {
			if strings.HasPrefix(values.Get("predicate"), "component.identifier") {
				values.Set("sort", "name")
			}
		})},
		{"a cursor is good for everybody", "HTTP-PAGE-007", func(next serving) serving {
			var owners memory[string]
			return func(c call) reply {
				if owner, ok := owners.get(c.query().Get("cursor")); ok && c.query().Has("cursor") {
					c.header.Set("Authorization", owner)
				}
				r := next(c)
				if _, link, ok := strings.Cut(r.header.Get("Link"), "cursor="); ok {
					cursor, _, _ := strings.Cut(strings.SplitN(link, ">", 2)[0], "&")
					owners.put(cursor, c.header.Get("Authorization"))
				}
				return r
			}
		}},
		{"a last page that was posted links to itself", "HTTP-PAGE-008", answering(func(c call, r *reply) {
			if c.is("POST", "/problems/search") && r.header.Get("Link") == "" {
				r.header.Set("Link", `</api/20151105/problems/search?cursor=x>; rel="next"`)
			}
		})},
	}
}
