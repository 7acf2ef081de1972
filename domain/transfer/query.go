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
	predicateText = text.Rule{Min: 1, MaxBytes: predicate.MaxBytes, AsSent: true}
	sortText      = text.Rule{MaxBytes: predicate.MaxBytes, AsSent: true}
)

// savedQuery checks a saved query.
func (c *Checker) savedQuery(q query.Saved) {
	c.uniqueID(KindSavedQuery, c.queryIDs, q.ID)
	c.reference("/owner", metadata.Users, q.Owner)
	q.Name = c.text("/name", text.Name, q.Name)
	q.Predicate = c.text("/predicate", predicateText, q.Predicate)
	q.Sort = c.text("/sort", sortText, q.Sort)
	c.rule("/columns", q.Columns.Check())
	c.moment("/creationDate", q.Created)
	c.compiles("/predicate", q.CheckPredicate())
	c.compiles("/sort", q.CheckSort())
	c.queries = append(c.queries, q)
}

// compiles refuses a text with a syntax or type error, but ignores the limits of the
// query language. Older versions had wider limits. The service refuses a query beyond
// them on execution.
func (c *Checker) compiles(field string, err error) {
	e, ok := errors.AsType[*predicate.Error](err)
	switch {
	case !ok:
		c.rule(field, err)
	case e.Kind == predicate.LimitExceeded, e.Kind == predicate.TooExpensive, e.Kind == predicate.InvalidPattern:
	default:
		c.refuse(field, "is not valid: %s (line %d, column %d)", e.Message, e.Line, e.Column)
	}
}
