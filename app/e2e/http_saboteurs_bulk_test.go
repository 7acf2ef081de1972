package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// previewed returns a call that changes many problems as a dry run of it, and what
// that has answered.
func previewed(next serving, c call) (url.Values, map[string]any) {
	values := c.query()
	values.Del("preview")
	values.Set("dryRun", "true")
	shown := object(next(c.with(values)).body)
	values.Del("dryRun")
	return values, shown
}

// onceMore changes many problems whatever has moved since a preview.
func onceMore(next serving, c call) reply {
	values, shown := previewed(next, c)
	values.Set("preview", fmt.Sprint(shown["preview"]))
	return next(c.with(values))
}

// oneByOne changes the problems that a dry run shows, each for itself.
func oneByOne(next serving, c call, shown map[string]any) {
	changes, _ := shown["changes"].([]any)
	for _, change := range changes {
		o, _ := change.(map[string]any)
		next(call{c.ctx, "PATCH", fmt.Sprintf("/api/20151105/problems/%v", o["identifier"]), c.header.Clone(), c.body})
	}
}

// bulkSaboteurs break the change of many problems.
func bulkSaboteurs() []saboteur {
	many := func(c call) bool { return c.is("PATCH", "/problems") }
	dry := func(c call) bool { return c.query().Get("dryRun") == "true" }
	return []saboteur{
		{"a dry run changes all", "HTTP-BULK-001", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if many(c) && dry(c) && r.status == http.StatusOK {
					onceMore(next, c)
				}
				return r
			}
		}},
		{"a batch for each of many problems", "HTTP-BULK-002", func(next serving) serving {
			return func(c call) reply {
				if !many(c) || dry(c) || !c.query().Has("preview") {
					return next(c)
				}
				_, shown := previewed(next, c)
				oneByOne(next, c, shown)
				shown["preview"] = nil
				r := fails(200, "", "")
				r.header.Set("Content-Type", "application/json")
				r.body = asJSON(shown)
				return r
			}
		}},
		{"no preview needed", "HTTP-BULK-003", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if many(c) && r.kind() == "preview-required" {
					return onceMore(next, c)
				}
				return r
			}
		}},
		{"what has moved since a preview is not noticed", "HTTP-BULK-004", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if many(c) && r.status == http.StatusPreconditionFailed {
					return onceMore(next, c)
				}
				return r
			}
		}},
		{"all are changed but those that refuse", "HTTP-BULK-005", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if many(c) && r.status == http.StatusConflict {
					_, shown := previewed(next, c)
					oneByOne(next, c, shown)
				}
				return r
			}
		}},
		{"a preview is good for any patch", "HTTP-BULK-006", func(next serving) serving {
			var patches memory[[]byte]
			return func(c call) reply {
				if body, ok := patches.get(c.query().Get("preview")); many(c) && ok {
					c.body = body
				}
				r := next(c)
				if preview, ok := object(r.body)["preview"].(string); ok {
					patches.put(preview, c.body)
				}
				return r
			}
		}},
		{"many problems are changed with the scope read", "HTTP-BULK-007", administrator(many)},
		{"null in a change of many is overlooked", "HTTP-BULK-008", asking(func(c *call) {
			if o := object(c.body); many(*c) && o != nil {
				for name, value := range o {
					if value == nil {
						delete(o, name)
					}
				}
				c.body = asJSON(o)
			}
		})},
	}
}

