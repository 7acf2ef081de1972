package archive_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/column"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// synthetic is a transfer.Reader of problems that are made when they are asked
// for, always the same ones from one seed.
type synthetic struct {
	content  metadata.Content
	tokens   []access.Token
	queries  []query.Saved
	entries  []audit.Entry
	seed     uint64
	problems problem.ID
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// maker makes up what problems are made of.
type maker struct {
	*rand.Rand
	ids ident.Sequence
}

func newMaker(seed uint64, n int64) *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, uint64(n)))}
	var random [10]byte
	for i := range random {
		random[i] = byte(m.Uint32())
	}
	m.ids = ident.NewSequence(epoch.Add(time.Duration(n)*time.Second), random)
	return m
}

// characters are what is known to go wrong somewhere.
var characters = []rune("ab z\"\\/<>&'{}[]:,\u007e\u00a0éßñ\u0301\u0323\u1100\u1161\u11a8가\u2028\u2029\ufeff\ufffd\uffff你\U0001f600\U0010ffff")

// text returns a text that meets the rule.
func (m *maker) text(rule text.Rule) string {
	pool := characters
	if !rule.Line {
		pool = append(slices.Clone(pool), '\t', '\r', '\n')
	}
	for {
		s := make([]rune, m.IntN(12))
		for i := range s {
			s[i] = pool[m.IntN(len(pool))]
		}
		if applied, err := rule.Apply(string(s)); err == nil {
			return applied
		}
	}
}

func (m *maker) nullText(rule text.Rule) problem.NullText {
	if m.IntN(3) == 0 {
		return problem.NullText{}
	}
	return problem.Text(m.text(rule))
}

// predicates are what users have saved, with what is easily changed on the way.
var predicates = []string{"TRUEPREDICATE", "\t title CONTAINS '\u00e9\\'\u2028' \r\n", "assignee.identifier = $ApiUser AND title != \"\\n\u0303\U0001f600\""}

// newSynthetic returns a synthetic with metadata, users and tokens.
func newSynthetic(seed uint64, problems problem.ID) *synthetic {
	m := newMaker(seed, 0)
	s := &synthetic{seed: seed, problems: problems}
	id := func() ident.ID { return m.ids.Next() }
	c := &s.content
	for i := range 4 {
		unique := string(rune('A' + i)) // names may not be used twice
		c.States = append(c.States, metadata.State{ID: id(), Name: unique + "1" + m.text(text.Name), Initial: i == 0, Resolved: i > 1, Order: m.IntN(9) - 4})
		c.Priorities = append(c.Priorities, metadata.Priority{ID: id(), Name: unique, Order: i})
		c.Classifications = append(c.Classifications, metadata.Classification{ID: id(), Name: unique})
		c.Components = append(c.Components, metadata.Component{ID: id(), Name: unique, Closed: i == 2})
		c.Milestones = append(c.Milestones, metadata.Milestone{ID: id(), Name: unique, Component: c.Components[0].ID, Created: epoch})
		c.Users = append(c.Users, user.User{ID: id(), Name: m.text(text.Name), Email: unique + "@example.org", Inactive: i == 3, Mail: []user.Mail{user.MailEverything, user.MailMine, user.MailNone}[i%3], Preferences: []user.Preferences{"", "columns=state keys=off"}[i%2]})
	}
	c.States[0].Next = []ident.ID{c.States[3].ID, c.States[1].ID}
	c.Components[0].Parent, c.Components[1].Successor = c.Components[3].ID, c.Components[2].ID
	c.Users[3].RobotOf = c.Users[0].ID
	c.Milestones[1].Start, c.Milestones[2].End = epoch, epoch.Add(time.Hour)
	for i, scope := range access.Scopes() {
		token := access.Token{ID: id(), User: c.Users[i%3].ID, Scope: scope, Created: epoch}
		for j := range token.Digest {
			token.Digest[j] = byte(m.Uint32())
		}
		s.tokens = append(s.tokens, token)
	}
	s.tokens[1].Expires, s.tokens[2].Revoked, s.tokens[2].Invitation = epoch.Add(time.Hour), epoch, true
	s.tokens[1].Name, s.tokens[2].LastUse = m.text(text.Name), epoch
	for i := range 3 {
		s.queries = append(s.queries, query.Saved{ID: id(), Owner: c.Users[i].ID, Name: m.text(text.Name), Predicate: predicates[i], Sort: []string{"", "-identifier", "state.name , title"}[i], Columns: []column.List{"", "due,state"}[i%2], Shared: i == 1, Created: epoch})
		s.entries = append(s.entries,
			audit.Entry{ID: id(), Created: epoch, Batch: id(), Type: audit.Created, Kind: audit.User, Object: c.Users[i].ID, Name: m.text(text.Name),
				To: problem.LogObject(problem.LogMember{Name: "name", Value: problem.LogText(m.text(text.Name))}, problem.LogMember{Name: "inactive", Value: "false"})},
			audit.Entry{ID: id(), Created: epoch, Author: c.Users[0].ID, Batch: id(), Type: audit.Changed, Kind: audit.Token, Object: s.tokens[i].ID, Name: m.text(text.Name),
				Field: "name", From: problem.LogText(m.text(text.Rule{})), To: problem.LogText(m.text(text.Rule{}))})
	}
	slices.Reverse(s.tokens) // these are in no order of identifiers
	slices.Reverse(s.queries)
	slices.Reverse(s.entries)
	return s
}

