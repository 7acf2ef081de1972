package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// pretends answers an error of the kind as if there were none, with what is at the
// path as it is.
func pretends(kind, method, form string, status int) func(serving) serving {
	return func(next serving) serving {
		return func(c call) reply {
			r := next(c)
			if !c.is(method, form) || r.kind() != kind {
				return r
			}
			r = next(call{c.ctx, "GET", "/api/20151105" + c.path(), http.Header{"Authorization": c.header["Authorization"]}, nil})
			r.status = status
			return r
		}
	}
}

// metadataSaboteurs break lists of metadata, components and states.
func metadataSaboteurs() []saboteur {
	return slices.Concat(listSaboteurs(), componentSaboteurs())
}

// listSaboteurs break lists of metadata.
func listSaboteurs() []saboteur {
	return []saboteur{
		{"milestones without dates", "HTTP-LIST-001", list("/milestones", func(l []map[string]any) []map[string]any {
			for _, o := range l {
				delete(o, "startDate")
			}
			return l
		})},
		{"a single component is shorter than in its list", "HTTP-LIST-002", answering(func(c call, r *reply) {
			if o := object(r.body); c.is("GET", "/components/*") && r.status == http.StatusOK {
				o["parent"] = nil
				r.body = asJSON(o)
			}
		})},
		{"priorities by name", "HTTP-LIST-003", list("/priorities", func(l []map[string]any) []map[string]any {
			slices.SortFunc(l, func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a["name"]), fmt.Sprint(b["name"])) })
			return l
		})},
		{"the state as it is listed is refused", "HTTP-LIST-004", func(next serving) serving {
			return func(c call) reply {
				if state, _ := object(c.body)["state"].(map[string]any); c.is("PATCH", "/problems/*") && state["nextStates"] != nil {
					return fails(422, "unknown-field", "A partial state has a name.")
				}
				return next(c)
			}
		}},
		{"a milestone needs dates", "HTTP-LIST-005", func(next serving) serving {
			return func(c call) reply {
				if o := object(c.body); c.is("POST", "/milestones") && o["endDate"] == nil {
					return fails(422, "required-field", "A milestone needs an endDate.")
				}
				return next(c)
			}
		}},
		{"a problem keeps the name that its milestone had", "HTTP-LIST-006", func(next serving) serving {
			var names memory[any]
			return func(c call) reply {
				r := next(c)
				o := object(r.body)
				milestone, ok := o["milestone"].(map[string]any)
				if !ok {
					return r
				}
				id := fmt.Sprint(milestone["identifier"])
				if name, known := names.get(id); known {
					milestone["name"] = name
					r.body = asJSON(o)
				} else {
					names.put(id, milestone["name"])
				}
				return r
			}
		}},
		{"the ETag of a list does not move", "HTTP-LIST-007", func(next serving) serving {
			return func(c call) reply {
				if !c.is("GET", "/states") {
					return next(c)
				}
				if c.header.Get("If-None-Match") == `"states"` {
					r := fails(304, "", "")
					r.body = nil
					return r
				}
				r := next(c)
				r.header.Set("ETag", `"states"`)
				return r
			}
		}},
		{"an identifier in a PATCH is overlooked", "HTTP-LIST-008", asking(func(c *call) {
			if o := object(c.body); c.is("PATCH", "/states/*") && o != nil {
				delete(o, "identifier")
				c.body = asJSON(o)
			}
		})},
		{"names in another letter case overlooked", "HTTP-LIST-009", asking(func(c *call) {
			if o := object(c.body); c.is("POST", "/priorities") && o["Name"] != nil {
				delete(o, "Name")
				c.body = asJSON(o)
			}
		})},
		{"a name that is taken gets a number", "HTTP-LIST-010", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if o := object(c.body); c.is("POST", "/milestones") && r.kind() == "already-exists" {
					o["name"] = fmt.Sprint(o["name"], " 2")
					c.body = asJSON(o)
					return next(c)
				}
				return r
			}
		}},
		{"whoever writes can rename metadata", "HTTP-LIST-011", administrator(func(c call) bool { return c.is("PATCH", "/classifications/*") })},
		{"a dry run makes a milestone", "HTTP-LIST-012", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if c.is("POST", "/milestones") && c.query().Get("dryRun") == "true" && r.status == http.StatusCreated {
					next(c.with(nil))
				}
				return r
			}
		}},
	}
}

