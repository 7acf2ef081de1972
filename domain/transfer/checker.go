package transfer

import (
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/webhook"
)

// Checker checks records one by one, and groups them. Accepted records satisfy all
// assumptions of the service. The Checker applies the rules of requests for single
// objects and for the catalogue as a whole.
//
// It skips some rules, because the values may have been allowed at an earlier time. It
// does not check the rules of changes again: transitions (D19), or closed components
// and inactive users as new values. It does not apply the limits of D22 either, for
// they are settings, nor that of full names (D2), for earlier versions had none. It
// compares the identifiers of log entries and comments only within a problem, for nothing
// looks them up across problems.
//
// It holds everything before the problems, and one problem at a time. Of all other
// problems it holds 8 bytes each, plus 24 for each directed relationship. It also holds
// 24 bytes for each log entry that names a later problem, and about 150 for each
// relationship until its mirror comes.
type Checker struct {
	line  int64  // of the current record
	fault *Fault // the first one

	last  Kind         // of the record before
	first [Kinds]int64 // the line of the first record of each kind; for parts of a problem, of the current problem

	start     *Start // nil before it
	content   metadata.Content
	latest    ident.ID                    // of the metadata objects of a kind
	places    map[metadata.Place]struct{} // each of one object at most
	catalogue *metadata.Catalogue         // nil until the content is complete
	tokens    []access.Token
	tokenIDs  map[ident.ID]struct{}
	digests   map[access.Digest]struct{}
	queries   []query.Saved
	queryIDs  map[ident.ID]struct{}
	webhooks  []webhook.Webhook
	hookIDs   map[ident.ID]struct{}
	audit     []audit.Entry
	auditIDs  map[ident.ID]struct{}

	latestEvent Event // zero before the first

	current *store.Dossier // the problem that collects parts
	history history        // of the current problem
	graph   graph
}

// NewChecker returns a Checker for all records of a store.
func NewChecker() *Checker {
	return &Checker{
		places:   make(map[metadata.Place]struct{}),
		tokenIDs: make(map[ident.ID]struct{}),
		digests:  make(map[access.Digest]struct{}),
		queryIDs: make(map[ident.ID]struct{}),
		hookIDs:  make(map[ident.ID]struct{}),
		auditIDs: make(map[ident.ID]struct{}),
		history:  history{ids: make(map[ident.ID]Kind)},
		graph:    graph{open: make(map[pair]side)},
	}
}

// Add checks the next record. The line is for use in faults, and records of one kind
// are on successive lines. When the record completes a problem, Add returns the
// problem. Texts are trimmed and brought to NFC, and the values of log entries to the
// form of D8. The error is a *[Fault], perhaps of an earlier record. After an error the
// Checker is of no use.
func (c *Checker) Add(line int64, record Record) (done *store.Dossier, err error) {
	c.line = line
	kind := KindOf(record)
	c.order(kind)
	if c.fault == nil && kind > KindUser && c.catalogue == nil {
		c.closeMetadata()
	}
	if c.fault == nil && (kind == KindProblem || kind >= KindEvent) {
		done = c.closeProblem()
	}
	if c.fault == nil {
		c.begin(kind)
		c.check(record)
	}
	c.last = kind
	if c.fault != nil {
		return nil, c.fault
	}
	return done, nil
}

func (c *Checker) check(record Record) {
	switch r := record.(type) {
	case Start:
		c.start = &r
		if r.Catalogue > MaxInteger {
			c.refuse("/catalogueVersion", "must be at most %d", int64(MaxInteger))
		}
	case State:
		c.state(r.State)
	case Priority:
		c.priority(r.Priority)
	case Classification:
		c.classification(r.Classification)
	case Component:
		c.component(r.Component)
	case Milestone:
		c.milestone(r.Milestone)
	case User:
		c.user(r.User)
	case Token:
		c.token(r.Token)
	case SavedQuery:
		c.savedQuery(r.Saved)
	case Webhook:
		c.webhook(r.Webhook)
	case AuditEntry:
		c.auditEntry(r.Entry)
	case Problem:
		c.problem(r.Problem)
	case Savepoint:
		c.savepoint(r.Savepoint)
	case LogEntry:
		c.logEntry(r.LogEntry)
	case Comment:
		c.comment(r)
	case Keyword:
		c.keyword(r)
	case Relationship:
		c.relationship(r.Relationship)
	case Watcher:
		c.watcher(r)
	case ReadMark:
		c.readMark(r)
	case Attachment:
		c.attachment(r)
	case Event:
		c.event(r)
	case End:
		c.end(r)
	}
}

// order checks the kind of a record against the order of records.
func (c *Checker) order(kind Kind) {
	part := kind > KindProblem && kind < KindEvent
	switch {
	case (kind == KindStart) != (c.start == nil):
		c.refuse("/kind", "the start comes first, and only there")
	case c.last == KindEnd:
		c.refuse("/kind", "nothing can come after the end")
	case part && c.current == nil:
		c.refuse("/kind", "a %v belongs to a problem, and none came before", kind)
	case kind < c.last && (kind != KindProblem || c.last >= KindEvent):
		c.refuse("/kind", "a %v cannot come after a %v", kind, c.last)
	}
}

// begin stores the first line of the records of a kind.
func (c *Checker) begin(kind Kind) {
	if kind == KindProblem {
		clear(c.first[KindSavepoint:KindEvent])
	}
	if c.first[kind] == 0 || kind == KindProblem {
		c.first[kind] = c.line
		c.latest = ident.None
	}
}

// refuse stores a fault of the current record. Only the first fault counts, because
// later ones may be its consequence.
func (c *Checker) refuse(field, format string, args ...any) {
	c.refuseAt(c.line, field, format, args...)
}

func (c *Checker) refuseAt(line int64, field, format string, args ...any) {
	if c.fault == nil {
		c.fault = &Fault{Line: line, Field: field, Reason: fmt.Sprintf(format, args...)}
	}
}

// text returns a text in its stored form (D9).
func (c *Checker) text(field string, rule text.Rule, s string) string {
	s, err := rule.Kept().Apply(s)
	if err != nil {
		c.refuse(field, "%v", err)
	}
	return s
}

// identifier checks the identifier of an object (D2).
func (c *Checker) identifier(field string, id ident.ID) {
	if id[6]>>4 != 7 || id[8]>>6 != 2 {
		c.refuse(field, "must be a UUID of version 7")
	}
}

// moment checks a time (D9).
func (c *Checker) moment(field string, t time.Time) {
	if t.Location() != time.UTC || t.Nanosecond()%int(time.Millisecond) != 0 || text.CheckTime(t) != nil {
		c.refuse(field, "must be a time of the years 1 to 9999, in UTC and whole milliseconds")
	}
}

// reference checks that an object of the kind has the identifier.
func (c *Checker) reference(field string, kind metadata.Kind, id ident.ID) {
	if c.catalogue.Name(kind, id) == "" {
		c.refuse(field, "there is no %s with this identifier", kind)
	}
}

// tokenAt checks a reference to a token.
func (c *Checker) tokenAt(field string, id ident.ID) {
	if _, ok := c.tokenIDs[id]; !ok {
		c.refuse(field, "there is no token with this identifier")
	}
}

// via checks the token of an author, if there is one.
func (c *Checker) via(id ident.ID) {
	if !id.IsNone() {
		c.tokenAt("/via", id)
	}
}

// belongs checks that a part belongs to the current problem.
func (c *Checker) belongs(owner problem.ID) {
	if owner != c.current.ID {
		c.refuse("/problem", "must be %d: the parts of a problem follow it", c.current.ID)
	}
}
