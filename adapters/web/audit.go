package web

import (
	"github.com/problemtracking/problems/domain/metadata"
)

// auditPage is a part of the audit log.
type auditPage struct {
	layout
	Kinds   []kindLink
	Entries []auditRow
	Next    int // entries to skip for the next page; 0: there is none
	Skip    int
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

func showAudit(q *request) (answer, error) {
	skip, err := q.count("skip")
	if err != nil {
		return answer{}, err
	}
	entries, err := q.Service.Audit(q.context(), skip, auditOnPage)
	if err != nil {
		return answer{}, err
	}
	c := entries.Catalogue
	view := auditPage{layout: q.signedIn(q.say("kind.audit"), c).in("administration"), Kinds: q.kindLinks("audit"), Skip: skip}
	for _, e := range entries.Value.Entries {
		view.Entries = append(view.Entries, auditRow{person{c.Name(metadata.Users, e.Author), e.Created}, string(e.Kind), e.Name, e.Field, shown(e.From), shown(e.To)})
	}
	if entries.Value.More {
		view.Next = skip + auditOnPage
	}
	return page("audit", view), nil
}
