package httpapi

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
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

// encoder appends JSON to a buffer: each record with exactly the members of D1 to
// D8, in their order. It writes bytes and nothing else, because reading a problem
// with its log is what the service does most. The types of wire.go describe the
// same records to the OpenAPI document; a test holds the two together.
type encoder struct {
	buf       []byte
	catalogue *metadata.Catalogue // to render references with
	base      string              // the base path, to render types of errors with
	past      bool                // problems are shown as they stood (D36)
	shown     problem.Problem     // the problem whose fields are written

	// send, if not nil, takes the answer in parts; false stops it: nobody takes more. The
	// first byte of buf was sent already when carried is 1: it is the last one that was.
	send    func([]byte) bool
	carried int
	stopped bool
}

// partSize is about how long a part of an answer is.
const partSize = 128 << 10

// drain sends a part of the answer, if it is sent in parts and there is enough for one.
func (e *encoder) drain() {
	if e.send != nil && len(e.buf) >= partSize {
		e.flush()
	}
}

// flush sends what there is. Its last byte stays: it tells whether a comma comes next.
func (e *encoder) flush() {
	if e.stopped = e.stopped || !e.send(e.buf[e.carried:]); len(e.buf) > 0 {
		e.buf[0] = e.buf[len(e.buf)-1]
		e.buf, e.carried = e.buf[:1], 1
	}
}

// timeLayout is RFC 3339 with exactly three decimals (D9).
const timeLayout = "2006-01-02T15:04:05.000Z"

