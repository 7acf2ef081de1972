package web

import (
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/problem"
)

// keywordsAtOnce is how many keywords of a problem are shown without unfolding. A problem can
// have hundreds.
const keywordsAtOnce = 20

// keywordRow is a keyword of a problem, with the form to delete it.
type keywordRow struct {
	Problem    problem.ID
	Name, Text string
	To         string // the list of the problems with the same keyword
	Writer     bool
}

// keywordRows are the keywords of a problem.
type keywordRows []keywordRow

func newKeywordRows(id problem.ID, all []problem.Keyword, writer bool, f *links.Filters) keywordRows {
	var rows keywordRows
	for _, k := range all {
		rows = append(rows, keywordRow{id, k.Name, keywordText(k), f.Keyword(k), writer})
	}
	return rows
}

// keywordText returns a keyword as people read it.
func keywordText(k problem.Keyword) string {
	if !k.Value.Valid {
		return k.Name
	}
	return k.Name + ": " + k.Value.String
}

// AtOnce returns the shown keywords.
func (k keywordRows) AtOnce() []keywordRow { return k[:min(len(k), keywordsAtOnce)] }

// More returns the folded keywords.
func (k keywordRows) More() []keywordRow { return k[min(len(k), keywordsAtOnce):] }
