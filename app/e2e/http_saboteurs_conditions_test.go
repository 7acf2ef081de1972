package e2e

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// conditionSaboteurs break what makes it safe to ask again: ETags, conditions, keys
// and dry runs.
func conditionSaboteurs() []saboteur {
	return slices.Concat(etagSaboteurs(), keySaboteurs(), drySaboteurs(), limitSaboteurs())
}

// etagSaboteurs break ETags, conditions, and the headers beside them.
func etagSaboteurs() []saboteur {
	return []saboteur{
		{"If-Match ignored", "HTTP-COND-005", asking(func(c *call) { c.header.Del("If-Match") })},
		{"a key of a change ignored", "HTTP-W2-020", asking(func(c *call) {
			if c.method == http.MethodPatch {
				c.header.Del("Idempotency-Key")
			}
		})},
		{"the base of a change ignored", "HTTP-W2-019", asking(func(c *call) {
			if c.is("PATCH", "/problems/*") {
				c.uri = strings.Replace(c.uri, "?base=1", "", 1)
			}
		})},
		{"If-None-Match ignored", "HTTP-COND-001", asking(func(c *call) { c.header.Del("If-None-Match") })},
		{"one ETag for everything", "HTTP-COND-003", tagged(func(reply) string { return `"constant"` })},
		{"answers that do not vary", "HTTP-R1-007", answering(func(_ call, r *reply) { r.header.Del("Vary") })},
		{"a revision used twice", "HTTP-R1-006", answering(func(c call, r *reply) {
			if c.is("POST", "/problems/*/comments") && r.status == 201 {
				r.header.Set("Problem-Revision", "2")
			}
		})},
		{"a check of If-Match that others overtake", "HTTP-RACE-002", func(next serving) serving {
			return func(c call) reply {
				if !c.is("PATCH", "/problems/*") || c.header.Get("If-Match") == "" {
					return next(c)
				}
				now := next(call{c.ctx, "GET", c.uri, http.Header{"Authorization": c.header["Authorization"]}, nil})
				// Users and metadata of other cases change the rest of an ETag.
				revision, _, _ := strings.Cut(c.header.Get("If-Match"), ".")
				if revision != `"`+now.header.Get("Problem-Revision") {
					return next(c)
				}
				// What a slow decision would take, so that the others
				// have checked as well.
				time.Sleep(time.Second)
				c.header.Del("If-Match")
				return next(c)
			}
		}},
		{"ETags of comments, relationships and watchers of the revision alone", "HTTP-COND-012", func(next serving) serving {
			plain := tagged(func(r reply) string { return `"` + r.header.Get("Problem-Revision") + `"` })(next)
			return func(c call) reply {
				if c.is("GET", "/problems/*/(comments|relationships|watchers)") {
					return plain(c)
				}
				return next(c)
			}
		}},
	}
}

// keySaboteurs break keys of requests.
func keySaboteurs() []saboteur {
	return []saboteur{
		{"Idempotency-Key ignored", "HTTP-IDEM-001", asking(func(c *call) { c.header.Del("Idempotency-Key") })},
		{"Idempotency-Key ignored for metadata", "HTTP-IDEM-012", asking(func(c *call) {
			if strings.Contains(c.path(), "/milestones") {
				c.header.Del("Idempotency-Key")
			}
		})},
		{"Idempotency-Key ignored for tokens", "HTTP-IDEM-013", asking(func(c *call) {
			if strings.Contains(c.path(), "/tokens") {
				c.header.Del("Idempotency-Key")
			}
		})},
		{"a key replays whatever is asked", "HTTP-IDEM-003", kept(func(c call) string { return c.header.Get("Authorization") }, 400)},
		{"keys shared by all users", "HTTP-IDEM-004", kept(func(c call) string { return c.uri + string(c.body) }, 400)},
		{"errors kept under a key", "HTTP-IDEM-006", kept(func(c call) string { return c.header.Get("Authorization") }, 600)},
		{"replays that do not say so", "HTTP-IDEM-002", answering(func(_ call, r *reply) { r.header.Del("Idempotency-Replayed") })},
		{"duplicates in flight both done", "HTTP-IDEM-007", asking(func(c *call) {
			if strings.Contains(string(c.body), "Once") {
				c.header.Del("Idempotency-Key")
			}
		})},
		{"replays for those who may only read", "HTTP-IDEM-010", func(next serving) serving {
			var answers memory[reply]
			return func(c call) reply {
				r := next(c)
				key := c.header.Get("Idempotency-Key") + c.uri + string(c.body)
				if r.status == 201 && c.header.Get("Idempotency-Key") != "" {
					answers.put(key, r)
				}
				if known, ok := answers.get(key); ok && r.status == 403 {
					return known
				}
				return r
			}
		}},
	}
}

