package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// recordSaboteurs break comments, keywords, relationships, watchers and the log.
func recordSaboteurs() []saboteur {
	return slices.Concat(commentSaboteurs(), correctionSaboteurs(), keywordSaboteurs(), relationshipSaboteurs(), watcherSaboteurs(), logSaboteurs())
}

// commentSaboteurs break comments.
func commentSaboteurs() []saboteur {
	return []saboteur{
		{"comments trimmed", "HTTP-TEXT-008", comment(strings.TrimSpace)},
		{"JSON in a text read as JSON", "HTTP-W3-007", asking(func(c *call) {
			if c.is("POST", "/problems/*/comments") && object(c.body) != nil {
				c.header.Set("Content-Type", "application/json")
			}
		})},
		{"a page of comments skipped", "HTTP-R2-001", list("/problems/*/comments", func(l []map[string]any) []map[string]any {
			if len(l) < 4 {
				return l
			}
			return slices.Delete(l, 2, 3)
		})},
		{"a comment like the last one dropped", "HTTP-WALK-001", func(next serving) serving {
			var last memory[reply]
			return func(c call) reply {
				if !c.is("POST", "/problems/*/comments") {
					return next(c)
				}
				key := c.path() + " " + string(c.body)
				if known, ok := last.get(key); ok {
					return known
				}
				r := next(c)
				last.put(key, r)
				return r
			}
		}},
		{"the first 50 comments shown", "HTTP-R2-002", list("/problems/*/comments", first(50))},
		{"a comment that names nobody", "HTTP-W3-009", comment(func(text string) string { return strings.ReplaceAll(text, "@", "at ") })},
		{"a comment is cut at 65,535 bytes", "HTTP-W3-008", comment(func(text string) string { return text[:min(65_535, len(text))] })},
		{"html lost in the list", "HTTP-R2-003", list("/problems/*/comments", func(l []map[string]any) []map[string]any {
			for _, o := range l {
				o["html"] = nil
			}
			return l
		})},
		{"comments dated at the epoch", "HTTP-R2-004", dating("/problems/*/comments")},
	}
}

// correctionSaboteurs break edits and deletions of comments.
func correctionSaboteurs() []saboteur {
	edit := func(c call) bool { return c.is("PATCH", "/problems/*/comments/*") }
	deletion := func(c call) bool { return c.is("DELETE", "/problems/*/comments/*") }
	return []saboteur{
		{"an edited comment has no editor", "HTTP-EDIT-001", answering(func(c call, r *reply) {
			if o := object(r.body); edit(c) && o != nil {
				o["editor"] = nil
				r.body = asJSON(o)
			}
		})},
		{"html stays beside another text", "HTTP-EDIT-002", asking(func(c *call) {
			if o := object(c.body); edit(*c) && o["text"] != nil && o["html"] == nil {
				o["html"] = "<i>a</i>"
				c.body = asJSON(o)
			}
		})},
		{"anybody corrects comments", "HTTP-EDIT-003", administrator(func(c call) bool { return edit(c) || deletion(c) })},
		{"the log of an edit has no former text", "HTTP-EDIT-004", logs(func(l []any) []any {
			for _, e := range l {
				if from, ok := member(e, "from").(map[string]any); ok && member(e, "type") == "CommentEdited" {
					delete(from, "text")
				}
			}
			return l
		})},
		{"a deleted comment stays", "HTTP-EDIT-005", func(next serving) serving {
			return func(c call) reply {
				if deletion(c) {
					c.uri += "?dryRun=true"
				}
				return next(c)
			}
		}},
		{"comments of the past are those of today", "HTTP-EDIT-006", func(next serving) serving {
			return func(c call) reply {
				if values := c.query(); c.is("GET", "/problems/*/comments") {
					values.Del("asOf")
					c = c.with(values)
				}
				return next(c)
			}
		}},
		{"a dry correction corrects", "HTTP-EDIT-007", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if edit(c) && r.header.Get("Dry-Run") != "" {
					next(c.with(nil))
				}
				return r
			}
		}},
	}
}

