package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/text"
)

// query returns the parameters of the call.
func (c call) query() url.Values {
	_, query, _ := strings.Cut(c.uri, "?")
	values, _ := url.ParseQuery(query) // what cannot be read is no parameter
	return values
}

// with returns the call with other parameters.
func (c call) with(values url.Values) call {
	path, _, _ := strings.Cut(c.uri, "?")
	c.uri, c.header = path+"?"+values.Encode(), c.header.Clone()
	return c
}

// asked changes the parameters of searches that are asked with GET.
func asked(change func(values url.Values)) func(serving) serving {
	return asking(func(c *call) {
		if c.method == http.MethodGet && (strings.HasSuffix(c.path(), "/search") || c.path() == "/problems") {
			values := c.query()
			change(values)
			*c = c.with(values)
		}
	})
}

// reading takes something in predicates for something else.
func reading(pairs ...string) func(serving) serving {
	replacer := strings.NewReplacer(pairs...)
	return asked(func(values url.Values) {
		if values.Has("predicate") {
			values.Set("predicate", replacer.Replace(values.Get("predicate")))
		}
	})
}

// administrator hands on some calls as if the administrator had sent them, whose
// token is the first that is seen.
func administrator(concerns func(c call) bool) func(serving) serving {
	return func(next serving) serving {
		var first memory[string]
		return func(c call) reply {
			token, known := first.get("")
			if !known && c.is("GET", "/me") {
				first.put("", c.header.Get("Authorization"))
			}
			if known && concerns(c) && c.header.Get("Authorization") != "" {
				c.header.Set("Authorization", token)
			}
			return next(c)
		}
	}
}

// found changes the array that a search for problems returns.
func found(change func(c call, l []map[string]any) []map[string]any) func(serving) serving {
	return answering(func(c call, r *reply) {
		if c.is("GET", "/problems/search") && r.status == http.StatusOK {
			r.body = asJSON(change(c, array(r.body)))
		}
	})
}

var (
	herdCondition = regexp.MustCompile(`(?s)^(title BEGINSWITH '[^']*') AND .*$`)
	bothOf        = regexp.MustCompile(`SUBQUERY\(keywords, \$k, (\$k\.name = '[a-z]*') AND (\$k\.value = '[a-z]*')\)\.@count = 1`)
)

// searchSaboteurs break what predicates mean, and how their faults are told.
func searchSaboteurs() []saboteur {
	return slices.Concat(meaningSaboteurs(), faultSaboteurs(), savedSaboteurs())
}