func (s *synthetic) Catalogue(context.Context) (*metadata.Catalogue, error) {
	c := s.content
	return metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{
		States: slices.Clone(c.States), Priorities: slices.Clone(c.Priorities), Classifications: slices.Clone(c.Classifications),
		Components: slices.Clone(c.Components), Milestones: slices.Clone(c.Milestones), Users: slices.Clone(c.Users),
	}), nil
}

// object returns the identifier of the n-th object of a kind.
func (s *synthetic) object(kind metadata.Kind, n int) ident.ID {
	switch c := s.content; kind {
	case metadata.States:
		return c.States[n].ID
	case metadata.Priorities:
		return c.Priorities[n].ID
	case metadata.Classifications:
		return c.Classifications[n].ID
	case metadata.Components:
		return c.Components[n].ID
	case metadata.Milestones:
		return c.Milestones[n].ID
	default:
		return c.Users[n].ID
	}
}

func (s *synthetic) Tokens(context.Context) ([]access.Token, error) { return s.tokens, nil }

func (s *synthetic) SavedQueries(context.Context, ident.ID) ([]query.Saved, error) {
	return s.queries, nil
}

// Webhooks has a webhook of each of three users, with a value in every member of one.
func (s *synthetic) Webhooks(_ context.Context, skip, limit int) (all []webhook.Webhook, _ error) {
	m := newMaker(s.seed, 1<<40)
	for i := range 3 {
		w := webhook.Webhook{Endpoint: webhook.Endpoint{
			ID: m.ids.Next(), Version: m.ids.Next(), Owner: s.content.Users[i].ID, Created: epoch, URL: "https://example.org/" + strings.Repeat("a", m.IntN(9)),
			OnFailure: []webhook.OnFailure{webhook.Wait, webhook.Park}[i%2], Secret: webhook.SecretRef{Key: webhook.KeyID{byte(i), 7: byte(m.Uint32())}, Generation: 1}, Epoch: 1 + int64(i),
		}}
		if i > 0 {
			c := event.Cursor{Number: 1 + int64(m.IntN(1e6)), Index: 1 + i, Batch: m.ids.Next()}
			w.Types, w.Predicate, w.Active = []event.Type{"user.changed", event.ProblemCreated}, predicates[i], true
			w.Secret.Rotated, w.Secret.RotatedBefore, w.Secret.Generation, w.From = epoch, epoch, 3, c
			w.Progress = webhook.Progress{Epoch: int64(i), Cursor: c, State: webhook.Waiting, Reason: m.text(text.Name), Failures: 3, Next: epoch, Parked: 4}
		}
		all = append(all, w)
	}
	return all[min(skip, 3):][:min(limit, 3-min(skip, 3))], nil
}

