package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
)

// prepared is a checked search.
type prepared struct {
	user  ident.ID
	query [32]byte
	now   time.Time
	zone  *time.Location
	plan  *predicate.Plan
	sort  []predicate.Order
	limit int // 0: all
	after *Position
}

// Check returns the faults of the members independent of the predicate and of stored
// data. It is for adapters that have to report these first (D18).
func (s Search) Check() fault.List {
	faults := slices.Clone(s.Faults)
	if body.Given(s.Limit) && (s.Limit.Value < 1 || s.Limit.Value > MostOnPage) {
		faults.Add(fault.InvalidValue, fault.At("limit"), "has to be 1 to %d", MostOnPage)
	}
	return faults
}

// checkSelection requires exactly one of predicate and saved query. It fails with
// fault.MalformedRequest.
func checkSelection(predicate patch.Field[string], saved patch.Field[ident.ID]) error {
	switch {
	case body.Given(predicate) && body.Given(saved):
		return fault.New(fault.MalformedRequest, "predicate and savedQuery exclude each other: a search has one of them")
	case body.Given(predicate) || body.Given(saved):
		return nil
	}
	return fault.New(fault.MalformedRequest, "a search needs a predicate, or a savedQuery")
}

// checkSelection requires the same of a search for the kind of objects. Faults of a
// sent member are in Faults instead.
func (s Search) checkSelection(root predicate.Entity) error {
	if !body.Given(s.Predicate) && !body.Given(s.Saved) {
		switch {
		case s.Faults.Covers(fault.At("predicate")) || s.Faults.Covers(fault.At("savedQuery")):
			return nil
		case s.After != nil:
			return fault.New(fault.MalformedRequest, "a cursor alone is no search: send the same predicate and sort with the cursor, by POST if they are too long for a URL")
		case root != predicate.Problem:
			return fault.New(fault.MalformedRequest, "a search needs a predicate")
		}
	}
	return checkSelection(s.Predicate, s.Saved)
}

// prepare checks a search and compiles its predicate, in the order of D18. NOW() is the
// time of the first page.
func (as Reader) prepare(ctx context.Context, root predicate.Entity, cmd Search) (prepared, error) {
	q := prepared{user: as.caller.User, zone: as.s.core.Zone, now: as.s.core.Time(), limit: int(cmd.Limit.Value), after: cmd.After}
	if err := cmd.checkSelection(root); err != nil {
		return q, err
	}
	if q.after != nil {
		q.now = q.after.Now
	}
	text, order := cmd.Predicate.Value, cmd.Sort.Value
	var err error
	if body.Given(cmd.Predicate) {
		if err = q.compile(text, root); err != nil {
			return q, err
		}
	}
	if q.sort, err = compileOrder(order, root); err != nil {
		return q, err
	}
	if body.Given(cmd.Saved) {
		saved, err := as.savedQuery(ctx, cmd.Saved.Value)
		if err != nil {
			return q, err
		}
		if text = saved.Predicate; !body.Given(cmd.Sort) {
			order = saved.Sort
		}
		if err = q.compile(text, root); err != nil {
			return q, err
		}
		if q.sort, err = compileOrder(order, root); err != nil {
			return q, err
		}
	}
	if len(cmd.Faults) == 0 { // else the search is not known
		parts := []string{string(root), text, order}
		if slices.ContainsFunc(q.sort, func(o predicate.Order) bool { return canBe(nil, o.Path) }) {
			parts = append(parts, "nil last") // it was first: positions from then would skip objects
		}
		q.query = fingerprint(parts...)
		if err := q.checkPosition(); err != nil {
			return q, err
		}
	}
	return q, cmd.Check().Err()
}

// compile checks the predicate of the search.
func (q *prepared) compile(text string, root predicate.Entity) (err error) {
	q.plan, err = compile(text, root, predicate.Env{Now: q.now, User: q.user, Zone: q.zone})
	return err
}

// compile checks a predicate. It fails with fault.InvalidPredicate, or with
// fault.QueryTooExpensive for a valid predicate with too many references.
func compile(text string, root predicate.Entity, env predicate.Env) (*predicate.Plan, error) {
	plan, err := check.Compile(text, root, env)
	return plan, invalid(err, "")
}

