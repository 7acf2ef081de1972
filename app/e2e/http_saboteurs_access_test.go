package e2e

import (
	"net/http"
	"slices"
	"strings"
)

// accessSaboteurs break who may do what, and what is told of tokens and users.
func accessSaboteurs() []saboteur {
	return []saboteur{
		{"an erasure that changes nothing", "HTTP-ERASE-002", asking(func(c *call) {
			if c.is("POST", "/users/*/erasure") {
				c.uri += "?dryRun=true"
			}
		})},
		{"401 where 403 belongs", "HTTP-AUTH-003", answering(func(_ call, r *reply) {
			if r.status == http.StatusForbidden {
				*r = fails(401, "unauthenticated", "The token is not valid.")
			}
		})},
		{"403 where 401 belongs", "HTTP-AUTH-002", answering(func(_ call, r *reply) {
			if r.status == http.StatusUnauthorized {
				*r = fails(403, "forbidden", "The token is not valid.")
			}
		})},
		{"reading without a token", "HTTP-AUTH-007", func(next serving) serving {
			var last memory[string]
			return func(c call) reply {
				if c.header.Get("Authorization") == "" && c.is("GET", "/problems/*") {
					token, _ := last.get("")
					c.header.Set("Authorization", token)
				}
				r := next(c)
				if r.status < 300 {
					last.put("", c.header.Get("Authorization"))
				}
				return r
			}
		}},
		{"the word Ship not known", "HTTP-AUTH-001", asking(func(c *call) {
			if strings.HasPrefix(c.header.Get("Authorization"), "Ship ") {
				c.header.Set("Authorization", "Nothing")
			}
		})},
		{"a token in an error", "HTTP-AUTH-008", answering(func(c call, r *reply) {
			if o := object(r.body); r.status == 403 && o != nil {
				o["detail"] = "The token " + c.header.Get("Authorization") + " may not do that."
				r.body = asJSON(o)
			}
		})},
		{"a revoked token works from a cache", "HTTP-TOKEN-003", func(next serving) serving {
			var seen memory[reply]
			return func(c call) reply {
				r := next(c)
				if !c.is("GET", "/me") {
					return r
				}
				token := c.header.Get("Authorization")
				if known, ok := seen.get(token); ok && r.status == 401 {
					return known
				}
				if r.status == 200 {
					seen.put(token, r)
				}
				return r
			}
		}},
		{"the list of tokens has them", "HTTP-TOKEN-002", list("/tokens", func(l []map[string]any) []map[string]any {
			for _, o := range l {
				o["token"] = nil
			}
			return l
		})},
		{"the scope write makes users", "HTTP-USER-008", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if c.is("POST", "/users") && r.status == 403 {
					r.status = 201
				}
				return r
			}
		}},
		{"a page of users skipped", "HTTP-USER-006", list("/users", func(l []map[string]any) []map[string]any {
			return slices.DeleteFunc(l, func(o map[string]any) bool {
				name, _ := o["name"].(string)
				return strings.HasPrefix(name, "user-")
			})
		})},
		{"other origins let in", "HTTP-AUTH-006", answering(func(c call, r *reply) {
			if origin := c.header.Get("Origin"); origin != "" {
				r.header.Set("Access-Control-Allow-Origin", origin)
			}
		})},
		{"an expired token still writes", "HTTP-TOKEN-004", lenient(func(me map[string]any) bool { return me["expires"] != nil }, "PATCH", "POST", "PUT", "DELETE")},
		{"a revoked token still reads", "HTTP-TOKEN-010", lenient(func(map[string]any) bool { return true }, "GET")},
		{"an invitation authenticates", "HTTP-TOKEN-012", answering(func(c call, r *reply) {
			if r.status == 401 && c.is("GET", "/me") {
				r.status = 200
			}
		})},
		{"the scope read makes dry runs", "HTTP-AUTH-009", answering(func(c call, r *reply) {
			if r.status == 403 && c.is("POST", "/problems") && strings.HasSuffix(c.uri, "?dryRun=true") {
				r.status, r.body = 201, []byte(`{"title":"x"}`)
				r.header.Set("Content-Type", "application/json")
			}
		})},
		{"all listed tokens of the scope admin", "HTTP-TOKEN-011", list("/tokens", func(l []map[string]any) []map[string]any {
			for _, o := range l {
				o["scope"] = "admin"
			}
			return l
		})},
	}
}

