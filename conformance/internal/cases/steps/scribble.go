package steps

import (
	"slices"

	"github.com/problemtracking/problems/domain/store"
)

// Scribble overwrites the elements of a slice, and the memory behind them.
func Scribble[E any](s *[]E) {
	var zero E
	clear(*s)
	*s = append(*s, zero)
	slices.Reverse(*s)
}

// ScribbleDossier overwrites the lists of a dossier.
func ScribbleDossier(d *store.Dossier) {
	Scribble(&d.Keywords)
	Scribble(&d.Log)
	Scribble(&d.Comments)
	Scribble(&d.Relationships)
	Scribble(&d.Watchers)
	Scribble(&d.Readers)
	Scribble(&d.Savepoints)
	Scribble(&d.Attachments)
}