// undoSaboteurs break the undo of batches.
func undoSaboteurs() []saboteur {
	undo := func(c call) bool { return c.is("POST", "/problems/*/batches/*/undo") }
	problemOf := func(c call) string { return strings.Split(c.uri, "/batches/")[0] }
	// after does something after an undo, with what has gone back and what has stayed.
	after := func(do func(next serving, c call, done map[string]any)) func(serving) serving {
		return func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if o := object(r.body); undo(c) && r.status == http.StatusOK && o["preview"] == nil {
					do(next, c, o)
				}
				return r
			}
		}
	}
	return []saboteur{
		{"a dry run undoes", "HTTP-UNDO-001", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if undo(c) && r.status == http.StatusOK && c.query().Get("dryRun") == "true" {
					onceMore(next, c)
				}
				return r
			}
		}},
		{"what has moved on goes back", "HTTP-UNDO-002", after(func(next serving, c call, done map[string]any) {
			stays, _ := done["stays"].([]any)
			for _, e := range stays {
				if member(e, "reason") == "moved-on" {
					next(call{c.ctx, "PATCH", problemOf(c), c.header.Clone(), asJSON(map[string]any{fmt.Sprint(member(e, "field")): member(e, "from")})})
				}
			}
		})},
		{"an undo deletes keywords", "HTTP-UNDO-003", after(func(next serving, c call, _ map[string]any) {
			next(call{c.ctx, "DELETE", problemOf(c) + "/keywords/k", c.header.Clone(), nil})
		})},
		{"an undo corrects comments of anybody", "HTTP-UNDO-004", administrator(undo)},
		{"no preview needed for an undo", "HTTP-UNDO-005", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if undo(c) && r.kind() == "preview-required" {
					return onceMore(next, c)
				}
				return r
			}
		}},
		{"what does not refuse an undo goes back", "HTTP-UNDO-006", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if undo(c) && r.kind() == "invalid-value" {
					c.body = []byte(`{"scope":"here"}`)
					onceMore(next, c)
				}
				return r
			}
		}},
	}
}

// auditEntries changes those of the audit log.
func auditEntries(change func(l []map[string]any) []map[string]any) func(serving) serving {
	return list("/audit", change)
}

// auditSaboteurs break the audit log.
func auditSaboteurs() []saboteur {
	blank := func(member string) func(serving) serving {
		return auditEntries(func(l []map[string]any) []map[string]any {
			for _, e := range l {
				e[member] = nil
			}
			return l
		})
	}
	without := func(kind string) func(serving) serving {
		return auditEntries(func(l []map[string]any) []map[string]any {
			return slices.DeleteFunc(l, func(e map[string]any) bool { return e["kind"] == kind })
		})
	}
	return []saboteur{
		{"everybody reads the audit log", "HTTP-AUDIT-001", administrator(func(c call) bool { return c.is("GET", "/audit") })},
		{"the audit log without from", "HTTP-AUDIT-002", blank("from")},
		{"states are not audited", "HTTP-AUDIT-003", without("state")},
		{"every write is audited, whatever came of it", "HTTP-AUDIT-004", func(next serving) serving {
			var tried memory[int]
			return func(c call) reply {
				r := next(c)
				if id, ok := strings.CutPrefix(c.path(), "/milestones/"); ok && c.method == http.MethodPatch {
					n, _ := tried.get(id)
					tried.put(id, n+1)
				}
				l := array(r.body)
				if !c.is("GET", "/audit") || r.status != http.StatusOK {
					return r
				}
				for _, e := range slices.Clone(l) {
					o, _ := e["object"].(map[string]any)
					if n, _ := tried.get(fmt.Sprint(o["identifier"])); n > 0 && e["type"] == "Created" {
						l = append(l, e)
					}
				}
				r.body = asJSON(l)
				return r
			}
		}},
		{"the audit log has the beginning of a token", "HTTP-AUDIT-005", func(next serving) serving {
			var last memory[string]
			return func(c call) reply {
				r := next(c)
				if token, ok := object(r.body)["token"].(string); ok && c.is("POST", "/tokens") {
					last.put(fmt.Sprint(object(r.body)["identifier"]), token[:24])
				}
				if l := array(r.body); c.is("GET", "/audit") && r.status == http.StatusOK {
					for _, e := range l {
						object, _ := e["object"].(map[string]any)
						if begin, ok := last.get(fmt.Sprint(object["identifier"])); ok && e["type"] == "Created" {
							to, _ := e["to"].(map[string]any)
							to["begins"] = begin
						}
					}
					r.body = asJSON(l)
				}
				return r
			}
		}},
		{"the newest of the audit log first", "HTTP-AUDIT-006", auditEntries(func(l []map[string]any) []map[string]any {
			slices.Reverse(l)
			return l
		})},
	}
}