// frameSaboteurs break the frame of all answers: errors, headers, paths.
func frameSaboteurs() []saboteur {
	return []saboteur{
		{"a message of the database told", "HTTP-ERROR-005", answering(func(_ call, r *reply) {
			if o := object(r.body); r.status == 409 && o != nil {
				o["detail"] = `ERROR: duplicate key value violates unique constraint "users_email" (SQLSTATE 23505)`
				r.body = asJSON(o)
			}
		})},
		{"what was sent echoed", "HTTP-ERROR-004", answering(func(c call, r *reply) {
			if o := object(r.body); r.status == 404 && o != nil {
				o["detail"] = "There is no " + c.uri
				r.body = asJSON(o)
			}
		})},
		{"a second slash not found", "HTTP-ROUTE-008", func(next serving) serving {
			return func(c call) reply {
				if strings.Contains(c.uri, "//api") {
					return fails(404, "not-found", "There is nothing.")
				}
				return next(c)
			}
		}},
		{"errors of the type application/json", "HTTP-ERROR-002", answering(func(_ call, r *reply) {
			if r.status >= 400 {
				r.header.Set("Content-Type", "application/json")
			}
		})},
		{"errors that nobody can find in a log", "HTTP-ERROR-003", answering(func(_ call, r *reply) {
			if o := object(r.body); r.status >= 400 && o != nil {
				o["instance"] = "urn:request:1"
				r.body = asJSON(o)
				r.header.Set("X-Request-Id", "1")
			}
		})},
		{"no pages about errors", "HTTP-ERROR-001", func(next serving) serving {
			return func(c call) reply {
				if strings.HasPrefix(c.path(), "/errors/") {
					return fails(404, "not-found", "There is nothing.")
				}
				return next(c)
			}
		}},
		{"no Content-Security-Policy", "HTTP-R1-001", answering(func(_ call, r *reply) { r.header.Del("Content-Security-Policy") })},
		{"paths without letter case", "HTTP-ROUTE-004", asking(func(c *call) {
			c.uri = strings.Replace(c.uri, "/Problems", "/problems", 1)
		})},
		{"every version is this one", "HTTP-ROUTE-005", asking(func(c *call) {
			c.uri = strings.Replace(c.uri, "/api/v1/", "/api/20151105/", 1)
		})},
		{"405 without Allow", "HTTP-ROUTE-001", answering(func(_ call, r *reply) {
			if r.status == 405 {
				r.header.Del("Allow")
			}
		})},
		{"HEAD lacks the ETag", "HTTP-ROUTE-003", answering(func(c call, r *reply) {
			if c.method == "HEAD" {
				r.header.Del("ETag")
			}
		})},
		{"Accept can be refused", "HTTP-W1-015", func(next serving) serving {
			return func(c call) reply {
				if strings.HasPrefix(c.header.Get("Accept"), "image/") {
					return fails(406, "not-acceptable", "There is JSON alone.")
				}
				return next(c)
			}
		}},
		{"a faulty body before a missing problem", "HTTP-ORDER-002", answering(func(c call, r *reply) {
			if c.is("PATCH", "/problems/*") && r.kind() == "problem-not-found" && strings.Contains(string(c.body), "colour") {
				*r = fails(422, "unknown-field", "There is a member that problems do not have.")
			}
		})},
		{"an operation not described", "HTTP-DOC-002", answering(func(c call, r *reply) {
			if c.uri == "/openapi.json" {
				r.body = []byte(strings.ReplaceAll(string(r.body), "/watchers", "/spectators"))
			}
		})},
	}
}

// lenient does with an administrator's token what one of the methods asks for with
// a token that was good when it asked for /me. At /me itself all is right.
func lenient(chosen func(me map[string]any) bool, methods ...string) func(serving) serving {
	return func(next serving) serving {
		var good memory[bool]
		var admin memory[string]
		return func(c call) reply {
			r, token := next(c), c.header.Get("Authorization")
			if me := object(r.body); c.is("GET", "/me") {
				if r.status == 200 && chosen(me) {
					good.put(token, true)
				}
				if r.status == 200 && me["scope"] == "admin" {
					admin.put("", token)
				}
				return r
			}
			if _, ok := good.get(token); ok && r.status == 401 && slices.Contains(methods, c.method) {
				c.header = c.header.Clone()
				other, _ := admin.get("")
				c.header.Set("Authorization", other)
				return next(c)
			}
			return r
		}
	}
}
