package main

import (
	"context"
	"time"

	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// withHistory is a data set with a feed: so many patches of a state, each by itself.
type withHistory struct {
	*dataset.Tracker
	problems  int64
	catalogue *metadata.Catalogue
	events    int64
	ids       ident.Sequence
	began     time.Time
}

// newHistory adds a feed to a data set.
func newHistory(ctx context.Context, t *dataset.Tracker, problems, events int64) (*withHistory, error) {
	catalogue, err := t.Catalogue(ctx)
	began := time.Date(2021, time.January, 1, 0, 0, 0, 0, time.UTC)
	// The other identifiers of the data set have another random part.
	return &withHistory{Tracker: t, problems: problems, catalogue: catalogue, events: events, began: began, ids: ident.NewSequence(began, [10]byte{1})}, err
}

// Feed implements transfer.Reader, for one reading from the begin.
func (h *withHistory) Feed(_ context.Context, from int64, limit int, _ int64) (entries []event.Entry, err error) {
	content := h.catalogue.Content()
	for n := from; n <= h.events && len(entries) < limit; n++ {
		state, next := content.States[n%2], content.States[(n+1)%2]
		entries = append(entries, event.Entry{
			Number: n, Batch: h.ids.Next(), At: h.began.Add(time.Duration(n) * time.Second),
			Author: content.Users[n%int64(len(content.Users))].ID,
			Events: []event.Event{{
				Type: event.ProblemChanged, Problem: problem.ID(1 + n%h.problems), Title: "A problem with a title as long as usual",
				State: next.ID, Revision: 2 + n/h.problems,
				Lines: []event.Line{{ID: h.ids.Next(), Type: string(problem.FieldChanged), Field: "state",
					From: problem.LogRef(state.ID, state.Name), To: problem.LogRef(next.ID, next.Name)}},
			}},
		})
	}
	return entries, nil
}
