package conformance

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/replica"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// twin is a model with a synchronous replica, which is another model.
type twin struct {
	flaw    twinFlaw
	primary *model.Model
	writer  chan struct{} // has an element while a Commit hides

	mu      sync.Mutex
	replica *model.Model
	missed  []func(*model.Model) // what the replica has not received
	written int                  // all that it should have received
	frozen  bool
	down    bool
	cancels int           // how often waits were cancelled
	changed chan struct{} // closed when something has changed
}

// twinFlaw is what is wrong with a twin, or special.
type twinFlaw struct {
	hides bool // shows a Change only when the replica has it, or the wait was cancelled

	acksAtOnce      bool // waits for nothing
	acksCancelled   bool // takes the end of a wait for success
	denies          bool // says that what it did not wait for never happens
	confirms        bool // at once
	cancelledIsSafe bool // takes the end of the wait of a Confirm for success
	deaf            bool // Confirm does not listen to the context
	gaveUp          bool // Confirm fails for ever after it has failed once
	knows           bool // Outcome looks and does not wait
	keepsRulings    bool // from the replica
	skips           bool // does not send what the replica has missed
	halves          bool // sends half a Change even when it is frozen
	feedsAtOnce     bool // Feed waits for nothing
	renumbers       bool // the feed in another order when the replica has taken over
	forgets         bool // goes on with the same history when the replica has taken over
}

var errCancelled = errors.New("the wait was cancelled")

// Change has everybody who waits look again. The lock is held.
func (w *twin) Change() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// send has the replica do something too, and returns how much it has to have
// received until it is done. The lock is held.
func (w *twin) send(do func(*model.Model)) int {
	w.written++
	w.missed = append(w.missed, do)
	w.deliver()
	return w.written
}

// deliver gives the replica what it has missed. The lock is held.
func (w *twin) deliver() {
	if w.frozen || w.down {
		return
	}
	for i, do := range w.missed {
		if i == len(w.missed)-1 || !w.flaw.skips {
			do(w.replica)
		}
	}
	w.missed = nil
	w.Change()
}

// wait waits until the replica has received so much.
func (w *twin) wait(ctx context.Context, until int) error {
	w.mu.Lock()
	cancels := w.cancels
	for {
		reached, down, cancelled, changed := w.written-len(w.missed) >= until, w.down, w.cancels != cancels, w.changed
		w.mu.Unlock()
		switch {
		case reached:
			return nil
		case down:
			return errors.New("the host is down")
		case cancelled:
			return errCancelled
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		w.mu.Lock()
	}
}

// handle is a handle on a twin.
type handle struct {
	*model.Model
	*twin
	stuck bool
}

func (h *handle) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	leave, err := h.Model.Call(ctx)
	if err != nil {
		return store.Receipt{}, err
	}
	defer leave()
	if h.flaw.hides {
		return h.commitHidden(ctx, change)
	}
	h.twin.mu.Lock()
	receipt, err := h.Model.Commit(ctx, change)
	if err != nil {
		h.twin.mu.Unlock()
		return receipt, err
	}
	until := h.sendChange(change)
	h.twin.mu.Unlock()
	deadline, cancel := onlyDeadline(ctx)
	defer cancel()
	return receipt, h.verdict(h.wait(deadline, until))
}

// sendChange has the replica commit a Change too. The lock is held.
func (h *handle) sendChange(change store.Change) int {
	change.Expect = nil // they held
	if h.flaw.halves && h.frozen {
		half := change
		half.Effects = change.Effects[:1]
		_, _ = h.replica.Commit(context.Background(), half)
	}
	return h.send(func(m *model.Model) { _, _ = m.Commit(context.Background(), change) })
}

// verdict says what a Commit returns after it has waited.
func (h *handle) verdict(err error) error {
	switch {
	case err == nil || h.flaw.acksAtOnce || h.flaw.acksCancelled && errors.Is(err, errCancelled):
		return nil
	case h.flaw.denies:
		return fault.Wrap(fault.Unavailable, err, "the replica does not answer")
	}
	return fault.Wrap(fault.UnknownOutcome, err, "the replica does not answer")
}

// commitHidden commits as a server does that shows a Change when its replica has
// it, or when the wait was cancelled. Others wait for it, and it goes on when the
// caller does not.
func (h *handle) commitHidden(ctx context.Context, change store.Change) (store.Receipt, error) {
	if err := h.enter(ctx); err != nil {
		return store.Receipt{}, err
	}
	h.twin.mu.Lock()
	until := h.sendChange(change)
	h.twin.mu.Unlock()
	ended := make(chan error, 1)
	var receipt store.Receipt
	go func() {
		defer func() { <-h.writer }()
		err := h.wait(context.Background(), until)
		if err == nil || errors.Is(err, errCancelled) {
			receipt, _ = h.Model.Peer().Commit(context.Background(), change)
		}
		ended <- h.verdict(err)
	}()
	deadline, cancel := onlyDeadline(ctx)
	defer cancel()
	select {
	case err := <-ended:
		return receipt, err
	case <-deadline.Done():
		return store.Receipt{}, h.verdict(deadline.Err())
	}
}

