package web

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// auditPage is a part of the audit log.
type auditPage struct {
	layout
	Kinds   []kindLink
	Entries []auditRow
	// Earlier and Later are the addresses of older and of newer entries, and Newest that of
	// the newest ones; empty: there are none.
	Earlier, Later, Newest string
}

type auditRow struct {
	By       person
	Kind     string
	Name     string
	Field    string // empty: the object was made
	From, To auditValue
}

// auditValue is a value for people: a text, or a moment.
type auditValue struct {
	Text string
	At   time.Time
}

// auditTexts are the beginnings of the keys of texts for the values of some fields.
var auditTexts = map[string]string{"mail": "mail.", "onFailure": "webhook.", "state": "webhook.state-", "scope": "scope."}

// auditValue returns a value of the log in the language of the reader.
func (q *request) auditValue(field string, v problem.LogValue) auditValue {
	text, ok := v.Text()
	if at, err := time.Parse(time.RFC3339, text); ok && err == nil && field != "name" {
		return auditValue{At: at}
	}
	if key := auditTexts[field] + text; auditTexts[field] != "" && q.language.Has(key) {
		return auditValue{Text: q.say(key)}
	}
	if list, ok := v.List(); ok {
		var names []string
		for _, one := range list {
			names = append(names, q.auditValue(field, one).Text)
		}
		return auditValue{Text: strings.Join(names, ", ")}
	}
	switch v {
	case problem.LogFlag(true), problem.LogFlag(false):
		return auditValue{Text: q.say("audit." + string(v))}
	}
	if number, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return auditValue{Text: q.language.Number(number)}
	}
	return auditValue{Text: history.Text(v)}
}

// auditOnPage is how many entries a page has.
const auditOnPage = 100

// showAudit shows entries of the audit log, newest first. The address has the number of
// entries that are older than those of later pages.
func showAudit(q *request) (answer, error) {
	before, err := q.count("before")
	if err != nil {
		return answer{}, err
	}
	if !q.r.URL.Query().Has("before") {
		before = math.MaxInt
	}
	found, err := q.Service.AuditBefore(q.context(), before, auditOnPage)
	if err != nil {
		return answer{}, err
	}
	c, part := found.Catalogue, found.Value
	view := auditPage{layout: q.signedIn(q.say("kind.audit"), c).in("administration"), Kinds: q.kindLinks("audit")}
	for _, e := range part.Entries {
		view.Entries = append(view.Entries, auditRow{person{c.Name(metadata.Users, e.Author), e.Created}, string(e.Kind), e.Name, e.Field, q.auditValue(e.Field, e.From), q.auditValue(e.Field, e.To)})
	}
	newest := q.base + "/administration/audit"
	if part.Start > 0 {
		view.Earlier = newest + "?before=" + strconv.Itoa(part.Start)
	}
	if part.End < part.Length {
		view.Later, view.Newest = newest+"?before="+strconv.Itoa(part.End+auditOnPage), newest
	}
	return page("audit", view), nil
}