func (s *synthetic) Audit(_ context.Context, skip, limit int) ([]audit.Entry, error) {
	rest := s.entries[min(skip, len(s.entries)):]
	return rest[:min(limit, len(rest))], nil
}

// Feed has an entry about each audit entry, and one about each two problems. It begins at
// 17: the entries before it are forgotten.
func (s *synthetic) Feed(_ context.Context, from int64, limit int, _ int64) (page []event.Entry, _ error) {
	const first = 17
	last := first + int64(len(s.entries)) + int64(s.problems)/2 - 1
	for number := max(from, first); number <= last && len(page) < limit; number++ {
		m := newMaker(s.seed, -number)
		e := event.Entry{Number: number, Batch: m.ids.Next(), At: epoch.Add(time.Duration(m.IntN(1e6)) * time.Millisecond)}
		if m.IntN(4) > 0 {
			e.Author, e.Via = s.content.Users[m.IntN(4)].ID, s.tokens[0].ID
		}
		line := func(of, field string) event.Line {
			return event.Line{ID: m.ids.Next(), Type: of, Field: field, From: problem.LogText(m.text(text.Rule{})), To: `{"b":1,"a": [ ]}`}
		}
		if i := int(number - first); i < len(s.entries) {
			a := s.entries[i]
			e.Events = []event.Event{{Type: event.TypeOf(a.Kind, a.Type == audit.Created), Kind: a.Kind, Object: a.Object, Name: m.text(text.Name), Lines: []event.Line{line(string(a.Type), "name")}}}
		} else {
			for j := range 2 {
				id := problem.ID(2*(i-len(s.entries)) + j + 1)
				e.Events = append(e.Events, event.Event{
					Type: event.ProblemChanged, Problem: id, Title: m.text(text.Title), State: s.content.States[m.IntN(4)].ID, Revision: 1 + int64(m.IntN(3)),
					Lines: []event.Line{line("FieldChanged", "title"), {ID: m.ids.Next(), Type: "KeywordDeleted"}},
				})
			}
		}
		page = append(page, e)
	}
	return page, nil
}

func (s *synthetic) Problems(_ context.Context, ids []problem.ID, _ ident.ID, _ snapshot.Parts) (found []snapshot.Snapshot, _ error) {
	for _, n := range ids {
		if n <= s.problems {
			d := s.dossier(n)
			found = append(found, snapshot.Snapshot{Problem: d.Problem, Size: d.Size()})
		}
	}
	return found, nil
}

func (s *synthetic) Dossiers(_ context.Context, after problem.ID, limit int) (dossiers []store.Dossier, _ error) {
	for n := after + 1; n <= s.problems && len(dossiers) < limit; n++ {
		dossiers = append(dossiers, s.dossier(n))
	}
	return dossiers, nil
}

// making makes values of fields.
type making struct {
	*maker
	of *synthetic
}

// Text implements problem.ClientKinds, as do the methods below.
func (m making) Text(f *problem.Field, text *string) (none struct{}) {
	*text = m.text(f.Rule)
	return none
}

// Reference chooses an object of the catalogue.
func (m making) Reference(f *problem.Field, id *ident.ID) (none struct{}) {
	*id = m.of.object(f.To, m.IntN(4))
	return none
}

// Date makes any date.
func (m making) Date(_ *problem.Field, d *date.Date) (none struct{}) {
	*d = date.Min + date.Date(m.IntN(int(date.Max-date.Min)))
	return none
}

