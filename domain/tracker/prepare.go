package tracker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
)

// prepared is a search that was checked.
type prepared struct {
	user  ident.ID
	query [32]byte
	now   time.Time
	plan  *predicate.Plan
	sort  []predicate.Order
	limit int // 0: all
	after *Position
}

// prepare checks a search and compiles its predicate. NOW() is that of the first page.
func (s *Service) prepare(ctx context.Context, caller Caller, root predicate.Entity, cmd Search) (prepared, error) {
	q := prepared{user: caller.User, now: s.time(), limit: cmd.Limit, after: cmd.After}
	if cmd.Limit < 0 || cmd.Limit > MostOnPage {
		return q, fault.New(fault.MalformedRequest, "limit has to be 1 to %d", MostOnPage)
	}
	text, order := cmd.Predicate, cmd.Sort.Value
	if !cmd.Saved.IsNone() {
		saved, err := s.savedQuery(ctx, cmd.Saved)
		if err != nil {
			return q, err
		}
		text = saved.Predicate
		if !cmd.Sort.Sent {
			order = saved.Sort
		}
	}
	if q.after != nil {
		q.now = q.after.Now
	}
	var err error
	if q.plan, err = compile(text, root, predicate.Env{Now: q.now, User: caller.User}); err != nil {
		return q, err
	}
	if q.sort, err = compileOrder(order, root); err != nil {
		return q, err
	}
	q.query = fingerprint(string(root), text, order)
	return q, q.checkPosition()
}

// compile checks a predicate. It fails with fault.InvalidPredicate.
func compile(text string, root predicate.Entity, env predicate.Env) (*predicate.Plan, error) {
	plan, err := predicate.Compile(text, root, env)
	return plan, invalid(err, "")
}

// compileOrder checks an order; the empty one is by identifier. It fails with
// fault.InvalidPredicate.
func compileOrder(sort string, root predicate.Entity) ([]predicate.Order, error) {
	if sort == "" {
		return nil, nil
	}
	order, err := predicate.CompileOrder(sort, root)
	return order, invalid(err, "sort: ")
}

// invalid returns the fault of what does not compile.
func invalid(err error, before string) error {
	if e, ok := errors.AsType[*predicate.Error](err); ok {
		return fault.Wrap(fault.InvalidPredicate, e, "%s%s", before, e.Message)
	}
	return err
}

// fingerprint tells the searches apart that a Position is not good for.
func fingerprint(parts ...string) [32]byte {
	var b []byte
	for _, part := range parts {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	return sha256.Sum256(b)
}

// checkPosition refuses a position that another search has returned, or none.
func (q *prepared) checkPosition() error {
	p := q.after
	switch {
	case p == nil:
		return nil
	case p.User != q.user || p.Query != q.query:
		return fault.New(fault.MalformedRequest, "the cursor is of another search: of another user, predicate or sort")
	case len(p.Keys) != len(q.sort), p.Now.Year() < 1 || p.Now.Year() > 9999:
		return brokenPosition()
	}
	for i, key := range q.sort {
		if !hasKind(p.Keys[i], key.Path.Type().Kind) {
			return brokenPosition()
		}
	}
	return nil
}

func brokenPosition() error {
	return fault.New(fault.MalformedRequest, "the cursor is none that this service has made")
}

// hasKind reports whether a value can be one of the kind.
func hasKind(v predicate.Value, kind predicate.Kind) bool {
	switch v.(type) {
	case nil:
		return true
	case bool:
		return kind == predicate.Bool
	case int64:
		return kind == predicate.Int
	case float64:
		return kind == predicate.Float
	case string:
		return kind == predicate.String
	case ident.ID:
		return kind == predicate.UUID
	case time.Time:
		return kind == predicate.Date
	}
	return false
}

// wanted is how many results are asked for: one more than are shown tells whether
// there are more.
func (q *prepared) wanted() int { return q.show() + 1 }

// show is how many results are shown at most.
func (q *prepared) show() int {
	if q.limit == 0 {
		return MostFound
	}
	return q.limit
}

// more reports whether there are more results than are shown. Without a limit, there
// cannot be (D31).
func (q *prepared) more(found int) (bool, error) {
	if q.limit == 0 && found > MostFound {
		return true, fault.New(fault.TooManyResults, "more than %d match: add a limit of 1 to %d, and follow the links to the next pages", MostFound, MostOnPage)
	}
	return found > q.show(), nil
}

// position returns where a page ends, but for the last result itself.
func (q *prepared) position(keys []predicate.Value) *Position {
	return &Position{User: q.user, Query: q.query, Now: q.now, Keys: keys}
}

// problems returns the query for problems.
func (q *prepared) problems(c *metadata.Catalogue) store.Query {
	out := store.Query{Plan: q.plan, Sort: q.sort, Limit: q.wanted(), As: q.user, Catalogue: c}
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
