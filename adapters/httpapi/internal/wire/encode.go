package wire

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/erasure"
	"github.com/problemtracking/problems/domain/user"
)

// Encoder appends JSON to a buffer: each record with exactly the members of D1 to
// D8, in their order. It writes bytes and nothing else, because most requests read a
// problem with its log. The types of this package describe the same records to the
// OpenAPI document; a test holds the two together.
type Encoder struct {
	Buf       []byte
	Catalogue *metadata.Catalogue // to render references with
	Base      string              // the base path, to render types of errors with
	Past      bool                // problems are shown as they stood (D36)
	Only      Selection           // if not nil: the members of problems to write
	Table     *Table              // if not nil: found problems are lines of it
	shown     problem.Problem     // the problem being written
	withClaim bool                // problems have their claims

	// TokenNames, if not nil, returns the names of tokens.
	TokenNames func(ident.ID) string

	// Send, if not nil, takes the answer in parts. It returns false when nobody takes
	// more: then Stopped is true. The first byte of Buf was the last one of the former
	// part, and is sent already, when carried is 1.
	Send    func([]byte) bool
	carried int
	Stopped bool
}

// PartSize is about how long a part of an answer is.
const PartSize = 128 << 10

// Drain sends a part of the answer, if it is sent in parts and there is enough for one.
func (e *Encoder) Drain() {
	if e.Send != nil && len(e.Buf) >= PartSize {
		e.Flush()
	}
}

// Flush sends the buffer except its last byte: the latter decides whether a comma comes
// next.
func (e *Encoder) Flush() {
	if e.Stopped = e.Stopped || !e.Send(e.Buf[e.carried:]); len(e.Buf) > 0 {
		e.Buf[0] = e.Buf[len(e.Buf)-1]
		e.Buf, e.carried = e.Buf[:1], 1
	}
}

// TimeLayout is RFC 3339 with exactly three decimals (D9).
const TimeLayout = "2006-01-02T15:04:05.000Z"

// AppendTime appends a time in UTC as t.AppendFormat does with TimeLayout, but does not
// read the layout each time. With AppendFormat, the server spends 14 % more CPU time on
// the load of a problem with 1,000 log entries.
func AppendTime(b []byte, t time.Time) []byte {
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(b, TimeLayout)
	}
	hour, minute, second := t.Clock()
	ms := t.Nanosecond() / 1e6
	b = append(appendTwo(appendTwo(b, year/100), year%100), '-')
	b = append(appendTwo(b, int(month)), '-')
	b = append(appendTwo(b, day), 'T')
	b = append(appendTwo(b, hour), ':')
	b = append(appendTwo(b, minute), ':')
	b = append(appendTwo(b, second), '.')
	return append(appendTwo(append(b, '0'+byte(ms/100)), ms%100), 'Z')
}

// appendTwo appends a number below 100 as two digits.
func appendTwo(b []byte, n int) []byte { return append(b, '0'+byte(n/10), '0'+byte(n%10)) }

// next writes the comma between two values. A buffer with one of the bytes below at its
// end is at the first value: a string ends in a quote. The space is that of ServerSent.
func (e *Encoder) next() {
	if n := len(e.Buf); n > 0 {
		switch e.Buf[n-1] {
		case '{', '[', ':', ' ':
		default:
			e.Buf = append(e.Buf, ',')
		}
	}
}

// Open begins an array or an object with its bracket.
func (e *Encoder) Open(bracket byte) { e.next(); e.Buf = append(e.Buf, bracket) }

// Close ends an array or an object with its bracket.
func (e *Encoder) Close(bracket byte) { e.Buf = append(e.Buf, bracket) }

// key writes the name of a member; its value has to follow.
func (e *Encoder) key(name string) *Encoder {
	e.next()
	e.Buf = append(append(append(e.Buf, '"'), name...), '"', ':')
	return e
}

