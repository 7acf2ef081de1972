package sequence

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// effects draws one effect, or a few related ones, and appends them to the Change.
func (d *drawer) effects(c *store.Change, id, other problem.ID) {
	add := func(e ...store.Effect) { c.Effects = append(c.Effects, e...) }
	who := pick(d, d.users)
	switch d.IntN(27) {
	case 0:
		p := d.Problem(d.number())
		add(store.CreateProblem{Problem: p, Size: sizeLike(p)})
	case 1, 2:
		p := d.Problem(id)
		add(store.UpdateProblem{Problem: p, Size: sizeLike(p)}, store.PutSavepoint{Problem: p})
	case 3:
		add(store.UpdateProblem{Problem: d.Problem(id)})
	case 4:
		add(store.PutSavepoint{Problem: d.Problem(id)})
		if known := d.past.model.Now.Logs; len(known) > 0 {
			l := pick(d, known)
			l.Field, l.From, l.To = d.text(255), "", problem.LogText(d.text(1000))
			add(store.Rewrite{Problem: l.Problem, Log: []problem.LogEntry{l}, Titles: []store.BatchTitle{{Batch: l.Batch, Title: d.text(1000)}}})
		}
	case 5, 20, 21:
		add(store.AddComment{Problem: id, Comment: d.Comment()})
		if d.oneIn(4) && len(d.past.model.Now.AllComments) > 0 {
			of := store.PutComment(pick(d, d.past.model.Now.AllComments))
			of.Comment = d.corrected(of.Comment)
			add(of)
		}
	case 25:
		add(store.PutAttachment{Problem: id, Attachment: d.attachment(id)})
	case 26:
		add(d.claim(c, id))
	case 6, 7:
		add(store.PutKeyword{Problem: id, Keyword: problem.Keyword{Name: pick(d, d.names), Value: d.value()}})
	case 8:
		add(store.DropKeyword{Problem: id, Name: pick(d, d.names)})
	case 9, 10, 11:
		add(d.Relate(id, other)...)
	case 12:
		add(d.lease(c))
	case 13:
		if d.oneIn(2) {
			add(store.Watch{Problem: id, User: who})
		} else {
			add(store.Unwatch{Problem: id, User: who})
		}
	case 14:
		add(store.MarkRead{Problem: id, User: who, Read: !d.oneIn(3)})
	case 15:
		add(store.MarkRead{Problem: id, User: who, Read: true}, store.ForgetReads{Problem: id, But: pick(d, d.users)})
	case 16, 17:
		add(d.Put())
	case 18:
		key := d.key()
		c.Expect = append(c.Expect, store.KeyUnused{User: who, Key: key, Since: c.At})
		reply := d.reply(who, key, c.At)
		reply.About = store.About{Problem: id, Comment: d.maybe()}
		add(store.KeepReply{Reply: reply})
		if d.oneIn(3) {
			add(store.EmptyReplies{About: store.About{Problem: pick(d, []problem.ID{id, other}), Comment: d.maybe()}})
		}
	case 23:
		add(store.Publish{Event: d.happening(id)})
		if d.oneIn(3) {
			add(store.Publish{Event: d.b.Administered()})
		}
		if d.oneIn(5) {
			add(store.ForgetFeed{Through: int64(d.IntN(12))})
		}
	case 24:
		add(pick(d, []store.Effect{store.PutWebhook{Endpoint: d.Endpoint()}, store.PutWebhook{Endpoint: d.Endpoint()}, store.DropWebhook{ID: d.Endpoint().ID},
			store.PutProgress{Webhook: d.Endpoint().ID, Progress: d.Progress()}, store.PutProgress{Webhook: d.Endpoint().ID, Progress: d.Progress()}}))
	case 22:
		add(pick(d, []store.Effect{store.AppendAudit{Entry: d.Audited()}, store.PutQuery{Query: d.Query()}, store.DropQuery{ID: d.Query().ID},
			store.PutSession{Session: d.Session()}, store.PutSession{Session: d.Session()}, store.DropSession{ID: d.Session().ID}}))
		if known := d.past.model.Now.AuditLog; len(known) > 0 && d.oneIn(2) {
			e := pick(d, known)
			e.Name, e.From, e.To = d.text(255), "", problem.LogText(d.text(1000))
			add(store.RewriteAudit{Entries: []audit.Entry{e}})
		}
	default:
		add(store.Expire{Before: pick(d, d.moments)})
	}
}

