package sqlite

import (
	"strconv"

	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/problemtracking/problems/adapters/internal/bunstore"
	"github.com/problemtracking/problems/domain/problem"
)

// newDialect returns the statements as SQLite wants them. The writer counts
// positions itself.
func newDialect() *bunstore.Dialect {
	return bunstore.New(bunstore.Words{
		Bun:    sqlitedialect.New(),
		ID:     bunstore.IDText,
		IDInto: bunstore.IDTextInto,
		Among:  "IN (SELECT value FROM json_each(?))",
		List:   jsonList,
	})
}

func jsonList(ids []problem.ID) any {
	b := []byte{'['}
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(id), 10)
	}
	return string(append(b, ']'))
}
