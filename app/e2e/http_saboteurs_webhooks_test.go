package e2e

import (
	"net/http"
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
		{"preferences that keep what was left out", "HTTP-USER-016", asking(func(c *call) {
			if c.is("PUT", "/me/preferences") && string(c.body) == "{}" {
				c.body = []byte(`{"density":"compact"}`)
			}
		})},
		{"a password in the URL of a webhook", "HTTP-HOOK-002", asking(func(c *call) {
			if c.is("POST", "/webhooks") {
				c.body = []byte(strings.Replace(string(c.body), "a:b@", "", 1))
			}
		})},
		{"webhooks for everybody", "HTTP-HOOK-003", answering(func(c call, r *reply) {
			if c.is("GET", "/webhooks") && r.status == http.StatusForbidden {
				*r = reply{status: http.StatusOK, header: r.header, body: []byte("[]")}
				r.header.Set("Content-Type", "application/json")
			}
		})},
	}
}