// Audited draws an entry of the audit log.
func (d *drawer) Audited() audit.Entry {
	e := d.b.Audited()
	e.Created, e.Name = d.time(), d.text(255)
	switch d.IntN(3) {
	case 0:
		e.Type, e.Field, e.From, e.To = audit.Created, "", "", problem.LogObject()
	case 1:
		e.Kind, e.Author, e.To = audit.Token, ident.None, problem.LogText(d.text(1000))
	}
	return e
}

// happening draws an event about a problem.
func (d *drawer) happening(id problem.ID) event.Event {
	e := d.b.Happening(id)
	e.Title = d.text(1000)
	if d.oneIn(3) {
		e.Type, e.Lines = event.ProblemCreated, e.Lines[:1]
	}
	return e
}

// Query draws a saved query, new or known.
func (d *drawer) Query() query.Saved {
	q := d.b.Query(pick(d, d.users))
	if known := d.past.model.Now.Queries; len(known) > 0 && d.oneIn(2) {
		q.ID = pick(d, known).ID
	}
	q.Name, q.Predicate, q.Created = d.text(255), d.text(5000), d.time()
	if d.oneIn(2) {
		q.Sort, q.Columns = "", ""
	}
	q.Shared = d.oneIn(3)
	return q
}

// Session draws a session, new or known. One that was dropped does not come back.
func (d *drawer) Session() access.Session {
	s := d.b.Session(pick(d, d.users))
	if known := d.past.model.Now.AllSessions; len(known) > 0 && d.oneIn(2) {
		s = pick(d, known)
	}
	s.Agent, s.Expires = d.text(access.MostAgent), d.time()
	if d.oneIn(2) {
		s.Token = ident.None
	}
	return s
}

// Endpoint draws the settings of a webhook, new or known.
func (d *drawer) Endpoint() webhook.Endpoint {
	e := d.b.Endpoint()
	if known := d.past.model.Now.AllWebhooks; len(known) > 0 && !d.oneIn(3) {
		e.ID = pick(d, known).ID
	}
	e.Predicate, e.Created, e.Owner = d.text(5000), d.time(), pick(d, d.users)
	if d.oneIn(2) {
		e.Types = nil
	}
	return e
}

// Progress draws the progress of a webhook.
func (d *drawer) Progress() webhook.Progress {
	p := d.b.Progress()
	p.Reason, p.Next = d.text(200), d.time()
	if d.oneIn(2) {
		p.Deliveries = nil
	}
	return p
}

// lease draws a lease, mostly one that follows the current one.
func (d *drawer) lease(c *store.Change) store.Effect {
	l := d.b.Lease(pick(d, []string{"webhooks", "mail"}))
	if !d.oneIn(4) {
		c.Expect = append(c.Expect, store.LeaseAt{Name: l.Name, Version: d.past.model.Now.Leases[l.Name].Version})
	}
	return store.PutLease{Lease: l}
}

// claim draws a claim, or the end of one, mostly of one that follows the current one.
func (d *drawer) claim(c *store.Change, id problem.ID) store.Effect {
	next := d.b.Claim()
	next.Expires = d.time()
	if d.oneIn(3) {
		next = problem.Claim{}
	}
	if now := d.past.model.Now.Claims[id]; !d.oneIn(4) {
		c.Expect = append(c.Expect, store.ClaimAt{Problem: id, Claim: now.ID, Expires: now.Expires})
	}
	return store.PutClaim{Problem: id, Claim: next}
}

// Relate draws the effects of a relationship's begin or end: on both sides, or on one.
// The port does not mind.
func (d *drawer) Relate(id, other problem.ID) []store.Effect {
	side := d.side(id, other)
	if existing := d.existing(); len(existing) > 0 && d.oneIn(2) {
		side = pick(d, existing)
		drops := []store.Effect{
			store.DropRelationship{Owner: side.Owner, Type: side.Type, Other: side.Other},
			store.DropRelationship{Owner: side.Other, Type: side.Type.Mirror(), Other: side.Owner},
		}
		if d.oneIn(3) { // and come back
			drops[1] = store.PutRelationship{Relationship: side}
		}
		return drops[:1+d.IntN(2)]
	}
	if d.oneIn(4) {
		return []store.Effect{store.DropRelationship{Owner: side.Owner, Type: side.Type, Other: side.Other}}
	}
	puts := []store.Effect{store.PutRelationship{Relationship: side}, store.PutRelationship{Relationship: side.Mirror()}}
	return puts[:1+d.IntN(2)]
}