// componentSaboteurs break components and states.
func componentSaboteurs() []saboteur {
	return []saboteur{
		{"fullName stays as it was at first", "HTTP-COMP-001", func(next serving) serving {
			var names memory[any]
			return func(c call) reply {
				r := next(c)
				if o := object(r.body); c.is("GET", "/components/*") && r.status == http.StatusOK {
					if name, known := names.get(c.path()); known {
						o["fullName"] = name
						r.body = asJSON(o)
					} else {
						names.put(c.path(), o["fullName"])
					}
				}
				return r
			}
		}},
		{"cycles of components unchecked", "HTTP-COMP-002", pretends("metadata-cycle", "PATCH", "/components/*", http.StatusOK)},
		{"a closed component is left out", "HTTP-COMP-003", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if o := object(c.body); r.kind() == "invalid-value" && c.is("PATCH", "/problems/*") && o["component"] != nil {
					delete(o, "component")
					c.body = asJSON(o)
					return next(c)
				}
				return r
			}
		}},
		{"full names of moved components unchecked", "HTTP-COMP-005", pretends("invalid-value", "PATCH", "/components/*", http.StatusOK)},
		{"nextStates from a cache", "HTTP-STATES-001", pretends("transition-not-allowed", "PATCH", "/problems/*", http.StatusOK)},
		{"resolved of a state in use unchecked", "HTTP-STATES-002", pretends("in-use", "PATCH", "/states/*", http.StatusOK)},
	}
}

// pastly answers some part of a problem's past with that of today.
func pastly(form string, members ...string) func(serving) serving {
	return func(next serving) serving {
		return func(c call) reply {
			r := next(c)
			if !c.is("GET", form) || !c.query().Has("asOf") || r.status != http.StatusOK {
				return r
			}
			today := next(c.with(nil))
			if len(members) == 0 {
				return today
			}
			o, now := object(r.body), object(today.body)
			for _, name := range members {
				o[name] = now[name]
			}
			r.body = asJSON(o)
			return r
		}
	}
}

// atTime changes the parameter asOf.
func atTime(change func(at string) string) func(serving) serving {
	return asking(func(c *call) {
		if values := c.query(); values.Has("asOf") {
			values.Set("asOf", change(values.Get("asOf")))
			*c = c.with(values)
		}
	})
}

// pastSaboteurs break how problems are shown as they stood.
func pastSaboteurs() []saboteur {
	return []saboteur{
		{"asOf shows today's title", "HTTP-ASOF-001", pastly("/problems/*", "title")},
		{"asOf shows today's keywords", "HTTP-ASOF-002", pastly("/problems/*", "keywords")},
		{"asOf shows today's relationships", "HTTP-ASOF-003", pastly("/problems/*/relationships")},
		{"asOf shows today's comments", "HTTP-ASOF-004", pastly("/problems/*/comments")},
		{"asOf shows today's marks", "HTTP-ASOF-005", pastly("/problems/*", "read", "watching", "readByAssignee")},
		{"before its creation a problem is as it was created", "HTTP-ASOF-006", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if c.query().Has("asOf") && r.status == http.StatusNotFound && !strings.Contains(c.path(), "999999999999") {
					return next(c.with(url.Values{"asOf": {"1"}}))
				}
				return r
			}
		}},
		{"asOf shows what was before a time", "HTTP-ASOF-007", atTime(func(at string) string {
			if t, err := time.Parse(time.RFC3339, at); err == nil {
				return t.Add(-time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z")
			}
			return at
		})},
		{"asOf shows the names of then", "HTTP-ASOF-008", answering(func(c call, r *reply) {
			o := object(r.body)
			logs, _ := o["logs"].([]any)
			if originator, _ := o["originator"].(map[string]any); c.is("GET", "/problems/*") && c.query().Has("asOf") && len(logs) > 0 && originator != nil {
				first, _ := logs[0].(map[string]any)
				author, _ := first["author"].(map[string]any)
				originator["name"] = fmt.Sprint(author["name"], ", then")
				r.body = asJSON(o)
			}
		})},
	}
}
