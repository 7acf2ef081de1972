package e2e

import (
	"net/http"
	"slices"
	"strings"
)

// webhookSaboteurs break webhooks, and the choice of e-mail.
func webhookSaboteurs() []saboteur {
	return []saboteur{
		{"the secret of a webhook in the list", "HTTP-HOOK-001", func(next serving) serving {
			var made memory[any]
			return func(c call) reply {
				r := next(c)
				if c.is("POST", "/webhooks") && r.status == http.StatusCreated {
					made.put("", object(r.body)["secret"])
				}
				if all := array(r.body); c.is("GET", "/webhooks") && len(all) > 0 {
					all[0]["secret"], _ = made.get("")
					r.body = asJSON(all)
				}
				return r
			}
		}},
		{"the same secret after a rotation", "HTTP-HOOK-001", func(next serving) serving {
			var made memory[any]
			return func(c call) reply {
				r := next(c)
				if o := object(r.body); o["secret"] != nil {
					id, _ := o["identifier"].(string)
					if first, ok := made.get(id); ok {
						o["secret"] = first
						r.body = asJSON(o)
					}
					made.put(id, o["secret"])
				}
				return r
			}
		}},
		{"a fourth secret of a webhook, which ends the first one", "HTTP-HOOK-004", asking(func(c *call) {
			if c.is("POST", "/webhooks/*/secret") && len(c.body) <= len("{}") {
				c.body = []byte(`{"endEarlier":true}`)
			}
		})},
		{"a choice of e-mail that is not stored", "HTTP-USER-013", answering(func(c call, r *reply) {
			if c.is("GET", "/me/mail") {
				r.body = []byte(`{"mail":"everything"}`)
			}
		})},
		{"a choice of e-mail in a dry run that is stored", "HTTP-USER-013", asking(func(c *call) {
			if c.is("PUT", "/me/mail") {
				c.uri, _, _ = strings.Cut(c.uri, "?")
			}
		})},
		{"a webhook that cannot be stopped", "HTTP-HOOK-001", asking(func(c *call) {
			if c.is("PATCH", "/webhooks/*") {
				c.body = []byte(strings.Replace(string(c.body), `"active":false`, `"active":true`, 1))
			}
		})},
		{"a deleted webhook deleted again", "HTTP-HOOK-001", answering(func(c call, r *reply) {
			if c.is("DELETE", "/webhooks/*") && r.status == http.StatusNotFound {
				*r = reply{status: http.StatusNoContent, header: r.header}
				r.header.Del("Content-Type")
				r.header.Del("Content-Length")
			}
		})},
		{"a password in the URL of a webhook", "HTTP-HOOK-002", asking(func(c *call) {
			if c.is("POST", "/webhooks") {
				c.body = []byte(strings.Replace(string(c.body), "a:b@", "", 1))
			}
		})},
		{"no types of events stand for all", "HTTP-HOOK-002", asking(func(c *call) {
			if c.is("POST", "/webhooks") {
				c.body = []byte(strings.Replace(string(c.body), `"types":[]`, `"types":null`, 1))
			}
		})},
		{"a wrong place of a wrong type of events", "HTTP-HOOK-002", answering(func(c call, r *reply) {
			if c.is("POST", "/webhooks") {
				r.body = []byte(strings.Replace(string(r.body), `"/types/1"`, `"/types/0"`, 1))
			}
		})},
		{"webhooks for everybody", "HTTP-HOOK-003", answering(func(c call, r *reply) {
			if c.is("GET", "/webhooks") && r.status == http.StatusForbidden {
				*r = reply{status: http.StatusOK, header: r.header, body: []byte("[]")}
				r.header.Set("Content-Type", "application/json")
			}
		})},
		{"no webhooks in the audit log", "HTTP-HOOK-003", answering(func(c call, r *reply) {
			if all := array(r.body); c.is("GET", "/audit") && r.status == http.StatusOK {
				kept := []map[string]any{}
				for _, e := range all {
					if e["kind"] != "webhook" {
						kept = append(kept, e)
					}
				}
				r.body = asJSON(kept)
			}
		})},
		{"no deletion of a webhook in the audit log", "HTTP-HOOK-003", answering(func(c call, r *reply) {
			if all := array(r.body); c.is("GET", "/audit") && r.status == http.StatusOK {
				r.body = asJSON(slices.DeleteFunc(all, func(e map[string]any) bool { return e["kind"] == "webhook" && e["field"] == "deleted" }))
			}
		})},
	}
}