// appendTime appends a time in UTC as t.AppendFormat does with timeLayout, without
// reading that anew each time: a problem with its log has many times.
func appendTime(b []byte, t time.Time) []byte {
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(b, timeLayout)
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

// next writes the comma that parts a value from the one before it. A buffer that
// ends in one of the bytes below is at the first one: a string ends in a quote.
func (e *encoder) next() {
	if n := len(e.buf); n > 0 {
		switch e.buf[n-1] {
		case '{', '[', ':':
		default:
			e.buf = append(e.buf, ',')
		}
	}
}

func (e *encoder) open(bracket byte)  { e.next(); e.buf = append(e.buf, bracket) }
func (e *encoder) close(bracket byte) { e.buf = append(e.buf, bracket) }

// key writes the name of a member; its value has to follow.
func (e *encoder) key(name string) *encoder {
	e.next()
	e.buf = append(append(append(e.buf, '"'), name...), '"', ':')
	return e
}

func (e *encoder) raw(json string) { e.next(); e.buf = append(e.buf, json...) }
func (e *encoder) null()           { e.raw("null") }
func (e *encoder) bool(b bool)     { e.next(); e.buf = strconv.AppendBool(e.buf, b) }
func (e *encoder) int(n int64)     { e.next(); e.buf = strconv.AppendInt(e.buf, n, 10) }

// mark writes what is only known of today: whether somebody watches or has read.
func (e *encoder) mark(b bool) {
	if e.past {
		e.null()
		return
	}
	e.bool(b)
}

// string writes text as it is: nothing is escaped that JSON does not demand. What
// is stored is valid UTF-8, so that quoting cannot fail.
func (e *encoder) string(s string) { e.next(); e.buf, _ = jsontext.AppendQuote(e.buf, s) }

func (e *encoder) id(id ident.ID) {
	e.next()
	e.buf = id.Append(append(e.buf, '"'))
	e.buf = append(e.buf, '"')
}

func (e *encoder) nullText(t problem.NullText) {
	if !t.Valid {
		e.null()
		return
	}
	e.string(t.String)
}

func (e *encoder) time(t time.Time) {
	if t.IsZero() {
		e.null()
		return
	}
	e.next()
	e.buf = appendTime(append(e.buf, '"'), t.UTC())
	e.buf = append(e.buf, '"')
}

// named begins an object with what all metadata objects begin with. One that was not
// stored, in a dry run, has no identifier.
func (e *encoder) named(id ident.ID, name string) {
	e.open('{')
	if !id.IsNone() {
		e.key("identifier").id(id)
	}
	e.key("name").string(name)
}

// ref writes {"identifier","name"}: an object inside another (D2).
func (e *encoder) ref(id ident.ID, name string, ok bool) {
	if !ok {
		e.null()
		return
	}
	e.named(id, name)
	e.close('}')
}

func (e *encoder) stateRef(id ident.ID) {
	s, ok := e.catalogue.State(id)
	e.ref(s.ID, s.Name, ok)
}

func (e *encoder) userRef(id ident.ID) {
	u, ok := e.catalogue.User(id)
	e.ref(u.ID, u.Name, ok)
}

func (e *encoder) componentRef(id ident.ID) {
	c, ok := e.catalogue.Component(id)
	if !ok {
		e.null()
		return
	}
	e.named(c.ID, c.Name)
	e.key("fullName").string(e.catalogue.FullName(c.ID))
	e.close('}')
}

func (e *encoder) state(id ident.ID) {
	s, ok := e.catalogue.State(id)
	if !ok {
		e.null()
		return
	}
	e.stateObject(s)
}

func (e *encoder) stateObject(s metadata.State) {
	e.named(s.ID, s.Name)
	e.key("resolved").bool(s.Resolved)
	e.key("initial").bool(s.Initial)
	e.key("order").int(int64(s.Order))
	e.key("nextStates").open('[')
	for _, next := range s.Next {
		e.stateRef(next)
	}
	e.close(']')
	e.close('}')
}

func (e *encoder) priority(id ident.ID) {
	p, ok := e.catalogue.Priority(id)
	if !ok {
		e.null()
		return
	}
	e.priorityObject(p)
}

func (e *encoder) priorityObject(p metadata.Priority) {
	e.named(p.ID, p.Name)
	e.key("order").int(int64(p.Order))
	e.close('}')
}

func (e *encoder) classification(id ident.ID) {
	c, ok := e.catalogue.Classification(id)
	e.ref(c.ID, c.Name, ok)
}

func (e *encoder) classificationObject(c metadata.Classification) { e.ref(c.ID, c.Name, true) }

func (e *encoder) component(id ident.ID) {
	c, ok := e.catalogue.Component(id)
	if !ok {
		e.null()
		return
	}
	e.componentMembers(c, e.catalogue.FullName(id))
}

func (e *encoder) componentObject(c metadata.Component) {
	e.componentMembers(c, e.catalogue.FullNameOf(c))
}

func (e *encoder) componentMembers(c metadata.Component, fullName string) {
	e.named(c.ID, c.Name)
	e.key("fullName").string(fullName)
	e.key("closed").bool(c.Closed)
	e.key("successor").componentRef(c.Successor)
	e.key("parent").componentRef(c.Parent)
	e.close('}')
}

func (e *encoder) milestone(id ident.ID) {
	m, ok := e.catalogue.Milestone(id)
	if !ok {
		e.null()
		return
	}
	e.milestoneObject(m)
}

func (e *encoder) milestoneObject(m metadata.Milestone) {
	e.named(m.ID, m.Name)
	e.key("component").componentRef(m.Component)
	e.key("creationDate").time(m.Created)
	e.key("startDate").time(m.Start)
	e.key("endDate").time(m.End)
	e.close('}')
}

// user writes a user (D2), of which one that was not stored, in a dry run, has no
// identifier.
func (e *encoder) user(u user.User) {
	e.open('{')
	if !u.ID.IsNone() {
		e.key("identifier").id(u.ID)
	}
	e.key("name").string(u.Name)
	e.key("email").string(u.Email)
	e.key("inactive").bool(u.Inactive)
	e.close('}')
}

func (e *encoder) userByID(id ident.ID) {
	u, ok := e.catalogue.User(id)
	if !ok {
		e.null()
		return
	}
	e.user(u)
}

// problem writes a problem with its log (D1). One that was not stored, in a dry
// run, has no identifier.
func (e *encoder) problem(s store.Snapshot) { e.foundProblem(s, true) }

// foundProblem writes a problem with its log or without (D31).
func (e *encoder) foundProblem(s store.Snapshot, withLog bool) {
	if !withLog {
		e.problemMembers(s)
		e.close('}')
		return
	}
	_ = e.largeProblem(s, once(s.Log)) // which do not fail
}

// once returns what is there as a whole as if it came in portions.
func once[T any](all []T) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) { yield(all, nil) }
}

// largeProblem writes a problem with a log that comes in portions.
func (e *encoder) largeProblem(s store.Snapshot, log iter.Seq2[[]problem.LogEntry, error]) error {
	e.problemMembers(s)
	err := portions(e.key("logs"), log, e.logEntry)
	e.close('}')
	return err
}

// portions writes an array of what comes in portions.
func portions[T any](e *encoder, all iter.Seq2[[]T, error], encode func(T)) error {
	e.open('[')
	for portion, err := range all {
		if err != nil {
			return err
		}
		for _, one := range portion {
			if e.stopped {
				return nil
			}
			encode(one)
			e.drain()
		}
	}
	e.close(']')
	return nil
}

// problemMembers writes a problem but for its log and its end.
func (e *encoder) problemMembers(s store.Snapshot) {
	room := 2048 // for most
	if e.send == nil {
		room += 512 * len(s.Log)
	}
	e.buf = slices.Grow(e.buf, room)
	e.open('{')
	if s.ID != 0 {
		e.key("identifier").int(int64(s.ID))
	}
	e.shown = s.Problem
	for _, m := range fieldMembers {
		m.write(e.key(m.name), &e.shown)
	}
	e.key("keywords").open('[')
	for _, k := range s.Keywords {
		if e.stopped {
			break
		}
		e.keyword(k)
		e.drain()
	}
	e.close(']')
	e.key("watching").mark(s.Watching)
	e.key("read").mark(s.Read)
	e.key("readByAssignee").mark(s.ReadByAssignee)
	e.key("revision").int(s.Revision)
}

