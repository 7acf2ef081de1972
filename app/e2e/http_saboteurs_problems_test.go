package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// problemSaboteurs break how problems are made, changed and read.
func problemSaboteurs() []saboteur {
	return slices.Concat(creationSaboteurs(), changeSaboteurs(), flagSaboteurs(), readSaboteurs(), textSaboteurs())
}

// creationSaboteurs break the creation of problems.
func creationSaboteurs() []saboteur {
	return []saboteur{
		{"200 instead of 201", "HTTP-W1-002", answering(func(c call, r *reply) {
			if c.is("POST", "/problems") && r.status == 201 {
				r.status = 200
			}
		})},
		{"Location leads to another host", "HTTP-W1-001", answering(func(_ call, r *reply) {
			if location := r.header.Get("Location"); location != "" {
				r.header.Set("Location", "http://internal:8080"+location)
			}
		})},
		{"unknown members accepted", "HTTP-W1-012", rewriting(func(o map[string]any) {
			for _, name := range []string{"colour", "a/b~c", "Title", "relationships", "comments", "watchers"} {
				delete(o, name)
			}
		}, "POST", "PATCH")},
		{"the keywords of a new problem dropped", "HTTP-W1-018", rewriting(func(o map[string]any) { delete(o, "keywords") }, "POST")},
		{"what is ignored not named", "HTTP-W1-020", answering(func(_ call, r *reply) { r.header.Del("Ignored-Members") })},
		{"a missing title is made up", "HTTP-W1-006", rewriting(func(o map[string]any) {
			if o["title"] == nil {
				o["title"] = "Untitled"
			}
		}, "POST")},
		{"two problems have one number", "HTTP-RACE-006", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if o := object(r.body); c.is("POST", "/problems") && r.status == 201 && o["title"] == "x" {
					o["identifier"] = json.Number("7")
					r.body = asJSON(o)
				}
				return r
			}
		}},
		{"numbers go down", "HTTP-W1-005", answering(func(c call, r *reply) {
			o := object(r.body)
			if !c.is("POST", "/problems") || r.status != 201 {
				return
			}
			number, _ := o["identifier"].(json.Number).Int64()
			o["identifier"] = 1_000_000 - number
			r.body = asJSON(o)
		})},
		{"only the first fault of a body is told", "HTTP-W1-013", answering(func(_ call, r *reply) {
			o := object(r.body)
			if list, ok := o["errors"].([]any); ok && len(list) > 1 {
				o["errors"] = slices.Clip(list[:1])
				r.body = asJSON(o)
			}
		})},
		{"a title is cut at 256 characters", "HTTP-W1-017", rewriting(func(o map[string]any) {
			if title, ok := o["title"].(string); ok {
				o["title"] = cut(title, 255)
			}
		}, "POST", "PATCH")},
	}
}