// JSON writes a value from its JSON text.
func (e *Encoder) JSON(json string) { e.next(); e.Buf = append(e.Buf, json...) }
func (e *Encoder) null()            { e.JSON("null") }
func (e *Encoder) bool(b bool)      { e.next(); e.Buf = strconv.AppendBool(e.Buf, b) }

// Int writes an integer.
func (e *Encoder) Int(n int64) { e.next(); e.Buf = strconv.AppendInt(e.Buf, n, 10) }

// mark writes a mark of the caller, watched or read: known for today only, and null in
// the past.
func (e *Encoder) mark(b bool) {
	if e.Past {
		e.null()
		return
	}
	e.bool(b)
}

// Text writes a string. It escapes only where JSON demands it. Stored text is valid
// UTF-8, so quoting cannot fail.
func (e *Encoder) Text(s string) { e.next(); e.Buf, _ = jsontext.AppendQuote(e.Buf, s) }

// ID writes an identifier.
func (e *Encoder) ID(id ident.ID) {
	e.next()
	e.Buf = id.Append(append(e.Buf, '"'))
	e.Buf = append(e.Buf, '"')
}

func (e *Encoder) nullText(t problem.NullText) {
	if !t.Valid {
		e.null()
		return
	}
	e.Text(t.String)
}

// Time writes a time, and null for the zero Time.
func (e *Encoder) Time(t time.Time) {
	if t.IsZero() {
		e.null()
		return
	}
	e.next()
	e.Buf = AppendTime(append(e.Buf, '"'), t.UTC())
	e.Buf = append(e.Buf, '"')
}

// named begins an object with the common members of all metadata objects. An unstored
// one, from a dry run, has no identifier.
func (e *Encoder) named(id ident.ID, name string) {
	e.Open('{')
	if !id.IsNone() {
		e.key("identifier").ID(id)
	}
	e.key("name").Text(name)
}

// Reference writes {"identifier","name"}: an object inside another (D2).
func (e *Encoder) Reference(id ident.ID, name string, ok bool) {
	if !ok {
		e.null()
		return
	}
	e.named(id, name)
	e.Close('}')
}

// StateRef writes the identifier and the name of a state, or null when there is none.
func (e *Encoder) StateRef(id ident.ID) {
	s, ok := e.Catalogue.State(id)
	e.Reference(s.ID, s.Name, ok)
}

// UserRef writes the identifier and the name of a user, or null when there is none.
func (e *Encoder) UserRef(id ident.ID) {
	u, ok := e.Catalogue.User(id)
	e.Reference(u.ID, u.Name, ok)
}

// ComponentRef writes the identifier and the names of a component, or null when there is none.
func (e *Encoder) ComponentRef(id ident.ID) {
	c, ok := e.Catalogue.Component(id)
	if !ok {
		e.null()
		return
	}
	e.named(c.ID, c.Name)
	e.key("fullName").Text(e.Catalogue.FullName(c.ID))
	e.Close('}')
}

// State writes the state of the catalogue, or null when there is none.
func (e *Encoder) State(id ident.ID) {
	s, ok := e.Catalogue.State(id)
	if !ok {
		e.null()
		return
	}
	e.StateObject(s)
}

// StateObject writes a state.
func (e *Encoder) StateObject(s metadata.State) {
	e.named(s.ID, s.Name)
	e.key("resolved").bool(s.Resolved)
	e.key("initial").bool(s.Initial)
	e.key("order").Int(int64(s.Order))
	e.key("nextStates").Open('[')
	for _, next := range s.Next {
		e.StateRef(next)
	}
	e.Close(']')
	e.Close('}')
}

// Priority writes the priority of the catalogue, or null when there is none.
func (e *Encoder) Priority(id ident.ID) {
	p, ok := e.Catalogue.Priority(id)
	if !ok {
		e.null()
		return
	}
	e.PriorityObject(p)
}

// PriorityObject writes a priority.
func (e *Encoder) PriorityObject(p metadata.Priority) {
	e.named(p.ID, p.Name)
	e.key("order").Int(int64(p.Order))
	e.Close('}')
}

