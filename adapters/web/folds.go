package web

import (
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/problem"
)

// A problem can have hundreds of keywords, and a request can change as many. A page shows the
// first ones, and the others on request.
const (
	keywordsAtOnce = 20
	changesAtOnce  = 12
)

// fold divides a list into the shown elements and the folded ones.
func fold[T any](all []T, atOnce int) (first, more []T) {
	if len(all) <= atOnce {
		return all, nil
	}
	return all[:atOnce], all[atOnce:]
}

// changes lists the changes of one request, in words.
type changes []change

// AtOnce returns the shown changes.
func (c changes) AtOnce() []change {
	first, _ := fold(c, changesAtOnce)
	return first
}

// More returns the folded changes.
func (c changes) More() []change {
	_, more := fold(c, changesAtOnce)
	return more
}

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

// AtOnce returns the shown keywords.
func (k keywordRows) AtOnce() []keywordRow {
	first, _ := fold(k, keywordsAtOnce)
	return first
}

// More returns the folded keywords.
func (k keywordRows) More() []keywordRow {
	_, more := fold(k, keywordsAtOnce)
	return more
}
