package e2e

import (
	"fmt"
	"strings"
	"time"
)

// without drops a header of the requests with a method and a form of path.
func without(header, method, form string) func(serving) serving {
	return asking(func(c *call) {
		if c.is(method, form) {
			c.header.Del(header)
		}
	})
}

// to is the call with another method, path and body, and without conditions.
func (c call) to(method, path string, body []byte) call {
	c.method, c.uri, c.body = method, "/api/20151105"+path, body
	c.header = c.header.Clone()
	c.header.Del("Idempotency-Key")
	c.header.Del("Claim")
	c.header.Set("Content-Type", "application/json")
	return c
}

// raceSaboteurs break what keeps agents and monitors from doing the same at once.
func raceSaboteurs() []saboteur {
	return append(claimSaboteurs(), append(reportSaboteurs(), ownTokenSaboteurs()...)...)
}

// claimSaboteurs break claims. None takes a claim too early: the shortest lease is half a minute,
// so TestTaken is about this.
func claimSaboteurs() []saboteur {
	const claim = "/problems/*/claim"
	return []saboteur{
		{"a claim that is held is taken", "HTTP-CLAIM-001", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if c.is("PUT", claim) && r.kind() == "claimed" {
					next(c.to("DELETE", c.path(), nil))
					return next(c)
				}
				return r
			}
		}},
		{"a claim that nobody extends", "HTTP-CLAIM-002", without("Claim", "PUT", claim)},
		{"an end of any claim, whatever the header names", "HTTP-CLAIM-003", without("Claim", "DELETE", claim)},
		{"a comment under a lost claim", "HTTP-CLAIM-004", without("Claim", "POST", "/problems/*/comments")},
		{"a claim kept by a resolved problem", "HTTP-CLAIM-005", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if c.is("PATCH", "/problems/*") && strings.Contains(string(r.body), "ClaimEnded") {
					next(c.to("PUT", c.path()+"/claim", []byte(`{"lease":600}`)))
				}
				return r
			}
		}},
		{"one problem for all who ask for the next", "HTTP-CLAIM-006", func(next serving) serving {
			var answers memory[reply]
			return func(c call) reply {
				if known, ok := answers.get(string(c.body)); ok && c.is("POST", "/problems/claim") {
					return known
				}
				r := next(c)
				answers.put(string(c.body), r)
				return r
			}
		}},
		{"the next problem for each repeat", "HTTP-CLAIM-007", without("Idempotency-Key", "POST", "/problems/claim")},
		{"a repeat that its own claim refuses", "HTTP-CLAIM-007", without("Idempotency-Key", "PUT", claim)},
		{"no wait for a problem", "HTTP-CLAIM-008", asking(func(c *call) { c.body = []byte(strings.Replace(string(c.body), `"wait":60`, `"wait":0`, 1)) })},
		{"the claim of today in the past", "HTTP-CLAIM-009", asking(func(c *call) { c.uri = strings.Replace(c.uri, "&asOf=2", "", 1) })},
		{"a lease of 29 seconds", "HTTP-CLAIM-010", asking(func(c *call) { c.body = []byte(strings.Replace(string(c.body), `"lease":29`, `"lease":30`, 1)) })},
	}
}

// reportSaboteurs break reports of faults.
func reportSaboteurs() []saboteur {
	const path = "/problems/report"
	value := func(c call) string { return fmt.Sprint(object(c.body)["keyword"]) }
	// again changes the reports of a fault that was reported before.
	again := func(change func(next serving, c call, first reply) reply) func(serving) serving {
		return func(next serving) serving {
			var first memory[reply]
			return func(c call) reply {
				if !c.is("POST", path) {
					return next(c)
				}
				if known, ok := first.get(value(c)); ok {
					return change(next, c, known)
				}
				r := next(c)
				if r.status < 300 {
					first.put(value(c), r)
				}
				return r
			}
		}
	}
	return []saboteur{
		{"a report of a known fault without its comment", "HTTP-REPORT-001", again(func(next serving, c call, _ reply) reply {
			o := object(c.body)
			delete(o, "comment")
			c.body = asJSON(o)
			return next(c)
		})},
		{"reports that search first and create after it", "HTTP-REPORT-002", func(next serving) serving {
			return func(c call) reply {
				if !c.is("POST", path) || next(c.to("POST", path+"?dryRun=true", c.body)).status != 201 {
					return next(c)
				}
				time.Sleep(50 * time.Millisecond) // the others search, too
				o := object(c.body)
				o["problem"].(map[string]any)["keywords"] = []any{o["keyword"]}
				return next(c.to("POST", "/problems", asJSON(o["problem"])))
			}
		}},
		{"a comment for a resolved problem", "HTTP-REPORT-003", again(func(next serving, c call, first reply) reply {
			p := fmt.Sprint("/problems/", object(first.body)["identifier"])
			next(c.to("POST", p+"/comments", asJSON(map[string]any{"text": "Seen."})))
			return next(c.to("GET", p, nil))
		})},
		{"a report for each repeat", "HTTP-REPORT-004", without("Idempotency-Key", "POST", path)},
		{"a problem that nobody checks once it is there", "HTTP-REPORT-005", again(func(next serving, c call, _ reply) reply {
			o := object(c.body)
			o["problem"] = map[string]any{"title": "T"}
			c.body = asJSON(o)
			return next(c)
		})},
	}
}

// ownTokenSaboteurs break the tokens that people make for themselves.
func ownTokenSaboteurs() []saboteur {
	const path, caught = "/me/tokens", "HTTP-TOKEN-014"
	// instead makes a token by another body where the right one is refused.
	instead := func(member string, value any) func(serving) serving {
		return func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if o := object(c.body); c.is("POST", path) && strings.Contains(string(r.body), `"/`+member+`"`) && o[member] != nil {
					o[member] = value
					return next(c.to("POST", path, asJSON(o)))
				}
				return r
			}
		}
	}
	return []saboteur{
		{"an own token for longer than 90 days", caught, instead("expires", nil)},
		{"an own token with a larger scope", caught, instead("scope", "read")},
		{"a token revoked by another user", caught, answering(func(c call, r *reply) {
			if c.is("DELETE", path+"/*") && r.status == 404 {
				r.status, r.body = 204, nil
			}
		})},
		{"secrets in the list of own tokens", caught, list(path, func(l []map[string]any) []map[string]any {
			for _, o := range l {
				o["token"] = "pts_secret"
			}
			return l
		})},
	}
}
