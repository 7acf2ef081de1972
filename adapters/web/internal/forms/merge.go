package forms

import (
	"net/url"

	"github.com/problemtracking/problems/adapters/web/internal/difference"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// Conflict is a field with different values.
type Conflict struct {
	Field             string
	Label             string // key of the text
	Before, Now, Mine string
	// Theirs is true for a value changed by others since, and Own for one changed in the form.
	Theirs, Own bool
	// NowWords and MineWords are the differences to the text before; nil for dates and for
	// the names of other objects.
	NowWords, MineWords []difference.Span
}

// Merge returns a form that began with the values of base on top of those of now: with the
// values of the form where it changed any, and the current ones elsewhere. It also returns all
// fields that the form, or others since, changed.
func Merge(form url.Values, base, now problem.Fields, c *metadata.Catalogue) (merged Form, conflicts []Conflict) {
	before, current := New(base, 1, c), New(now, 1, c)
	merged = current
	row := func(r Conflict) bool {
		r.Own, r.Theirs = r.Mine != r.Before, r.Now != r.Before
		if r.Own || r.Theirs {
			conflicts = append(conflicts, r)
		}
		return r.Own
	}
	for i, was := range before.Texts {
		if !form.Has(was.Field) {
			continue
		}
		r := Conflict{Field: was.Field, Label: was.Label, Before: was.Value, Now: current.Texts[i].Value, Mine: form.Get(was.Field)}
		if !was.Date {
			r.NowWords, r.MineWords = difference.Words(r.Before, r.Now), difference.Words(r.Before, r.Mine)
		}
		if row(r) {
			merged.Texts[i].Value = r.Mine
		}
	}
	for i, was := range before.Choices {
		if !form.Has(was.Field) {
			continue
		}
		mine := was.NameOf(form.Get(was.Field))
		if !row(Conflict{Field: was.Field, Label: was.Label, Before: was.Value, Now: current.Choices[i].Value, Mine: mine}) {
			continue
		}
		merged.Choices[i].Select(form.Get(was.Field), mine)
	}
	return merged, conflicts
}