// compileOrder checks an order. The empty order is by identifier. It fails as compile
// does.
func compileOrder(sort string, root predicate.Entity) ([]predicate.Order, error) {
	if sort == "" {
		return nil, nil
	}
	order, err := check.CompileOrder(sort, root)
	return order, invalid(err, "sort: ")
}

// invalid returns the fault of a compilation error.
func invalid(err error, before string) error {
	if e, ok := errors.AsType[*predicate.Error](err); ok {
		kind := fault.InvalidPredicate
		if e.Kind == predicate.TooExpensive {
			kind = fault.QueryTooExpensive
		}
		return fault.Wrap(kind, e, "%s%s", before, e.Message)
	}
	return err
}

// fingerprint identifies a search. A Position is valid only for a search with the same
// fingerprint.
func fingerprint(parts ...string) [32]byte {
	var b []byte
	for _, part := range parts {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(b)
}

// checkPosition refuses a forged position, and the position of another search.
func (q *prepared) checkPosition() error {
	p := q.after
	switch {
	case p == nil:
		return nil
	case p.User != q.user || p.Query != q.query:
		return fault.New(fault.MalformedRequest, "the cursor is of another search: of another user, predicate or sort, or of an earlier version of the service; begin again with the first page")
	case len(p.Keys) != len(q.sort), !isMoment(p.Now):
		return brokenPosition()
	}
	for i, key := range q.sort {
		if !canBe(p.Keys[i], key.Path) {
			return brokenPosition()
		}
	}
	return nil
}

func brokenPosition() error {
	return fault.New(fault.MalformedRequest, "the cursor was not made by this service")
}

// isMoment reports whether a time is possible for stored data (D9).
func isMoment(t time.Time) bool {
	return t.Year() >= 1 && t.Year() <= 9999 && t.Equal(t.Truncate(time.Millisecond))
}

// canBe reports whether a value is possible for the path. Stores never get other
// values, because the contract does not define their effect.
func canBe(v predicate.Value, path predicate.Path) bool {
	kind := path.Type().Kind
	switch v := v.(type) {
	case nil:
		return slices.ContainsFunc(path.Steps, func(key *predicate.Key) bool { return key.Nullable })
	case bool:
		return kind == predicate.Bool
	case int64:
		return kind == predicate.Int
	case string:
		return kind == predicate.String && utf8.ValidString(v) && !strings.ContainsRune(v, 0)
	case ident.ID:
		return kind == predicate.UUID
	case time.Time:
		return kind == predicate.Date && isMoment(v)
	}
	return false
}

// wanted returns the number of requested results. It is one more than the number shown,
// to detect further results.
func (q *prepared) wanted() int { return q.show() + 1 }

// show returns the largest number of shown results.
func (q *prepared) show() int {
	if q.limit == 0 {
		return MostFound
	}
	return q.limit
}

// more reports whether there are more results than shown. Without a limit, more results
// are an error (D31).
func (q *prepared) more(found int) (bool, error) {
	if q.limit == 0 && found > MostFound {
		return true, fault.New(fault.TooManyResults, "more than %d match: add a limit of 1 to %d, and follow the links to the next pages", MostFound, MostOnPage)
	}
	return found > q.show(), nil
}

// position returns the end of a page, without the last result itself.
func (q *prepared) position(keys []predicate.Value) *Position {
	return &Position{User: q.user, Query: q.query, Now: q.now, Keys: keys}
}

// problems returns the query for problems.
func (q *prepared) problems(c *metadata.Catalogue) store.Query {
	out := store.Query{Plan: q.plan, Sort: q.sort, Limit: q.wanted(), Catalogue: c}
	if q.after != nil {
		out.After = &store.Hit{ID: q.after.Problem, Keys: q.after.Keys}
	}
	return out
}

// objects returns the query for metadata objects.
func (q *prepared) objects(c *metadata.Catalogue) search.ObjectQuery {
	out := search.ObjectQuery{Plan: q.plan, Sort: q.sort, Limit: q.wanted(), Catalogue: c}
	if q.after != nil {
		out.After = &search.Object{ID: q.after.Object, Keys: q.after.Keys}
	}
	return out
}