// dossier returns problem n: it was created, got a priority and perhaps a
// resolution, a comment, and a relationship with its neighbour.
func (s *synthetic) dossier(n problem.ID) store.Dossier {
	m, c := newMaker(s.seed, int64(n)), s.content
	author := c.Users[m.IntN(4)].ID
	d := store.Dossier{Problem: problem.Problem{
		ID: n, Fields: problem.Fields{Title: m.text(text.Title), State: c.States[0].ID},
		Originator: author, Created: epoch, Modifier: author, Modified: epoch, Revision: 1,
	}}
	for _, f := range problem.ClientFields() {
		if !f.Required && m.IntN(2) > 0 {
			problem.ClientValue(f, &d.Fields, making{m, s})
		}
	}
	var via ident.ID
	log := func(t problem.LogType, field string, from, to problem.LogValue, batch ident.ID) {
		d.Log = append(d.Log, problem.LogEntry{
			ID: m.ids.Next(), Problem: n, Type: t, Created: d.Modified, Author: d.Modifier, Via: via, Batch: batch,
			Field: field, From: from, To: to, Revision: d.Revision,
		})
	}
	next := func() ident.ID {
		d.Revision++
		d.Modified = d.Modified.Add(time.Duration(m.IntN(1e6)) * time.Millisecond)
		return m.ids.Next()
	}
	batch := m.ids.Next()
	created := make([]problem.LogMember, 0, 8)
	for _, f := range problem.ClientFields() {
		created = append(created, problem.LogMember{Name: f.Name, Value: f.Log(&d.Fields, func(metadata.Kind, ident.ID) string { return m.text(text.Name) })})
	}
	log(problem.ProblemCreated, "", "", problem.LogObject(created...), batch)
	d.Savepoints = append(d.Savepoints, snapshot.Savepoint{Batch: batch, Problem: d.Problem})

	batch = next()
	before := d.Priority
	d.Priority = c.Priorities[m.IntN(4)].ID
	log(problem.FieldChanged, "priority", problem.LogRef(before, m.text(text.Name)), problem.LogRef(d.Priority, m.text(text.Name)), batch)
	if state := c.States[m.IntN(4)]; state.Resolved {
		log(problem.FieldChanged, "state", problem.LogRef(d.State, m.text(text.Name)), problem.LogRef(state.ID, m.text(text.Name)), batch)
		d.State, d.Resolver, d.Resolved = state.ID, author, d.Modified
	}
	d.Savepoints = append(d.Savepoints, snapshot.Savepoint{Batch: batch, Problem: d.Problem})

	via = s.tokens[1].ID
	batch = next()
	comment := problem.Comment{ID: m.ids.Next(), Author: author, Via: via, Created: d.Modified, Text: m.text(text.Comment), HTML: m.nullText(text.Rule{})}
	log(problem.CommentAdded, "comments", "", problem.LogText(comment.ID.String()), batch)
	switch m.IntN(3) {
	case 0:
		batch = next()
		log(problem.CommentEdited, "comments", problem.LogComment(comment, ""), problem.LogText(comment.ID.String()), batch)
		comment.Edited, comment.Editor = d.Modified, author
	case 1:
		batch = next()
		log(problem.CommentDeleted, "comments", problem.LogDeletedComment(comment, problem.LogRef(author, m.text(text.Name)), ""), "", batch)
		comment = comment.Place()
	}
	d.Comments = append(d.Comments, comment)

	batch = next()
	file := problem.Attachment{ID: m.ids.Next(), Name: "é " + comment.ID.String(), MediaType: "image/png", Bytes: m.Int64N(1<<53 - 1), Digest: problem.Digest{byte(n), 9}, Author: author, Created: d.Modified}
	log(problem.AttachmentAdded, "attachments", "", file.Log(), batch)
	if m.IntN(2) == 0 {
		batch = next()
		file.Deleted = d.Modified
		log(problem.AttachmentDeleted, "attachments", file.Log(), "", batch)
	}
	d.Attachments = append(d.Attachments, file)

	for _, prefix := range []string{"1", "2"} {
		d.Keywords = append(d.Keywords, problem.Keyword{Name: prefix + m.text(text.KeywordName), Value: m.nullText(text.KeywordValue)})
	}
	if low := n - (n+1)%2; low < s.problems { // 1 with 2, 3 with 4, …
		types := relationship.Types()
		r := relationship.Relationship{Owner: low, Type: types[int(low)%len(types)], Other: low + 1, Created: epoch, Author: c.Users[0].ID}
		if n != low {
			r = r.Mirror()
		}
		d.Relationships = append(d.Relationships, r)
	}
	for _, u := range c.Users {
		if m.IntN(2) == 0 {
			d.Watchers = append(d.Watchers, u.ID)
		}
		if m.IntN(2) == 0 {
			d.Readers = append(d.Readers, u.ID)
		}
	}
	return d
}
