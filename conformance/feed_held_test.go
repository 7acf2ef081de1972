package conformance

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// TestHeldCommit shows that FEED-003/held notices each wrong treatment of a late entry.
func TestHeldCommit(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(Cases(), func(c bench.Case) bool { return c.ID == "FEED-003/held" })
	if i < 0 {
		t.Fatal("there is no case FEED-003/held")
	}
	held := Cases()[i]
	for name, order := range map[string]func(w *late, all []event.Entry) []event.Entry{
		"puts the late entry at the number of its position": func(w *late, all []event.Entry) []event.Entry {
			slices.SortFunc(all, func(a, b event.Entry) int { return int(w.position[a.Batch] - w.position[b.Batch]) })
			return renumbered(all, 1)
		},
		"numbers entries by position": func(w *late, all []event.Entry) []event.Entry {
			for i := range all {
				all[i].Number = w.position[all[i].Batch]
			}
			return all
		},
		"skips the late entry": func(w *late, all []event.Entry) []event.Entry {
			last := int64(0)
			kept := slices.DeleteFunc(all, func(e event.Entry) bool {
				behind := w.position[e.Batch] < last
				last = max(last, w.position[e.Batch])
				return behind
			})
			return renumbered(kept, 1)
		},
		"shows nothing beside a Commit under way": func(w *late, all []event.Entry) []event.Entry {
			if w.waiting {
				return all[:min(2, len(all))]
			}
			return all
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if ended := attempt(t, held, holding(order), 1); ended.Status != report.Failed {
				t.Errorf("the case ended as %s: %s", ended.Status, ended.Failure)
			}
		})
	}
	right := func(_ *late, all []event.Entry) []event.Entry { return all }
	if ended := attempt(t, held, holding(right), 1); ended.Status != report.Passed {
		t.Errorf("with a late entry at the end, the case ended as %s: %s", ended.Status, ended.Failure)
	}
}

// late is a store with positions from a counter before the Commit.
type late struct {
	*model.Model
	mu       sync.Mutex
	drawn    int64
	position map[ident.ID]int64 // by batch
	waiting  bool               // a Commit is held back
}

// draw gives a batch its position.
func (w *late) draw(batch ident.ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.position[batch] == 0 {
		w.drawn++
		w.position[batch] = w.drawn
	}
}

// holding returns a harness of stores in which a Commit can be held back. order returns
// the feed of all committed entries.
func holding(order func(*late, []event.Entry) []event.Entry) harness.Harness {
	var all sync.Map // *late by Env.Dir
	handle := func(w *late, gate func()) store.Store {
		s := &broken{Model: w.Peer()}
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			if len(entryEvents(change)) > 0 {
				w.draw(change.Batch)
				gate()
			}
			return s.Model.Commit(ctx, change)
		}
		refeed(func(all []event.Entry) []event.Entry {
			w.mu.Lock()
			defer w.mu.Unlock()
			return order(w, all)
		})(s)
		return s
	}
	return harness.Harness{
		Open: func(_ harness.T, env harness.Env) store.Store {
			w := &late{Model: model.NewModel(), position: make(map[ident.ID]int64)}
			all.Store(env.Dir, w)
			return handle(w, func() {})
		},
		Hold: func(t harness.T, env harness.Env) harness.Holding {
			found, ok := all.Load(env.Dir)
			if !ok {
				t.Fatalf("no store is open in %s", env.Dir)
			}
			w := found.(*late)
			shut, held, open := false, make(chan struct{}), make(chan struct{})
			wait := func(waiting bool) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.waiting = waiting
			}
			return harness.Holding{
				Store: handle(w, func() {
					if shut {
						wait(true)
						close(held)
						<-open
						wait(false)
					}
				}),
				Shut:    func() { shut = true },
				Held:    func() { <-held },
				Release: sync.OnceFunc(func() { close(open) }),
			}
		},
		Caps: harness.Capabilities{Durable: harness.No, Shared: harness.Yes},
		Peer: func(t harness.T, env harness.Env) store.Store {
			t.Fatalf("the case has no peer")
			return nil
		},
	}
}

// entryEvents returns the events that a Change publishes.
func entryEvents(change store.Change) (events []event.Event) {
	for _, effect := range change.Effects {
		if p, ok := effect.(store.Publish); ok {
			events = append(events, p.Event)
		}
	}
	return events
}
