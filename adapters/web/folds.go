package web

import (
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/problem"
)

// A problem can have hundreds of keywords, and a request can change as many. The first ones
// are shown at once, and the others when somebody unfolds them.
const (
	keywordsAtOnce = 20
	changesAtOnce  = 12
	// lettersAtOnce is how much of a text is shown at once, in code points.
	lettersAtOnce = 200
)

// fold divides a list into the elements that are shown at once, and the others.
func fold[T any](all []T, atOnce int) (first, more []T) {
	if len(all) <= atOnce {
		return all, nil
	}
	return all[:atOnce], all[atOnce:]
}

// brief returns the beginning of a long text; empty: all of the text is shown at once.
func brief(text string) string {
	if utf8.RuneCountInString(text) <= lettersAtOnce {
		return ""
	}
	return string([]rune(text)[:lettersAtOnce]) + "…"
}

// changes are those of one request, in words.
type changes []change

// AtOnce returns the changes that are shown at once.
func (c changes) AtOnce() []change {
	first, _ := fold(c, changesAtOnce)
	return first
}

// More returns the changes that unfold.
func (c changes) More() []change {
	_, more := fold(c, changesAtOnce)
	return more
}

// keywordRow is a keyword of a problem, with the form that deletes it.
type keywordRow struct {
	Problem    problem.ID
	Name, Text string
	Writer     bool
}

// keywordRows are the keywords of a problem.
type keywordRows []keywordRow

func newKeywordRows(id problem.ID, all []problem.Keyword, writer bool) keywordRows {
	var rows keywordRows
	for _, k := range all {
		rows = append(rows, keywordRow{id, k.Name, keywordText(k), writer})
	}
	return rows
}

// AtOnce returns the keywords that are shown at once.
func (k keywordRows) AtOnce() []keywordRow {
	first, _ := fold(k, keywordsAtOnce)
	return first
}

// More returns the keywords that unfold.
func (k keywordRows) More() []keywordRow {
	_, more := fold(k, keywordsAtOnce)
	return more
}
