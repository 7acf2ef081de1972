package transfer

import (
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

// savedQuery checks a saved query, but for the grammar of its predicate and its order:
// whoever runs it is told.
func (c *Checker) savedQuery(q query.Saved) {
	c.only(KindSavedQuery, c.queryIDs, q.ID)
	c.reference("/owner", metadata.Users, q.Owner)
	q.Name = c.text("/name", text.Name, q.Name)
	q.Predicate = c.text("/predicate", predicateText, q.Predicate)
	q.Sort = c.text("/sort", sortText, q.Sort)
	c.moment("/creationDate", q.Created)
	c.queries = append(c.queries, q)
}