// changeSaboteurs break changes of problems, and the objects that they name.
func changeSaboteurs() []saboteur {
	return []saboteur{
		{"what was sent back as it was read named as ignored", "HTTP-W2-018", answering(func(c call, r *reply) {
			if o := object(c.body); c.is("PATCH", "/problems/*") && o["logs"] != nil {
				r.header.Set("Ignored-Members", "logs")
			}
		})},
		{"null taken for absent", "HTTP-W2-002", rewriting(func(o map[string]any) {
			for name, value := range o {
				if value == nil {
					delete(o, name)
				}
			}
		}, "PATCH")},
		{"the revision in a body ignored", "HTTP-W2-009", rewriting(func(o map[string]any) { delete(o, "revision") }, "PATCH")},
		{"a partial object means the first that fits", "HTTP-META-004", rewriting(func(o map[string]any) {
			if p, ok := o["priority"].(map[string]any); ok && len(p) == 0 {
				p["name"] = "Urgent"
			}
		}, "POST", "PATCH")},
		{"a partial object that fits none is left out", "HTTP-META-014", rewriting(func(o map[string]any) {
			if p, ok := o["priority"].(map[string]any); ok && p["name"] == "Nope" {
				delete(o, "priority")
			}
		}, "POST", "PATCH")},
		{"e-mail addresses compared with letter case", "HTTP-META-010", rewriting(func(o map[string]any) {
			if a, ok := o["assignee"].(map[string]any); ok {
				if email, _ := a["email"].(string); strings.HasPrefix(email, "USER") {
					a["email"] = "x" + email
				}
			}
		}, "POST", "PATCH")},
		{"an ASCII form is a domain of its own", "HTTP-USER-014", asking(func(c *call) {
			c.body = bytes.ReplaceAll(c.body, []byte("@mail.xn--"), []byte("@mail.x.xn--"))
		})},
		{"transitions unchecked", "HTTP-STATE-001", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if !c.is("PATCH", "/problems/*") || r.kind() != "transition-not-allowed" {
					return r
				}
				detour := c
				detour.header, detour.body = c.header.Clone(), []byte(`{"state":{"name":"Open"}}`)
				next(detour)
				return next(c)
			}
		}},
		{"who resolved it is forgotten", "HTTP-STATE-005", answering(func(_ call, r *reply) {
			if o := object(r.body); o != nil && o["resolver"] != nil {
				o["resolver"] = nil
				r.body = asJSON(o)
			}
		})},
		{"fields written back that were read before", "HTTP-RACE-010", func(next serving) serving {
			return func(c call) reply {
				o := object(c.body)
				if !c.is("PATCH", "/problems/*") || o == nil {
					return next(c)
				}
				now := object(next(call{c.ctx, "GET", c.uri, http.Header{"Authorization": c.header["Authorization"]}, nil}).body)
				// What a slow decision would take, so that the others
				// have read as well.
				time.Sleep(time.Second)
				for _, name := range []string{"title", "priority", "classification", "assignee"} {
					if _, given := o[name]; !given {
						o[name] = now[name]
					}
				}
				c.body = asJSON(o)
				return next(c)
			}
		}},
	}
}

// flagSaboteurs break the flags of problems: read, watching and readByAssignee.
func flagSaboteurs() []saboteur {
	return []saboteur{
		{"reading sets read", "HTTP-FLAG-001", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if c.is("GET", "/problems/*") && r.status == 200 {
					mark := call{c.ctx, "PATCH", c.uri, c.header.Clone(), []byte(`{"read":true}`)}
					mark.header.Set("Content-Type", "application/json")
					next(mark)
				}
				return r
			}
		}},
		{"one user's watching shown to others", "HTTP-FLAG-006", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if o := object(r.body); c.is("GET", "/problems/*") && r.status == 200 {
					watchers := next(call{c.ctx, "GET", c.uri + "/watchers", c.header.Clone(), nil})
					o["watching"] = len(array(watchers.body)) > 0
					r.body = asJSON(o)
				}
				return r
			}
		}},
		{"a change by somebody else leaves read as it was", "HTTP-FLAG-004", answering(func(c call, r *reply) {
			if o := object(r.body); c.is("GET", "/problems/*") && r.status == 200 {
				o["read"] = true
				r.body = asJSON(o)
			}
		})},
		{"readByAssignee without an assignee", "HTTP-FLAG-007", answering(func(_ call, r *reply) {
			if o := object(r.body); o != nil && o["readByAssignee"] != nil && o["assignee"] == nil {
				o["readByAssignee"] = true
				r.body = asJSON(o)
			}
		})},
		{"a change of nothing turns read off", "HTTP-R1-011", func(next serving) serving {
			var unread memory[string]
			return func(c call) reply {
				r := next(c)
				o, who := object(r.body), c.header.Get("Authorization")
				if l, ok := o["logs"].([]any); ok && c.is("PATCH", "/problems/*") && len(l) == 0 && object(c.body)["read"] == nil {
					unread.put(c.path(), who)
				}
				if other, ok := unread.get(c.path()); ok && c.is("GET", "/problems/*") && other != who {
					o["read"] = false
					r.body = asJSON(o)
				}
				return r
			}
		}},
	}
}

