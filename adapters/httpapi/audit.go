package httpapi

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

func auditEndpoints() []endpoint {
	return []endpoint{{
		id: "listAudit", method: http.MethodGet, path: "/audit", tag: "Audit",
		summary:     "Read the audit log",
		description: "Every change of metadata, users and tokens, whoever made it: one entry for each object that was created, and for each member that changed. The log only grows; secrets are not in it.",
		scope:       access.Admin,
		query:       []string{paramLimit, paramCursor},
		shown:       map[string]string{paramLimit: paramPageLimit, paramCursor: paramAuditCursor},
		answers: []result{{status: 200, description: "Entries of the log, oldest first: 100 unless limit says otherwise.", of: []AuditEntry{}, headers: []string{"Link"},
			example: func(e *encoder) { list(e, sampleAudit(), e.auditEntry) }}},
		do: (*call).listAudit,
	}}
}

// usualLimit is how many elements a page of a list has when the request does not say.
const usualLimit = 100

func (c *call) listAudit() (answer, error) {
	limit, skip := usualLimit, 0
	var err error
	if text := c.query.Get(paramLimit); c.query.Has(paramLimit) {
		if limit, err = strconv.Atoi(text); err != nil || strconv.Itoa(limit) != text {
			return answer{}, fault.New(fault.MalformedRequest, "%s has to be a whole number, without sign or leading zeros", paramLimit)
		}
	}
	if c.query.Has(paramCursor) {
		if skip, err = parseAuditCursor(c.query.Get(paramCursor)); err != nil {
			return answer{}, err
		}
	}
	a, err := c.Service.Audit(c.r.Context(), skip, limit)
	return answered(a, err, func(a tracker.Answer[tracker.AuditPage]) answer {
		header := http.Header{}
		if a.Value.More {
			next := url.Values{paramCursor: {auditCursor(skip + limit)}}
			if c.query.Has(paramLimit) {
				next.Set(paramLimit, c.query.Get(paramLimit))
			}
			header.Set("Link", "<"+c.r.URL.EscapedPath()+"?"+next.Encode()+`>; rel="next"`)
		}
		e := encoder{catalogue: a.Catalogue}
		list(&e, a.Value.Entries, e.auditEntry)
		return answer{status: http.StatusOK, header: header, body: e.buf}
	})
}

// auditCursor is the place in the log after so many entries, which are the same
// ones for ever: it only grows.
func auditCursor(skip int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("audit " + strconv.Itoa(skip)))
}

func parseAuditCursor(cursor string) (skip int, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if count, ok := strings.CutPrefix(string(text), "audit "); err == nil && ok {
		if skip, err = strconv.Atoi(count); err == nil && skip >= 0 && auditCursor(skip) == cursor {
			return skip, nil
		}
	}
	return 0, fault.New(fault.MalformedRequest, "%s has to be one from the header Link of an answer", paramCursor)
}

// auditEntry writes an entry of the audit log.
func (e *encoder) auditEntry(entry audit.Entry) {
	e.open('{')
	e.key("identifier").id(entry.ID)
	e.key("type").string(string(entry.Type))
	e.key("creationDate").time(entry.Created)
	e.key("author").userRef(entry.Author)
	e.key("batchIdentifier").id(entry.Batch)
	e.key("kind").string(string(entry.Kind))
	e.key("object").ref(entry.Object, entry.Name, true)
	e.key("field").nullText(problem.NullText{String: entry.Field, Valid: entry.Field != ""})
	e.key("from").raw(entry.From.JSON())
	e.key("to").raw(entry.To.JSON())
	e.close('}')
}