// meaningSaboteurs break the meaning of predicates.
func meaningSaboteurs() []saboteur {
	return []saboteur{
		{"the condition ignored", "HTTP-SEARCH-001", asked(func(values url.Values) {
			values.Set("predicate", herdCondition.ReplaceAllString(values.Get("predicate"), "$1"))
		})},
		{"an index that is a second behind", "HTTP-SEARCH-002", func(next serving) serving {
			type read struct {
				reply
				at time.Time
			}
			var cache memory[read]
			return func(c call) reply {
				if !c.is("GET", "/problems/search") {
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
		{"searches see what the administrator sees", "HTTP-SEARCH-003", administrator(func(c call) bool { return c.is("GET", "/problems/search") })},
		{"days that are added are taken away", "HTTP-SEARCH-004", reading("'dateByAddingDays:', -7", "'dateByAddingDays:', 7")},
		{"history is only the present", "HTTP-SEARCH-005", reading("$h.modifier", "modifier")},
		{"[c] overlooked", "HTTP-SEARCH-006", reading("[c]", "")},
		{"IN finds the first alone", "HTTP-SEARCH-007", found(func(c call, l []map[string]any) []map[string]any {
			if strings.Contains(c.query().Get("predicate"), " IN {") {
				return l[:min(1, len(l))]
			}
			return l
		})},
		{"the other end of a relationship taken for this one", "HTTP-SEARCH-008", reading("$r.child.state", "$r.parent.state")},
		{"two properties found with two keywords", "HTTP-SEARCH-009", asked(func(values url.Values) {
			text := bothOf.ReplaceAllString(values.Get("predicate"), "ANY $1 AND ANY $2")
			values.Set("predicate", strings.ReplaceAll(text, "$k.", "keywords."))
		})},
		{"fields of a search ignored", "HTTP-SEARCH-015", asked(func(values url.Values) { values.Del("fields") })},
		{"NOT of a comparison with nil is false", "HTTP-SEARCH-010", reading("NOT priority.name =", "priority != nil AND NOT priority.name =")},
		{"a milestone is found by the name that it had", "HTTP-SEARCH-011", found(func(c call, l []map[string]any) []map[string]any {
			if strings.Contains(c.query().Get("predicate"), "'renamed-'") {
				return []map[string]any{}
			}
			return l
		})},
		{"users are found without their addresses", "HTTP-SEARCH-012", list("/users/search", func(l []map[string]any) []map[string]any {
			for _, o := range l {
				delete(o, "email")
			}
			return l
		})},
		{"milestones never end", "HTTP-SEARCH-013", reading("EndDate > NOW()", "EndDate != nil")},
		{"POST needs the scope write", "HTTP-SEARCH-014", func(next serving) serving {
			return func(c call) reply {
				if c.is("POST", "/problems/search") && object(next(call{c.ctx, "GET", "/api/20151105/me", c.header.Clone(), nil}).body)["scope"] == "read" {
					return fails(403, "forbidden", "The token has the scope read.")
				}
				return next(c)
			}
		}},
	}
}

// faultSaboteurs break the answers to wrong predicates.
func faultSaboteurs() []saboteur {
	return []saboteur{
		{"a predicate with a fault finds nothing", "HTTP-INVALID-001", answering(func(_ call, r *reply) {
			if r.kind() == "invalid-predicate" {
				r.status, r.body = http.StatusOK, []byte("[]")
				r.header.Set("Content-Type", "application/json")
			}
		})},
		{"columns counted in bytes", "HTTP-INVALID-002", answering(func(c call, r *reply) {
			if o := object(r.body); c.method == http.MethodGet && r.kind() == "invalid-predicate" && o["line"] == json.Number("1") {
				column, _ := o["column"].(json.Number).Int64()
				o["column"] = len(cut(c.query().Get("predicate"), int(column)-1)) + 1
				r.body = asJSON(o)
			}
		})},
		{"all faults of a predicate are syntax", "HTTP-INVALID-003", answering(func(_ call, r *reply) {
			if o := object(r.body); r.kind() == "invalid-predicate" {
				o["kind"] = "syntax"
				r.body = asJSON(o)
			}
		})},
		{"a limit that cannot be is left out", "HTTP-INVALID-004", asked(func(values url.Values) {
			if values.Get("limit") == "0" || values.Get("limit") == "x" {
				values.Del("limit")
			}
		})},
		{"% stands for any text", "HTTP-INVALID-005", reading("LIKE '*%", "LIKE '*DROP*' OR title LIKE '*%")},
		{"what is too expensive finds nothing", "HTTP-INVALID-006", answering(func(_ call, r *reply) {
			if r.kind() == "query-too-expensive" {
				r.status, r.body = http.StatusOK, []byte("[]")
				r.header.Set("Content-Type", "application/json")
			}
		})},
	}
}

// savedSaboteurs break saved queries.
func savedSaboteurs() []saboteur {
	return []saboteur{
		{"a saved query is run as its owner", "HTTP-QUERY-002", func(next serving) serving {
			var owners memory[string]
			return func(c call) reply {
				if owner, ok := owners.get(c.query().Get("savedQuery")); ok {
					c.header.Set("Authorization", owner)
				}
				r := next(c)
				if c.is("POST", "/queries") && r.status == http.StatusCreated {
					owners.put(fmt.Sprint(object(r.body)["identifier"]), c.header.Get("Authorization"))
				}
				return r
			}
		}},
		{"the order of a saved query forgotten", "HTTP-QUERY-001", asked(func(values url.Values) {
			if values.Has("savedQuery") && !values.Has("sort") {
				values.Set("sort", "identifier")
			}
		})},
		{"a saved predicate in NFC", "HTTP-QUERY-006", rewriting(func(o map[string]any) {
			if predicate, ok := o["predicate"].(string); ok {
				o["predicate"] = text.NFC(predicate)
			}
		}, "POST")},
		{"a shared query is in the list of its owner only", "HTTP-QUERY-007", answering(func(c call, r *reply) {
			var all []map[string]any
			if c.is("GET", "/queries") && json.Unmarshal(r.body, &all) == nil {
				r.body = asJSON(slices.DeleteFunc(all, func(q map[string]any) bool { return q["shared"] == true }))
			}
		})},
		{"a deleted query is still run", "HTTP-QUERY-003", answering(func(c call, r *reply) {
			if c.query().Has("savedQuery") && r.status == http.StatusNotFound {
				r.status, r.body = http.StatusOK, []byte("[]")
				r.header.Set("Content-Type", "application/json")
			}
		})},
	}
}