// Classification writes the classification of the catalogue, or null when there is none.
func (e *Encoder) Classification(id ident.ID) {
	c, ok := e.Catalogue.Classification(id)
	e.Reference(c.ID, c.Name, ok)
}

// ClassificationObject writes a classification.
func (e *Encoder) ClassificationObject(c metadata.Classification) { e.Reference(c.ID, c.Name, true) }

// Component writes the component of the catalogue, or null when there is none.
func (e *Encoder) Component(id ident.ID) {
	c, ok := e.Catalogue.Component(id)
	if !ok {
		e.null()
		return
	}
	e.componentMembers(c, e.Catalogue.FullName(id))
}

// ComponentObject writes a component.
func (e *Encoder) ComponentObject(c metadata.Component) {
	e.componentMembers(c, e.Catalogue.FullNameOf(c))
}

func (e *Encoder) componentMembers(c metadata.Component, fullName string) {
	e.named(c.ID, c.Name)
	e.key("fullName").Text(fullName)
	e.key("closed").bool(c.Closed)
	e.key("successor").ComponentRef(c.Successor)
	e.key("parent").ComponentRef(c.Parent)
	e.Close('}')
}

// Milestone writes the milestone of the catalogue, or null when there is none.
func (e *Encoder) Milestone(id ident.ID) {
	m, ok := e.Catalogue.Milestone(id)
	if !ok {
		e.null()
		return
	}
	e.MilestoneObject(m)
}

// MilestoneObject writes a milestone.
func (e *Encoder) MilestoneObject(m metadata.Milestone) {
	e.named(m.ID, m.Name)
	e.key("component").ComponentRef(m.Component)
	e.key("creationDate").Time(m.Created)
	e.key("startDate").Time(m.Start)
	e.key("endDate").Time(m.End)
	e.Close('}')
}

// User writes a user (D2). An unstored one, from a dry run, has no identifier.
func (e *Encoder) User(u user.User) {
	e.Open('{')
	if !u.ID.IsNone() {
		e.key("identifier").ID(u.ID)
	}
	e.key("name").Text(u.Name)
	e.key("email").Text(u.Email)
	e.key("inactive").bool(u.Inactive)
	e.key("robotOf").UserRef(u.RobotOf)
	e.Close('}')
}

// UserByID writes the user of the catalogue, or null when there is none.
func (e *Encoder) UserByID(id ident.ID) {
	u, ok := e.Catalogue.User(id)
	if !ok {
		e.null()
		return
	}
	e.User(u)
}

// Problem writes a problem with its log (D1). An unstored one, from a dry run, has no
// identifier.
func (e *Encoder) Problem(s snapshot.Snapshot) { e.FoundProblem(s, true) }

// FoundProblem writes a problem with its log or without (D31).
func (e *Encoder) FoundProblem(s snapshot.Snapshot, withLog bool) {
	if e.Table != nil {
		e.line(s)
		return
	}
	if !withLog {
		e.problemMembers(s)
		e.endOfProblem(s)
		return
	}
	_ = e.LargeProblem(s, Once(s.Log)) // a slice never fails
}

// Once returns the whole slice as a single portion.
func Once[T any](all []T) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) { yield(all, nil) }
}

// LargeProblem writes a problem with its log in portions.
func (e *Encoder) LargeProblem(s snapshot.Snapshot, log iter.Seq2[[]problem.LogEntry, error]) error {
	e.problemMembers(s)
	var err error
	if e.Only.Has("logs") {
		err = Portions(e.key("logs"), log, func(l problem.LogEntry) {
			at := len(e.Buf)
			e.logEntry(l)
			e.narrow(at, e.Only["logs"])
		})
	}
	e.endOfProblem(s)
	return err
}

// endOfProblem writes the claim, if it is wanted, and the end of a problem.
func (e *Encoder) endOfProblem(s snapshot.Snapshot) {
	if e.withClaim || e.Only != nil && e.Only.Has("claim") {
		e.key("claim")
		at := len(e.Buf)
		e.Claim(s.Claim)
		e.narrow(at, e.Only["claim"])
	}
	e.Close('}')
}

