package conformance

import (
	"context"
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/store"
)

// TestFeedAfterOpening shows that FEED-004/reopened notices a feed that another opening
// changes.
func TestFeedAfterOpening(t *testing.T) {
	t.Parallel()
	var reopened bench.Case
	for _, c := range Cases() {
		if c.ID == "FEED-004/reopened" {
			reopened = c
		}
	}
	if reopened.Run == nil {
		t.Fatal("there is no case FEED-004/reopened")
	}
	for name, change := range map[string]func(all []event.Entry, read int64) []event.Entry{
		"numbers the entries again":      func(all []event.Entry, _ int64) []event.Entry { return renumbered(all, 1) },
		"loses its feed":                 func([]event.Entry, int64) []event.Entry { return nil },
		"loses entries that nobody read": func(all []event.Entry, read int64) []event.Entry { return pageOf(all, 1, int(read), 1<<62) },
		"shows the newest entry twice": func(all []event.Entry, _ int64) []event.Entry {
			return append(all, renumbered(bench.CloneFeed(all[len(all)-1:]), all[len(all)-1].Number+1)...)
		},
		"leaves a gap behind the old feed": func(all []event.Entry, _ int64) []event.Entry { return renumbered(all, all[0].Number+1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if ended := attempt(t, reopened, feedChangedBy(change), 1); ended.Status != report.Failed {
				t.Errorf("the case ended as %s", ended.Status)
			}
		})
	}
	same := func(all []event.Entry, _ int64) []event.Entry { return all }
	if ended := attempt(t, reopened, feedChangedBy(same), 1); ended.Status != report.Passed {
		t.Errorf("with a feed that stays, the case ended as %s: %s", ended.Status, ended.Failure)
	}
}

// feedChangedBy returns a harness of stores with a defect in the feed after each further
// opening. read is the number of entries that somebody has read.
func feedChangedBy(change func(all []event.Entry, read int64) []event.Entry) harness.Harness {
	type feeding struct {
		model *model.Model
		read  int
	}
	var all sync.Map // *feeding by Env.Dir
	open := func(f *feeding) store.Store {
		s := &broken{Model: f.model.Peer()}
		s.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
			page, err := s.Model.Feed(ctx, from, limit, budget)
			f.read = len(page)
			return page, err
		}
		return s
	}
	h := keeping()
	h.Open = func(_ harness.T, env harness.Env) store.Store {
		f := &feeding{model: model.NewModel()}
		all.Store(env.Dir, f)
		return open(f)
	}
	h.Reopen = func(t harness.T, env harness.Env) store.Store {
		found, ok := all.Load(env.Dir)
		if !ok {
			t.Fatalf("no store was open in %s", env.Dir)
		}
		f := found.(*feeding)
		f.model.Mu.Lock()
		next := f.model.Now.Clone()
		next.Events = change(bench.CloneFeed(next.Events), int64(f.read))
		f.model.Now = next
		f.model.Mu.Unlock()
		return open(f)
	}
	return h
}