// keywordSaboteurs break keywords.
func keywordSaboteurs() []saboteur {
	return []saboteur{
		{"an empty value does not replace another", "HTTP-WALK-001", answering(func(c call, r *reply) {
			o := object(r.body)
			if keywords, ok := o["keywords"].([]any); ok && r.status == 200 && len(keywords) > 1 {
				for _, k := range keywords {
					if member(k, "value") == "" {
						k.(map[string]any)["value"] = "x"
					}
				}
				r.body = asJSON(o)
			}
		})},
		{"a value that is null left out", "HTTP-W4-002", answering(func(c call, r *reply) {
			if o := object(r.body); strings.Contains(c.path(), "/keywords/") && r.status < 300 && o != nil && o["value"] == nil {
				delete(o, "value")
				r.body = asJSON(o)
			}
		})},
		{"PATCH of a keyword refused", "HTTP-W4-003", func(next serving) serving {
			return func(c call) reply {
				if c.is("PATCH", "/problems/*/keywords/*") {
					return fails(405, "method-not-allowed", "PUT is the method.")
				}
				return next(c)
			}
		}},
		{"names decoded twice", "HTTP-W4-005", asking(func(c *call) {
			if !strings.Contains(c.path(), "/keywords/") {
				return
			}
			before, name, _ := strings.Cut(c.uri, "/keywords/")
			once, err := url.PathUnescape(name)
			if twice, again := url.PathUnescape(once); err == nil && again == nil && twice != once {
				c.uri = before + "/keywords/" + url.PathEscape(twice)
			}
		})},
		{"keywords sorted without letter case", "HTTP-W4-010", answering(func(c call, r *reply) {
			o := object(r.body)
			keywords, ok := o["keywords"].([]any)
			if !ok {
				return
			}
			slices.SortFunc(keywords, func(a, b any) int {
				return strings.Compare(strings.ToLower(fmt.Sprint(member(a, "name"))), strings.ToLower(fmt.Sprint(member(b, "name"))))
			})
			r.body = asJSON(o)
		})},
		{"200 with a body for a deletion", "HTTP-W5-001", answering(func(c call, r *reply) {
			if r.status == 204 && c.method == "DELETE" {
				r.status, r.body = 200, []byte(`{}`)
				r.header.Set("Content-Type", "application/json")
			}
		})},
		{"a value is cut at 1,000 characters", "HTTP-W4-012", asking(func(c *call) {
			var value string
			if c.is("PUT", "/problems/*/keywords/*") && json.Unmarshal(c.body, &value) == nil {
				c.body = asJSON(cut(value, 1000))
			}
		})},
	}
}

// relationshipSaboteurs break relationships.
func relationshipSaboteurs() []saboteur {
	return []saboteur{
		{"no mirror", "HTTP-W6-002", func(next serving) serving {
			var added memory[bool]
			return func(c call) reply {
				r := next(c)
				if c.is("PUT", "/problems/*/relationships") && r.status < 300 {
					added.put(c.path()+" "+other(object(c.body)), true)
				}
				if c.is("GET", "/problems/*/relationships") && r.status == 200 {
					r.body = asJSON(slices.DeleteFunc(array(r.body), func(o map[string]any) bool {
						_, ok := added.get(c.path() + " " + other(o))
						return !ok
					}))
				}
				return r
			}
		}},
		{"a type changed in place", "HTTP-W6-004", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if c.method != "PUT" || r.kind() != "relationship-conflict" {
					return r
				}
				for _, o := range array(next(call{c.ctx, "GET", c.uri, c.header, nil}).body) {
					if other(o) == other(object(c.body)) {
						next(call{c.ctx, "DELETE", c.uri, c.header, asJSON(map[string]any{"type": o["type"], "problemIdentifier": o["problemIdentifier"]})})
					}
				}
				return next(c)
			}
		}},
		{"cycles accepted", "HTTP-CYCLE-001", answering(func(c call, r *reply) {
			if r.kind() == "relationship-cycle" {
				r.status, r.body = 201, c.body
				r.header.Set("Content-Type", "application/json")
			}
		})},
		{"the body of a DELETE dropped", "HTTP-W7-001", asking(func(c *call) {
			if c.method == "DELETE" {
				c.body = nil
			}
		})},
		{"relationships by identifier", "HTTP-R3-001", list("/problems/*/relationships", func(l []map[string]any) []map[string]any {
			slices.SortStableFunc(l, func(a, b map[string]any) int { return strings.Compare(other(a), other(b)) })
			return l
		})},
		{"the first 20 relationships shown", "HTTP-R3-003", list("/problems/*/relationships", first(20))},
		{"relationships dated at the epoch", "HTTP-R3-005", dating("/problems/*/relationships")},
		{"relationships dated at the epoch in the list alone", "HTTP-R3-004", list("/problems/*/relationships", func(l []map[string]any) []map[string]any {
			for _, o := range l {
				o["creationDate"] = epoch
			}
			return l
		})},
	}
}

// watcherSaboteurs break watchers.
func watcherSaboteurs() []saboteur {
	return []saboteur{
		{"a watcher added twice is new twice", "HTTP-W8-003", answering(func(c call, r *reply) {
			if c.is("PUT", "/problems/*/watchers") && r.status == 200 {
				r.status = 201
			}
		})},
		{"watchers in reverse", "HTTP-R4-001", list("/problems/*/watchers", reversed)},
		{"a watcher shown in part", "HTTP-W8-001", list("/problems/*/watchers", func(l []map[string]any) []map[string]any {
			for _, o := range l {
				delete(o, "email")
			}
			return l
		})},
		{"a watcher can be removed", "HTTP-W8-007", answering(func(c call, r *reply) {
			if c.is("DELETE", "/problems/*/watchers") {
				r.status, r.body = 204, nil
			}
		})},
		{"the first 20 watchers shown", "HTTP-R4-002", list("/problems/*/watchers", first(20))},
		{"watchers with the e-mail address that they had", "HTTP-USER-011", func(next serving) serving {
			var old memory[any]
			return func(c call) reply {
				r := next(c)
				if o := object(r.body); c.is("POST", "/users") && r.status == 201 {
					old.put(fmt.Sprint(o["identifier"]), o["email"])
				}
				if c.is("GET", "/problems/*/watchers") && r.status == 200 {
					l := array(r.body)
					for _, o := range l {
						if email, ok := old.get(fmt.Sprint(o["identifier"])); ok {
							o["email"] = email
						}
					}
					r.body = asJSON(l)
				}
				return r
			}
		}},
	}
}