// Portions writes an array from its portions.
func Portions[T any](e *Encoder, all iter.Seq2[[]T, error], encode func(T)) error {
	e.Open('[')
	for portion, err := range all {
		if err != nil {
			return err
		}
		for _, one := range portion {
			if e.Stopped {
				return nil
			}
			encode(one)
			e.Drain()
		}
	}
	e.Close(']')
	return nil
}

// problemMembers writes a problem but for its log and its end.
func (e *Encoder) problemMembers(s snapshot.Snapshot) {
	size := 2048 // for most
	if e.Send == nil {
		size += 512 * len(s.Log)
	}
	e.Buf = slices.Grow(e.Buf, size)
	e.Open('{')
	if s.ID != 0 && e.Only.Has("identifier") {
		e.key("identifier").Int(int64(s.ID))
	}
	e.shown = s.Problem
	for _, f := range fields {
		if e.Only.Has(f.Name) {
			e.key(f.Name)
			at := len(e.Buf)
			problem.Value(f, &e.shown, fieldWriter{e})
			e.narrow(at, e.Only[f.Name])
		}
	}
	if e.Only.Has("keywords") {
		e.keywords(s.Keywords)
	}
	for _, m := range []struct {
		name string
		set  bool
	}{{"watching", s.Watching}, {"read", s.Read}, {"readByAssignee", s.ReadByAssignee}} {
		if e.Only.Has(m.name) {
			e.key(m.name).mark(m.set)
		}
	}
	if e.Only.Has("revision") {
		e.key("revision").Int(s.Revision)
	}
}

// ClaimedProblem writes a problem with its log and its claim (D49).
func (e *Encoder) ClaimedProblem(s snapshot.Snapshot) {
	e.withClaim = e.Only == nil
	e.Problem(s)
}

// Claim writes a claim, or null for none.
func (e *Encoder) Claim(c problem.Claim) {
	e.claimOf(c, e.Catalogue.Name(metadata.Users, c.Holder))
}

func (e *Encoder) claimOf(c problem.Claim, holder string) {
	if c.ID.IsNone() {
		e.null()
		return
	}
	e.Open('{')
	e.key("identifier").ID(c.ID)
	e.key("holder").Reference(c.Holder, holder, true)
	e.via(c.Via)
	e.key("expires").Time(c.Expires)
	e.Close('}')
}

// via writes the token of an author, or null.
func (e *Encoder) via(token ident.ID) {
	e.key("via")
	if token.IsNone() {
		e.null()
		return
	}
	var name problem.NullText
	if e.TokenNames != nil {
		name.String = e.TokenNames(token)
		name.Valid = name.String != ""
	}
	e.Open('{')
	e.key("identifier").ID(token)
	e.key("name").nullText(name)
	e.Close('}')
}

func (e *Encoder) keywords(all []problem.Keyword) {
	e.key("keywords").Open('[')
	for _, k := range all {
		if e.Stopped {
			break
		}
		at := len(e.Buf)
		e.Keyword(k)
		e.narrow(at, e.Only["keywords"])
		e.Drain()
	}
	e.Close(']')
}

// Keyword writes a keyword.
func (e *Encoder) Keyword(k problem.Keyword) {
	e.Open('{')
	e.key("name").Text(k.Name)
	e.key("value").nullText(k.Value)
	e.Close('}')
}

// Comment writes a comment.
func (e *Encoder) Comment(c problem.Comment) {
	e.Open('{')
	e.key("identifier").ID(c.ID)
	e.key("author").UserRef(c.Author)
	e.via(c.Via)
	e.key("creationDate").Time(c.Created)
	e.key("text").Text(c.Text)
	e.key("html").nullText(c.HTML)
	e.key("editDate").Time(c.Edited)
	e.key("editor").UserRef(c.Editor)
	e.Close('}')
}