// side draws one side of a new relationship.
func (d *drawer) side(id, other problem.ID) relationship.Relationship {
	return relationship.Relationship{Owner: id, Type: pick(d, relationship.Types()), Other: other, Created: d.time(), Author: pick(d, d.users)}
}

// existing returns the stored sides, in their order.
func (d *drawer) existing() []relationship.Relationship {
	return slices.SortedFunc(maps.Values(d.past.model.Now.Relationships), bench.CompareSides)
}

// Put draws an effect on metadata, users or tokens, new or known.
func (d *drawer) Put() store.Effect {
	o := pick(d, d.objects)
	name := func(known string) string { return known + pick(d, d.texts) } // no two are the same
	switch d.IntN(7) {
	case 0:
		s := o.States[0]
		s.Name, s.Resolved, s.Initial, s.Order = name(s.Name), d.oneIn(2), d.oneIn(2), d.IntN(9)-4
		s.Next = nil
		for range d.IntN(4) {
			s.Next = append(s.Next, d.b.ID())
		}
		d.Shuffle(len(s.Next), func(i, j int) { s.Next[i], s.Next[j] = s.Next[j], s.Next[i] })
		return store.PutState{State: s}
	case 1:
		p := o.Priorities[0]
		p.Name, p.Order = name(p.Name), d.IntN(9)-4
		return store.PutPriority{Priority: p}
	case 2:
		c := o.Classifications[0]
		c.Name = name(c.Name)
		return store.PutClassification{Classification: c}
	case 3:
		c := o.Components[0]
		c.Name, c.Closed, c.Successor, c.Parent = name(c.Name), d.oneIn(2), d.maybe(), d.maybe()
		return store.PutComponent{Component: c}
	case 4:
		m := o.Milestones[0]
		m.Name, m.Component, m.Created, m.Start, m.End = name(m.Name), d.maybe(), d.time(), d.maybeTime(), d.maybeTime()
		return store.PutMilestone{Milestone: m}
	case 5:
		u := user.User{ID: pick(d, d.users), Inactive: d.oneIn(2), RobotOf: d.maybe(), Mail: pick(d, []user.Mail{user.MailEverything, user.MailMine, user.MailNone}), Preferences: pick(d, []user.Preferences{"", "density=compact"})}
		u.Name, u.Email = name("User "+u.ID.String()), u.ID.String()+"@Example.org"
		return store.PutUser{User: u}
	default:
		t := d.b.Token()
		if known := d.past.model.Now.AllTokens; len(known) > 0 && d.oneIn(2) {
			old := pick(d, known)
			if d.oneIn(2) {
				return store.MarkUsed{Token: old.ID, At: d.time()}
			}
			t.ID, t.Digest = old.ID, old.Digest
		}
		t.Scope, t.Expires, t.Revoked, t.LastUse = pick(d, []access.Scope{access.Read, access.Write, access.Admin}), d.maybeTime(), d.maybeTime(), d.maybeTime()
		return store.PutToken{Token: t}
	}
}

// drawing draws the value of a field, or null.
type drawing struct{ *drawer }

// Text implements problem.ClientKinds, as do the methods below.
func (d drawing) Text(f *problem.Field, text *string) (none struct{}) {
	*text = ""
	if d.oneIn(2) {
		*text = d.text(max(1, f.Rule.Max))
	}
	return none
}

// Reference leaves out users: Problem draws the assignee.
func (d drawing) Reference(f *problem.Field, id *ident.ID) (none struct{}) {
	*id = ident.None
	if f.To != metadata.Users {
		*id = d.maybe()
	}
	return none
}

// Date draws any date.
func (d drawing) Date(_ *problem.Field, day *date.Date) (none struct{}) {
	*day = date.None
	if d.oneIn(2) {
		*day = date.Min + date.Date(d.IntN(int(date.Max-date.Min)+1))
	}
	return none
}

// Problem draws a problem.
func (d *drawer) Problem(id problem.ID) problem.Problem {
	p := d.b.Problem(id)
	p.Title, p.Revision = d.text(1000), int64(1+d.IntN(3))
	for _, f := range problem.ClientFields() {
		if !f.Required { // the title has a text, and the state is drawn below
			problem.ClientValue(f, &p.Fields, drawing{d})
		}
	}
	if d.oneIn(2) {
		p.State = d.state()
	}
	if d.oneIn(2) {
		p.Assignee = pick(d, d.users)
	}
	p.Created, p.Modified = d.time(), d.time()
	if d.oneIn(2) {
		p.Resolver, p.Resolved = ident.None, time.Time{}
	}
	return p
}

