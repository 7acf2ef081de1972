package memory

import (
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// draft is the unfinished state of a Change. It replaces parts shared with the previous
// state, and never changes them in place.
type draft struct {
	state
	interned interned
	batch    ident.ID
	records  map[problem.ID]*record // the draft's own, not yet among the problems
	events   []happening            // published so far

	highest problem.ID // the highest number created by the Change
	expired time.Time  // batches settled before it are to be forgotten
}

func newDraft(current *state, interned interned, batch ident.ID) *draft {
	return &draft{state: *current, interned: interned, batch: batch, records: make(map[problem.ID]*record)}
}

// run does all effects of the Change.
func (d *draft) run(change store.Change) error {
	for _, expectation := range change.Expect {
		if err := d.expect(expectation); err != nil {
			return err
		}
	}
	for _, effect := range change.Effects {
		if err := d.apply(effect); err != nil {
			return err
		}
	}
	for _, entry := range change.Log {
		if err := d.edit(entry.Problem, func(r *record) { r.log = grown(r.log, d.interned.entry(entry)) }); err != nil {
			return err
		}
	}
	return nil
}

// edit calls fn with the draft's own copy of a problem's record. The copy still shares
// the slices of the original.
func (d *draft) edit(id problem.ID, fn func(*record)) error {
	own := d.records[id]
	if own == nil {
		original := d.record(id)
		if original == nil {
			return conflict("problem %d does not exist", id)
		}
		copied := *original
		own = &copied
		d.records[id] = own
	}
	fn(own)
	return nil
}

// finish returns the drafted state of the Change.
func (d *draft) finish(change store.Change) *state {
	next := d.state
	next.position++
	next.enter(change.Batch, change.At, d.interned.author(change.Author, change.Via), d.events)
	for id, own := range d.records {
		next.problems = next.problems.put(uint64(id), own)
	}
	next.versions = d.versions.After(change)
	if next.versions.Catalogue != d.versions.Catalogue {
		next.catalogue = lazyCatalogue(next.versions.Catalogue, next.content)
	}
	return &next
}

// lazyCatalogue returns a function that makes a catalogue at its first call. Otherwise a
// thousand new users in a row would each make one.
func lazyCatalogue(version ident.Version, content metadata.Content) func() *metadata.Catalogue {
	return sync.OnceValue(func() *metadata.Catalogue {
		// The catalogue sorts its argument.
		return metadata.NewCatalogue(version, clone(content))
	})
}

// clone returns content that shares no memory with its argument.
func clone(content metadata.Content) metadata.Content {
	states := slices.Clone(content.States)
	for i := range states {
		states[i].Next = slices.Clone(states[i].Next)
	}
	return metadata.Content{
		States:          states,
		Priorities:      slices.Clone(content.Priorities),
		Classifications: slices.Clone(content.Classifications),
		Components:      slices.Clone(content.Components),
		Milestones:      slices.Clone(content.Milestones),
		Users:           slices.Clone(content.Users),
	}
}