// enter waits for those who write.
func (h *handle) enter(ctx context.Context) error {
	select {
	case h.writer <- struct{}{}:
		return nil
	case <-ctx.Done():
		return model.Over(ctx)
	}
}

func (h *handle) Confirm(ctx context.Context, shown store.History) error {
	if err := h.Model.Confirm(ctx, shown); err != nil || h.flaw.confirms {
		return err
	}
	if h.flaw.deaf {
		ctx = context.WithoutCancel(ctx)
	}
	if h.flaw.hides {
		if err := h.enter(ctx); err != nil {
			return err
		}
		defer func() { <-h.writer }()
	}
	h.twin.mu.Lock()
	until := h.send(func(*model.Model) {})
	h.twin.mu.Unlock()
	err := h.wait(ctx, until)
	if h.flaw.cancelledIsSafe && errors.Is(err, errCancelled) {
		err = nil
	}
	h.stuck = h.stuck || h.flaw.gaveUp && err != nil
	if err != nil || h.stuck {
		return fault.Wrap(fault.Unavailable, err, "the replica does not answer")
	}
	return nil
}

func (h *handle) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	entries, err := h.Model.Feed(ctx, from, limit, budget)
	if err == nil && len(entries) > 0 && !h.flaw.feedsAtOnce {
		err = h.Confirm(ctx, 0)
	}
	return entries, err
}

func (h *handle) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	oldest, newest, err = h.Model.FeedEnds(ctx)
	if err == nil && newest.Number > 0 {
		err = h.Confirm(ctx, 0)
	}
	return oldest, newest, err
}

func (h *handle) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	if h.flaw.hides {
		if err := h.enter(ctx); err != nil {
			return store.Receipt{}, false, err
		}
		defer func() { <-h.writer }()
	}
	h.twin.mu.Lock()
	receipt, stored, err := h.Model.Outcome(ctx, batch, at)
	if err != nil {
		h.twin.mu.Unlock()
		return receipt, stored, err
	}
	until := h.send(func(m *model.Model) {
		if !h.flaw.keepsRulings {
			_, _, _ = m.Outcome(context.Background(), batch, at)
		}
	})
	h.twin.mu.Unlock()
	if h.flaw.knows && stored {
		return receipt, stored, nil
	}
	if err := h.wait(ctx, until); err != nil {
		return store.Receipt{}, false, fault.Wrap(fault.Unavailable, err, "the replica does not answer")
	}
	return receipt, stored, nil
}

// onlyDeadline returns a context of which only the deadline counts.
func onlyDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(context.WithoutCancel(ctx))
	}
	return context.WithDeadline(context.WithoutCancel(ctx), deadline)
}

// twins returns a harness of stores with a replica.
func twins(flaw twinFlaw) harness.Harness {
	h := sharing(func(m *model.Model) store.Store { return m })
	h.Caps.Replicated = harness.Yes
	h.Replicate = func(harness.T, harness.Env) harness.Replication {
		w := &twin{flaw: flaw, primary: model.NewModel(), replica: model.NewModel(), changed: make(chan struct{}), writer: make(chan struct{}, 1)}
		locked := func(do func()) func() {
			return func() {
				w.mu.Lock()
				defer w.mu.Unlock()
				do()
				w.Change()
			}
		}
		takeOver := locked(func() { w.down = true })
		return harness.Replication{
			Open:        func() store.Store { return &handle{Model: w.primary.Peer(), twin: w} },
			Freeze:      locked(func() { w.frozen = true }),
			Thaw:        locked(func() { w.frozen = false; w.deliver() }),
			CancelWaits: locked(func() { w.cancels++ }),
			TakeOver: func() store.Store {
				takeOver()
				return successor{w.replica, flaw}
			},
		}
	}
	return h
}

// successor is a replica that has taken over: its history is another one.
type successor struct {
	*model.Model
	flaw twinFlaw
}

type successorReader struct{ store.Reader }

func (successorReader) History() store.History { return 1 }

func (s successor) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.Model.View(ctx, func(r store.Reader) error {
		if s.flaw.forgets {
			return fn(r)
		}
		return fn(successorReader{r})
	})
}

func (s successor) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	all, err := s.Model.Feed(ctx, 1, math.MaxInt, math.MaxInt64)
	if s.flaw.renumbers {
		slices.Reverse(all)
		all = renumbered(all, 1)
	}
	return pageOf(all, from, limit, budget), err
}

func (s successor) Confirm(ctx context.Context, shown store.History) error {
	if shown == 0 && !s.flaw.forgets {
		return fault.New(fault.Conflict, "the replica has taken over")
	}
	return s.Model.Confirm(ctx, shown)
}