// state draws one of few states.
func (d *drawer) state() ident.ID { return pick(d, d.objects).States[0].ID }

// corrected draws what a comment becomes: another text, or its place alone.
func (d *drawer) corrected(c problem.Comment) problem.Comment {
	if d.oneIn(3) {
		return c.Place()
	}
	edited := d.Comment()
	edited.ID, edited.Author, edited.Via, edited.Created = c.ID, c.Author, c.Via, c.Created
	edited.Edited, edited.Editor = d.b.Now(), pick(d, d.users)
	return edited
}

// attachment draws the record of a new attachment of the problem, or of one that is there.
func (d *drawer) attachment(id problem.ID) problem.Attachment {
	a := d.b.Attachment()
	a.Name, a.Created, a.Bytes = pick(d, d.names), d.time(), d.Int64N(1000)
	if d.oneIn(2) {
		a.Deleted = time.Time{}
	}
	for _, there := range d.past.model.Now.Attachments {
		if there.Problem == id && d.oneIn(2) {
			a.ID = there.Attachment.ID
		}
	}
	return a
}

// Comment draws a comment.
func (d *drawer) Comment() problem.Comment {
	c := d.b.Comment(d.text(5000))
	c.HTML, c.Created = d.value(), d.time()
	return c
}

// Entry draws a log entry.
func (d *drawer) Entry(id problem.ID) problem.LogEntry {
	e := d.b.Entry(id)
	e.Created, e.Revision = d.time(), int64(1+d.IntN(3))
	switch d.IntN(3) {
	case 0:
		e.Type, e.Field, e.From, e.To = problem.ProblemCreated, "", "", problem.LogObject()
	case 1:
		e.Type, e.Field, e.From = problem.KeywordSet, pick(d, d.names), problem.LogNoValue
		e.To = problem.LogText(d.text(1000))
	}
	return e
}

// reply draws a reply.
func (d *drawer) reply(who ident.ID, key string, at time.Time) store.Reply {
	r := store.Reply{User: who, Key: key, Created: at}
	r.Fingerprint[d.IntN(32)] = byte(d.IntN(256))
	for range d.IntN(4) {
		r.Body = append(r.Body, byte(d.IntN(256)), 0)
	}
	return r
}

// key draws the key of a reply: one of few.
func (d *drawer) key() string { return pick(d, []string{"key", "KEY", strings.Repeat("~", 255)}) }

// value draws a text, an empty one, or none at all.
func (d *drawer) value() problem.NullText {
	switch d.IntN(4) {
	case 0:
		return problem.NullText{}
	case 1:
		return problem.Text("")
	}
	return problem.Text(d.text(5000))
}

// maybe draws an identifier or none.
func (d *drawer) maybe() ident.ID {
	if d.oneIn(2) {
		return ident.None
	}
	return d.b.ID()
}

// time draws a time.
func (d *drawer) time() time.Time {
	if d.oneIn(6) {
		return pick(d, bench.Times())
	}
	return d.b.Now()
}

// maybeTime draws a time or none.
func (d *drawer) maybeTime() time.Time {
	if d.oneIn(2) {
		return time.Time{}
	}
	return d.time()
}

// text draws a text of at most so many characters, and at least one.
func (d *drawer) text(most int) string {
	switch {
	case d.oneIn(20):
		return strings.Repeat("\U0001f600", most)
	case d.oneIn(2):
		return pick(d, d.texts)
	}
	return fmt.Sprint("text ", d.IntN(10))
}

// hurtful returns texts known to change in storage, and some known to be mistaken for
// others.
func hurtful() []string {
	var all []string
	for _, specimen := range bench.Texts() {
		all = append(all, specimen.Text)
	}
	slices.Sort(all)
	return append(all,
		"a", "A", "a ", " a", "\u00e1", "a\u0301", "ss", "\u00df", "i", "\u0130", "k", "\u212a", "1", "01")
}

// sizeLike returns a size for a drawn problem, small or large.
func sizeLike(p problem.Problem) int64 { return int64(len(p.Title)) * snapshot.Small / 8 }
