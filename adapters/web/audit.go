package web

import (
	"math"
	"strconv"

	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/domain/metadata"
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
	From, To string
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
		view.Entries = append(view.Entries, auditRow{person{c.Name(metadata.Users, e.Author), e.Created}, string(e.Kind), e.Name, e.Field, history.Text(e.From), history.Text(e.To)})
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