// TestReplicated shows that stores pass that do right, whether they show a Change
// before their replica has it or not.
func TestReplicated(t *testing.T) {
	t.Parallel()
	uncancelled := twins(twinFlaw{hides: true})
	replicate := uncancelled.Replicate
	uncancelled.Replicate = func(t harness.T, env harness.Env) harness.Replication {
		r := replicate(t, env)
		r.CancelWaits = nil
		return r
	}
	alone := twins(twinFlaw{})
	alone.Peer, alone.Caps.Shared = nil, harness.No
	for name, h := range map[string]harness.Harness{
		"shows at once": twins(twinFlaw{}), "shows late": twins(twinFlaw{hides: true}),
		"shows late, and is never cancelled": uncancelled, "has one handle": alone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range replica.Cases() {
				t.Run(c.ID, func(t *testing.T) {
					t.Parallel()
					ended := attempt(t, c, h, 1)
					if ended.Status != report.Passed && !ended.Waived {
						t.Errorf("the case ended as %s: %s%s", ended.Status, ended.Reason, ended.Failure)
					}
					if waives := h.Replicate(t, harness.Env{}).CancelWaits == nil && strings.HasSuffix(c.ID, "cancelled"); waives != ended.Waived {
						t.Errorf("the case is waived: %v, want %v", ended.Waived, waives)
					}
				})
			}
		})
	}
}

// TestReplicaSaboteurs lets every flaw meet the case that has to notice.
func TestReplicaSaboteurs(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	byID := make(map[string]bench.Case)
	for _, c := range replica.Cases() {
		byID[c.ID] = c
	}
	for _, s := range []struct {
		name   string
		caught string // the ID of the case that has to notice
		says   string // part of the complaint
		flaw   twinFlaw
	}{
		{"acknowledges before its replica has it", "CONF-002/replica", "a Commit returned nil while the replica received nothing", twinFlaw{acksAtOnce: true}},
		{"says that a Change never happens that does", "CONF-002/replica", "a Commit failed with Unavailable, but its Change is stored", twinFlaw{denies: true}},
		{"says so, and shows it only later", "CONF-002/replica", "a Commit failed with Unavailable, but its Change is stored", twinFlaw{denies: true, hides: true}},
		{"confirms at once", "CONF-002/replica", "Confirm returned nil while the replica received nothing", twinFlaw{confirms: true}},
		{"looks for the outcome", "CONF-002/replica", "Outcome said that a Change is stored which the replica lacks", twinFlaw{knows: true}},
		{"does not send rulings", "CONF-002/replica", "the Commit of a batch that was ruled out before the take-over succeeded", twinFlaw{keepsRulings: true}},
		{"does not send what its replica has missed", "CONF-002/replica", "LOST by the take-over", twinFlaw{skips: true}},
		{"acknowledges what was cancelled", "CONF-002/replica/cancelled", "a Commit returned nil while the replica received nothing", twinFlaw{acksCancelled: true}},
		{"acknowledges what was cancelled, and shows it then", "CONF-002/replica/cancelled", "a Commit returned nil while the replica received nothing", twinFlaw{acksCancelled: true, hides: true}},
		{"confirms what was cancelled", "CONF-002/replica/cancelled", "Confirm returned nil while the replica received nothing", twinFlaw{cancelledIsSafe: true}},
		{"confirms what is shown late", "CONF-002/replica/cancelled", "Confirm returned nil while the replica received nothing", twinFlaw{confirms: true, hides: true}},
		{"sends half a Change first", "CONF-002/take-over", "a Change of 4 parts is there with 1 of them", twinFlaw{halves: true}},
		{"confirms at once, and fails over", "CONF-002/take-over", "Confirm returned nil while the replica received nothing", twinFlaw{confirms: true}},
		{"goes on with the same history", "CONF-004", "Confirm of what a View had shown before the take-over", twinFlaw{forgets: true}},
		{"shows entries of the feed at once", "FEED-004/replica", ", which the replica lacks, while it received nothing", twinFlaw{feedsAtOnce: true}},
		{"shows cancelled entries of the feed", "FEED-004/replica/cancelled", ", which the replica lacks, while it received nothing", twinFlaw{hides: true, feedsAtOnce: true}},
		{"numbers the feed anew when it takes over", "FEED-004/replica", "the entries of the feed that were read before", twinFlaw{renumbers: true}},
		{"does not listen while it confirms", "CONF-001/replica", "still under way:\n  Confirm", twinFlaw{deaf: true}},
		{"never confirms again", "CONF-001/replica", "Confirm did not succeed any more", twinFlaw{gaveUp: true}},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c, ok := byID[s.caught]
			if !ok {
				t.Fatalf("there is no case %s", s.caught)
			}
			h := twins(s.flaw)
			h.Name = "twin"
			r, err := Execute(t.Context(), h, Options{Seed: 1, Only: exactly(c), Patience: 5 * replica.Brief})
			if err != nil {
				t.Fatal(err)
			}
			for _, ended := range r.Cases {
				if ended.ID != c.ID {
					continue
				}
				if ended.Status != report.Failed || !strings.Contains(ended.Failure, s.says) {
					t.Errorf("the case ended as %s, and does not say %q: %s%s", ended.Status, s.says, ended.Reason, ended.Failure)
				}
				t.Log(ended.Failure)
			}
		})
	}
}
