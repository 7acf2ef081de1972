package searchtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
)

// Indexes compares the indexes of a store with those that searches count on. first has the
// first column of each index, as "problems.assignee".
func Indexes(t *testing.T, first []string) {
	t.Helper()
	counted := sqlsearch.Indexed()
	for _, column := range counted {
		if !slices.Contains(first, column) {
			t.Errorf("searches count on an index of %s, and no index begins with it", column)
		}
	}
	// A state has too many problems, as may have the lack of a priority. No search looks for the
	// number of a problem by an index.
	others := []string{"problems.state", "problems.priority", "problems.id"}
	for _, column := range first {
		if strings.HasPrefix(column, "problems.") && !slices.Contains(others, column) && !slices.Contains(counted, column) {
			t.Errorf("an index begins with %s, and searches do not count on it: add the column to package sqlsearch", column)
		}
	}
}