// logSaboteurs break the log.
func logSaboteurs() []saboteur {
	return []saboteur{
		{"a log entry lost", "HTTP-LOG-005", logs(func(l []any) []any {
			return slices.DeleteFunc(l, func(e any) bool { return member(e, "type") == "KeywordDeleted" })
		})},
		{"the log newest first", "HTTP-LOG-008", logs(func(l []any) []any { slices.Reverse(l); return l })},
		{"a batch split", "HTTP-LOG-003", logs(func(l []any) []any {
			for i, e := range l {
				e.(map[string]any)["batchIdentifier"] = fmt.Sprint(i)
			}
			return l
		})},
		{"the originator named for what others did", "HTTP-LOG-011", loaded(func(o map[string]any) {
			entries(o, func(e map[string]any) {
				if e["type"] != "FieldChanged" {
					e["author"] = map[string]any{"identifier": member(o["originator"], "identifier"), "name": member(o["originator"], "name")}
				}
			})
		})},
		{"a log that does not say what was before", "HTTP-LOG-012", loaded(func(o map[string]any) {
			entries(o, func(e map[string]any) {
				if e["field"] == "priority" || e["field"] == "classification" {
					e["from"] = nil
				}
			})
		})},
		{"one batch for all requests", "HTTP-LOG-013", loaded(func(o map[string]any) {
			entries(o, func(e map[string]any) {
				if e["type"] != "ProblemCreated" && e["type"] != "FieldChanged" {
					e["batchIdentifier"] = "01a1f950-cffd-73e6-85bd-98081ce50f0b"
				}
			})
		})},
		{"what was deleted told as the value before", "HTTP-LOG-014", loaded(func(o map[string]any) {
			last := map[any]any{}
			entries(o, func(e map[string]any) {
				if e["type"] == "KeywordSet" {
					if e["from"] == nil {
						e["from"] = last[e["field"]]
					}
					last[e["field"]] = e["to"]
				}
			})
		})},
		{"ProblemCreated lacks the assignee and the classification", "HTTP-LOG-015", loaded(func(o map[string]any) {
			entries(o, func(e map[string]any) {
				if to, ok := e["to"].(map[string]any); ok && e["type"] == "ProblemCreated" {
					delete(to, "assignee")
					delete(to, "classification")
				}
			})
		})},
	}
}

// comment changes the text of comments before they are stored.
func comment(change func(string) string) func(serving) serving {
	return asking(func(c *call) {
		if c.is("POST", "/problems/*/comments") && strings.HasPrefix(c.header.Get("Content-Type"), "text/plain") {
			if text := change(string(c.body)); text != "" {
				c.body = []byte(text)
			}
		}
	})
}

// list changes the array that a GET returns.
func list(form string, change func([]map[string]any) []map[string]any) func(serving) serving {
	return answering(func(c call, r *reply) {
		if c.is("GET", form) && r.status == 200 {
			r.body = asJSON(change(array(r.body)))
		}
	})
}

func reversed(l []map[string]any) []map[string]any {
	slices.Reverse(l)
	return l
}

// logs changes the log in every problem.
func logs(change func([]any) []any) func(serving) serving {
	return answering(func(_ call, r *reply) {
		o := object(r.body)
		if l, ok := o["logs"].([]any); ok {
			o["logs"] = change(l)
			r.body = asJSON(o)
		}
	})
}

// member returns a member of a JSON object.
func member(value any, name string) any {
	o, _ := value.(map[string]any)
	return o[name]
}

// other returns the number of a relationship's other problem.
func other(o map[string]any) string {
	number, _ := o["problemIdentifier"].(json.Number)
	return string(number)
}

// epoch is the time that a date has which nobody has set.
const epoch = "1970-01-01T00:00:00.000Z"

// dating gives the epoch as the date of everything below a path.
func dating(form string) func(serving) serving {
	return answering(func(c call, r *reply) {
		if r.status >= 300 || !c.is(c.method, form) {
			return
		}
		if o := object(r.body); o != nil {
			o["creationDate"] = epoch
			r.body = asJSON(o)
		} else if l := array(r.body); l != nil {
			for _, o := range l {
				o["creationDate"] = epoch
			}
			r.body = asJSON(l)
		}
	})
}

// first cuts a list.
func first(n int) func([]map[string]any) []map[string]any {
	return func(l []map[string]any) []map[string]any { return l[:min(n, len(l))] }
}

// entries changes each entry of a problem's log.
func entries(o map[string]any, change func(e map[string]any)) {
	l, _ := o["logs"].([]any)
	for _, e := range l {
		if e, ok := e.(map[string]any); ok {
			change(e)
		}
	}
}
