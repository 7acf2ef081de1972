package transfer

import (
	"errors"

	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/text"
)

// The texts of a saved query (section 6 of the query language).
var (
	predicateText = text.Rule{Min: 1, MaxBytes: predicate.MaxBytes}
	sortText      = text.Rule{MaxBytes: predicate.MaxBytes}
)

// savedQuery checks a saved query.
func (c *Checker) savedQuery(q query.Saved) {
	c.only(KindSavedQuery, c.queryIDs, q.ID)
	c.reference("/owner", metadata.Users, q.Owner)
	q.Name = c.text("/name", text.Name, q.Name)
	q.Predicate = c.text("/predicate", predicateText, q.Predicate)
	q.Sort = c.text("/sort", sortText, q.Sort)
	c.moment("/creationDate", q.Created)
	c.compiles("/predicate", q.CheckPredicate())
	c.compiles("/sort", q.CheckSort())
	c.queries = append(c.queries, q)
}

// compiles refuses what does not compile, but for the limits of the query language.
// Those were wider in older versions, and a query that exceeds them is refused when it
// is run.
func (c *Checker) compiles(field string, err error) {
	e, ok := errors.AsType[*predicate.Error](err)
	switch {
	case !ok:
		c.rule(field, err)
	case e.Kind == predicate.LimitExceeded, e.Kind == predicate.TooExpensive, e.Kind == predicate.InvalidPattern:
	default:
		c.refuse(field, "is no valid one: %s (line %d, column %d)", e.Message, e.Line, e.Column)
	}
}