// Attachment writes the record of a file.
func (e *Encoder) Attachment(a problem.Attachment) {
	e.Open('{')
	e.key("identifier").ID(a.ID)
	e.key("name").Text(a.Name)
	e.key("mediaType").Text(a.MediaType)
	e.key("size").Int(a.Bytes)
	e.key("digest").Text(a.Digest.String())
	e.key("author").UserRef(a.Author)
	e.key("creationDate").Time(a.Created)
	e.key("deleteDate").Time(a.Deleted)
	e.Close('}')
}

// Places writes the places of a redacted text.
func (e *Encoder) Places(p tracker.Places) {
	e.Open('{')
	for _, kind := range []struct {
		name string
		n    int
	}{{"places", p.Total()}, {"title", p.Title}, {"savepoints", p.Savepoints}, {"keywords", p.Keywords}, {"comments", p.Comments}, {"attachments", p.Attachments}, {"log", p.Log}, {"events", p.Events}} {
		e.key(kind.name).Int(int64(kind.n))
	}
	e.Close('}')
}

// Erasure writes how far the erasure of a user is (D46).
func (e *Encoder) Erasure(of erasure.Erasure) {
	e.Open('{')
	e.key("user").User(of.User)
	e.key("done").bool(of.Done)
	for _, count := range []struct {
		name string
		n    int
	}{
		{"through", int(of.Through)}, {"problems", of.Problems}, {"log", of.Log}, {"watches", of.Watches},
		{"audit", of.Audit}, {"tokens", of.Tokens}, {"sessions", of.Sessions}, {"savedQueries", of.Saved},
	} {
		e.key(count.name).Int(int64(count.n))
	}
	e.key("texts")
	List(e, of.Texts, func(id problem.ID) { e.Int(int64(id)) })
	e.key("queries")
	List(e, of.Queries, e.id)
	e.key("webhooks")
	List(e, of.Webhooks, e.id)
	e.Close('}')
}

func (e *Encoder) id(id ident.ID) { e.ID(id) }

// Relationship writes a relationship, with a part of the other problem.
func (e *Encoder) Relationship(r snapshot.Related) {
	e.Open('{')
	e.key("type").Text(string(r.Type))
	e.key("problemIdentifier").Int(int64(r.Other))
	e.key("creationDate").Time(r.Created)
	e.key("author").UserRef(r.Author)
	e.key("problem").Open('{')
	e.key("identifier").Int(int64(r.Other))
	e.key("title").Text(r.OtherTitle)
	e.key("state").StateRef(r.OtherState)
	e.Close('}')
	e.Close('}')
}

func (e *Encoder) logEntry(l problem.LogEntry) {
	e.Open('{')
	e.key("identifier").ID(l.ID)
	e.key("type").Text(string(l.Type))
	e.key("creationDate").Time(l.Created)
	e.key("author").UserRef(l.Author)
	e.via(l.Via)
	e.key("batchIdentifier").ID(l.Batch)
	e.key("isSignificant").bool(l.Type.Significant())
	e.key("field").nullText(problem.NullText{String: l.Field, Valid: l.Field != ""})
	e.key("from").JSON(l.From.JSON())
	e.key("to").JSON(l.To.JSON())
	e.Close('}')
}

// Token writes a token (D30). An unstored one, from a dry run, has no identifier.
func (e *Encoder) Token(t access.Token) {
	e.Open('{')
	e.tokenMembers(t)
	e.Close('}')
}

// IssuedToken writes a token with its secret, if there is one.
func (e *Encoder) IssuedToken(t admin.IssuedToken) {
	e.Open('{')
	e.tokenMembers(t.Token)
	if secret := t.Secret.Reveal(); secret != "" {
		e.key("token").Text(secret)
	}
	e.Close('}')
}

func (e *Encoder) tokenMembers(t access.Token) {
	if !t.ID.IsNone() {
		e.key("identifier").ID(t.ID)
	}
	e.key("user").UserRef(t.User)
	e.key("scope").Text(string(t.Scope))
	e.key("creationDate").Time(t.Created)
	e.key("expires").Time(t.Expires)
	e.key("revoked").Time(t.Revoked)
	e.key("name").nullText(problem.NullText{String: t.Name, Valid: t.Name != ""})
	e.key("lastUse").Time(t.LastUse)
	e.key("invitation").bool(t.Invitation)
}