// readSaboteurs break reads of problems.
func readSaboteurs() []saboteur {
	return []saboteur{
		{"relationships inside a problem", "HTTP-R1-003", answering(func(c call, r *reply) {
			if o := object(r.body); c.is("GET", "/problems/*") && r.status == 200 {
				o["relationships"] = []any{}
				r.body = asJSON(o)
			}
		})},
		{"reads are a second old", "HTTP-R1-008", func(next serving) serving {
			type read struct {
				reply
				at time.Time
			}
			var cache memory[read]
			return func(c call) reply {
				if c.method != http.MethodGet {
					return next(c)
				}
				key := c.uri + " " + c.header.Get("Authorization")
				if known, ok := cache.get(key); ok && time.Since(known.at) < time.Second {
					return known.reply
				}
				r := next(c)
				cache.put(key, read{r, time.Now()})
				return r
			}
		}},
		{"the newest 50 entries of a log shown", "HTTP-R1-009", logs(func(l []any) []any { return l[max(0, len(l)-50):] })},
		{"the date of the latest change not moved", "HTTP-R1-010", loaded(func(o map[string]any) { o["modificationDate"] = o["creationDate"] })},
	}
}

// textSaboteurs break JSON and texts.
func textSaboteurs() []saboteur {
	return []saboteur{
		{"the order of a map shows", "HTTP-JSON-009", answering(func(c call, r *reply) {
			o := object(r.body)
			if !c.is("GET", "/problems/*") || r.status != 200 {
				return
			}
			var members []string
			for name, value := range o {
				members = append(members, fmt.Sprintf("%s:%s", asJSON(name), asJSON(value)))
			}
			rand.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			r.body = []byte("{" + strings.Join(members, ",") + "}")
		})},
		{"duplicate members accepted", "HTTP-JSON-001", asking(func(c *call) {
			if o := object(c.body); o != nil && json.Valid(c.body) && strings.Contains(string(c.body), `"title":"x","title"`) {
				c.body = asJSON(o)
			}
		})},
		{"U+0000 accepted", "HTTP-JSON-004", asking(func(c *call) {
			c.body = []byte(strings.ReplaceAll(string(c.body), `\u0000`, ""))
		})},
		{"1.0 taken for an integer", "HTTP-JSON-007", asking(func(c *call) {
			c.body = []byte(strings.Replace(string(c.body), `"revision":1.0`, `"revision":1`, 1))
		})},
		{"a title is cut at 255 characters", "HTTP-TEXT-003", rewriting(func(o map[string]any) {
			if title, ok := o["title"].(string); ok && len(title) > 1000 {
				o["title"] = strings.Repeat("x", 255)
			}
		}, "POST")},
		{"a title that nobody sees is taken", "HTTP-TEXT-009", rewriting(func(o map[string]any) {
			if o["title"] == "\u3164" {
				o["title"] = "x"
			}
		}, "POST")},
		{"text is escaped for HTML", "HTTP-TEXT-006", rewriting(func(o map[string]any) {
			if title, ok := o["title"].(string); ok {
				o["title"] = strings.ReplaceAll(title, "<", "&lt;")
			}
		}, "POST", "PATCH")},
	}
}

// loaded changes the problem that R1 returns.
func loaded(change func(o map[string]any)) func(serving) serving {
	return answering(func(c call, r *reply) {
		if o := object(r.body); c.is("GET", "/problems/*") && r.status == http.StatusOK && o != nil {
			change(o)
			r.body = asJSON(o)
		}
	})
}

// cut returns the first n characters of a text.
func cut(text string, n int) string {
	characters := []rune(text)
	return string(characters[:min(n, len(characters))])
}