func (e *encoder) keyword(k problem.Keyword) {
	e.open('{')
	e.key("name").string(k.Name)
	e.key("value").nullText(k.Value)
	e.close('}')
}

func (e *encoder) comment(c problem.Comment) {
	e.open('{')
	e.key("identifier").id(c.ID)
	e.key("author").userRef(c.Author)
	e.key("creationDate").time(c.Created)
	e.key("text").string(c.Text)
	e.key("html").nullText(c.HTML)
	e.close('}')
}

func (e *encoder) relationship(r store.Related) {
	e.open('{')
	e.key("type").string(string(r.Type))
	e.key("problemIdentifier").int(int64(r.Other))
	e.key("creationDate").time(r.Created)
	e.key("author").userRef(r.Author)
	e.key("problem").open('{')
	e.key("identifier").int(int64(r.Other))
	e.key("title").string(r.OtherTitle)
	e.key("state").stateRef(r.OtherState)
	e.close('}')
	e.close('}')
}

func (e *encoder) logEntry(l problem.LogEntry) {
	e.open('{')
	e.key("identifier").id(l.ID)
	e.key("type").string(string(l.Type))
	e.key("creationDate").time(l.Created)
	e.key("author").userRef(l.Author)
	e.key("batchIdentifier").id(l.Batch)
	e.key("isSignificant").bool(l.Type.Significant())
	e.key("field").nullText(problem.NullText{String: l.Field, Valid: l.Field != ""})
	e.key("from").raw(l.From.JSON())
	e.key("to").raw(l.To.JSON())
	e.close('}')
}

// token writes a token (D30), of which one that was not stored, in a dry run, has
// no identifier.
func (e *encoder) token(t access.Token) {
	e.open('{')
	e.tokenMembers(t)
	e.close('}')
}

// issuedToken writes a token with its secret, if that exists.
func (e *encoder) issuedToken(t tracker.IssuedToken) {
	e.open('{')
	e.tokenMembers(t.Token)
	if secret := t.Secret.Reveal(); secret != "" {
		e.key("token").string(secret)
	}
	e.close('}')
}

func (e *encoder) tokenMembers(t access.Token) {
	if !t.ID.IsNone() {
		e.key("identifier").id(t.ID)
	}
	e.key("user").userRef(t.User)
	e.key("scope").string(string(t.Scope))
	e.key("creationDate").time(t.Created)
	e.key("expires").time(t.Expires)
	e.key("revoked").time(t.Revoked)
}

// me writes whom a token stands for (D33).
func (e *encoder) me(c tracker.Caller, u user.User) {
	e.open('{')
	e.key("user").user(u)
	e.key("scope").string(string(c.Scope))
	e.key("expires").time(c.Expires)
	e.close('}')
}

// failure writes an error (RFC 9457, D18).
func (e *encoder) failure(f *fault.Error, kind httpframe.Failure, requestID string) {
	e.open('{')
	e.key("type").string(errorType(e.base, kind.Kind))
	e.key("title").string(kind.Title)
	e.key("status").int(int64(kind.Status))
	e.key("detail").string(f.Detail)
	e.key("instance").string("urn:request:" + requestID)
	e.key("errors").items(f.Items)
	if wrong, ok := errors.AsType[*predicate.Error](f.Err); ok && kind.Kind == fault.InvalidPredicate {
		e.key("kind").string(string(wrong.Kind))
		e.key("line").int(int64(wrong.Line))
		e.key("column").int(int64(wrong.Column))
	}
	e.close('}')
}

// savedQuery writes a saved query, of which one that was not stored, in a dry run,
// has no identifier.
func (e *encoder) savedQuery(q query.Saved) {
	e.open('{')
	if !q.ID.IsNone() {
		e.key("identifier").id(q.ID)
	}
	e.key("owner").userRef(q.Owner)
	e.key("name").string(q.Name)
	e.key("predicate").string(q.Predicate)
	e.key("sort").nullText(problem.NullText{String: q.Sort, Valid: q.Sort != ""})
	e.key("creationDate").time(q.Created)
	e.close('}')
}

// items writes the faults of a body.
func (e *encoder) items(items []fault.Item) {
	list(e, items, func(item fault.Item) {
		e.open('{')
		e.key("type").string(errorType(e.base, item.Kind))
		e.key("detail").string(item.Detail)
		e.key("pointer").string(pointerTo(item.At))
		e.close('}')
	})
}

// errorType returns the path of the page about a kind of error.
func errorType(base string, kind fault.Kind) string {
	return base + "/errors/" + httpframe.FailureOf(kind).Slug
}

// list writes an array of records.
func list[T any](e *encoder, records []T, encode func(T)) {
	e.open('[')
	for _, r := range records {
		if e.stopped {
			return
		}
		encode(r)
		e.drain()
	}
	e.close(']')
}