// Me writes the owner of a token (D33).
func (e *Encoder) Me(c tracker.Caller, u user.User) {
	e.Open('{')
	e.key("user").User(u)
	e.key("scope").Text(string(c.Scope))
	e.key("expires").Time(c.Expires)
	e.Close('}')
}

// Mail writes the e-mail that a user gets.
func (e *Encoder) Mail(u user.User) {
	e.Open('{')
	e.key("mail").Text(u.Mail.String())
	e.Close('}')
}

// Preferences writes the preferences of a user.
func (e *Encoder) Preferences(u user.User) {
	text := func(s string) { e.nullText(problem.NullText{String: s, Valid: s != ""}) }
	of := u.Preferences.Choices()
	e.Open('{')
	e.key("columns")
	text(string(of.Columns))
	e.key("density").Text(of.Density())
	e.key("language")
	text(of.Language)
	e.key("timeZone")
	text(of.TimeZone)
	e.key("keys").bool(!of.KeysOff)
	e.Close('}')
}

// Failure writes an error (RFC 9457, D18).
func (e *Encoder) Failure(f *fault.Error, kind httpframe.Failure, requestID string) {
	e.Open('{')
	e.key("type").Text(ErrorType(e.Base, kind.Kind))
	e.key("title").Text(kind.Title)
	e.key("status").Int(int64(kind.Status))
	e.key("detail").Text(f.Detail)
	e.key("instance").Text("urn:request:" + requestID)
	e.key("errors").items(f.Items)
	if wrong, ok := errors.AsType[*predicate.Error](f.Err); ok && kind.Kind == fault.InvalidPredicate {
		e.key("kind").Text(string(wrong.Kind))
		e.key("line").Int(int64(wrong.Line))
		e.key("column").Int(int64(wrong.Column))
		if wrong.Meant != "" {
			e.key("suggestion").Text(wrong.Meant)
		}
	}
	if gone, ok := errors.AsType[*tracker.GoneError](f.Err); ok {
		e.key("oldest").Text(gone.Oldest.String())
		e.key("newest").Text(gone.Newest.String())
	}
	if by, ok := errors.AsType[*tracker.ClaimedError](f.Err); ok {
		e.key("claim").claimOf(by.Claim, by.Name)
	}
	e.Close('}')
}

// SavedQuery writes a saved query. An unstored one, from a dry run, has no identifier.
func (e *Encoder) SavedQuery(q query.Saved) {
	e.Open('{')
	if !q.ID.IsNone() {
		e.key("identifier").ID(q.ID)
	}
	e.key("owner").UserRef(q.Owner)
	e.key("name").Text(q.Name)
	e.key("predicate").Text(q.Predicate)
	e.key("sort").nullText(problem.NullText{String: q.Sort, Valid: q.Sort != ""})
	e.key("columns").nullText(problem.NullText{String: string(q.Columns), Valid: q.Columns != ""})
	e.key("shared").bool(q.Shared)
	e.key("creationDate").Time(q.Created)
	e.Close('}')
}

// items writes the faults of a body.
func (e *Encoder) items(items []fault.Item) {
	List(e, items, func(item fault.Item) {
		e.Open('{')
		e.key("type").Text(ErrorType(e.Base, item.Kind))
		e.key("detail").Text(item.Detail)
		e.key("pointer").Text(pointer(item.At))
		e.Close('}')
	})
}

// ErrorType returns the path of the page about a kind of error.
func ErrorType(base string, kind fault.Kind) string {
	return base + "/errors/" + httpframe.FailureOf(kind).Slug
}

// List writes an array of records.
func List[T any](e *Encoder, records []T, encode func(T)) {
	e.Open('[')
	for _, r := range records {
		if e.Stopped {
			return
		}
		encode(r)
		e.Drain()
	}
	e.Close(']')
}