// drySaboteurs break dry runs.
func drySaboteurs() []saboteur {
	return []saboteur{
		{"dryRun stores", "HTTP-DRY-002", func(next serving) serving {
			return func(c call) reply {
				wet := strings.Replace(c.uri, "?dryRun=true", "", 1)
				dry := wet != c.uri
				c.uri = wet
				r := next(c)
				if dry && r.status < 300 {
					r.header.Set("Dry-Run", "true")
				}
				return r
			}
		}},
		{"dryRun=1 writes", "HTTP-DRY-005", asking(func(c *call) { c.uri = strings.Replace(c.uri, "?dryRun=1", "", 1) })},
		{"a dry run keeps its key", "HTTP-DRY-006", func(next serving) serving {
			var used memory[bool]
			return func(c call) reply {
				key := c.header.Get("Idempotency-Key")
				if _, ok := used.get(key); ok {
					return fails(409, "idempotency-conflict", "The key was used before.")
				}
				r := next(c)
				if key != "" && r.status < 300 && strings.HasSuffix(c.uri, "?dryRun=true") {
					used.put(key, true)
				}
				return r
			}
		}},
		{"a dry W2 has an ETag", "HTTP-DRY-008", answering(func(_ call, r *reply) {
			if r.header.Get("Dry-Run") != "" {
				r.header.Set("ETag", `"dry"`)
			}
		})},
		{"a dry W1 stores", "HTTP-DRY-009", func(next serving) serving {
			return func(c call) reply {
				if path, dry := strings.CutSuffix(c.uri, "?dryRun=true"); dry && c.is("POST", "/problems") {
					wet := c
					wet.uri, wet.header = path, c.header.Clone()
					next(wet)
				}
				return next(c)
			}
		}},
	}
}

// limitSaboteurs break limits and unknown parameters.
func limitSaboteurs() []saboteur {
	return []saboteur{
		{"unknown query parameters ignored", "HTTP-ROUTE-006", asking(func(c *call) {
			path, query, _ := strings.Cut(c.uri, "?")
			if values, err := url.ParseQuery(query); err == nil && values.Has("x") {
				c.uri = path
			}
		})},
		{"white space does not count towards the limit", "HTTP-LIMIT-001", asking(func(c *call) {
			if len(c.body) > 1<<20 {
				c.body = []byte(strings.TrimSpace(string(c.body)))
			}
		})},
		{"no limit of keywords", "HTTP-LIMIT-002", answering(func(c call, r *reply) {
			if c.is("PUT", "/problems/*/keywords/one-more") && r.status == 422 {
				r.status, r.body = 201, []byte(`{"name":"one-more","value":"v"}`)
				r.header.Set("Content-Type", "application/json")
			}
		})},
	}
}

// tagged gives answers an ETag of its own making, and answers 304 by it.
func tagged(tag func(reply) string) func(serving) serving {
	return func(next serving) serving {
		return func(c call) reply {
			known := c.header.Get("If-None-Match")
			c.header.Del("If-None-Match")
			r := next(c)
			if r.header.Get("ETag") == "" || c.method != http.MethodGet {
				return r
			}
			r.header.Set("ETag", tag(r))
			if known == tag(r) {
				r.status, r.body = http.StatusNotModified, nil
			}
			return r
		}
	}
}

// kept keeps answers below a status under the key and what else tells requests
// apart.
func kept(apart func(call) string, below int) func(serving) serving {
	return func(next serving) serving {
		var answers memory[reply]
		return func(c call) reply {
			key := strings.Trim(c.header.Get("Idempotency-Key"), `"`)
			if key == "" {
				return next(c)
			}
			key += apart(c)
			if known, ok := answers.get(key); ok {
				known.header = known.header.Clone()
				known.header.Set("Idempotency-Replayed", "true")
				return known
			}
			r := next(c)
			if r.status < below {
				answers.put(key, r)
			}
			return r
		}
	}
}
