package bench

import (
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Edit changes a problem of the image.
func Edit(seen *Image, id problem.ID, fn func(*snapshot.Snapshot)) {
	s := seen.Problems[id]
	fn(&s)
	seen.Problems[id] = s
}

// Stamp sets the batch of everything raised or stored by the change, and the size of
// problems.
func Stamp(seen *Image, change store.Change) {
	for _, effect := range change.Effects {
		switch e := effect.(type) {
		case store.CreateProblem:
			Edit(seen, e.Problem.ID, func(s *snapshot.Snapshot) { s.Batch, s.Size = change.Batch, e.Size })
		case store.UpdateProblem:
			Edit(seen, e.Problem.ID, func(s *snapshot.Snapshot) { s.Batch, s.Size = change.Batch, e.Size })
		}
	}
	catalogue, access := change.Raises()
	if catalogue {
		seen.Versions.Catalogue.Batch, seen.Catalogue.Batch = change.Batch, change.Batch
		for id := range seen.Problems {
			Edit(seen, id, func(s *snapshot.Snapshot) { s.Catalogue.Batch = change.Batch })
		}
	}
	if access {
		seen.Versions.Access.Batch = change.Batch
	}
}

// Update replaces a problem of the image, also where others show it.
func Update(seen *Image, p problem.Problem) {
	Edit(seen, p.ID, func(s *snapshot.Snapshot) { s.Problem = p })
	for _, s := range seen.Problems {
		for i := range s.Relationships {
			if related := &s.Relationships[i]; related.Other == p.ID {
				related.OtherTitle, related.OtherState = p.Title, p.State
			}
		}
	}
}
