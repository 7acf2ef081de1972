package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/reads"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// endingReader is a LastReader with the defects that are set.
type endingReader struct {
	store.Reader
	last, over bool

	moment func() store.Reader // shown by the last read, if not nil
	empty  bool                // the last read leaves out what it should load
	open   bool                // reads go on after the last one
	other  error               // of a read after the last one, instead of ErrOver
	lapses bool                // History is 0 after the last read, and 1 before
	others *[]*endingReader    // end with the last read, too
}

func (r *endingReader) Last() { r.last = true }

func (r *endingReader) History() store.History {
	if r.lapses && !r.over {
		return 1
	}
	return r.Reader.History()
}

// Step returns the Reader to read from, or the error of a read after the last one.
func (r *endingReader) Step() (store.Reader, error) {
	if r.over && !r.open {
		if r.other != nil {
			return nil, r.other
		}
		return nil, store.ErrOver
	}
	r.over = r.last
	if r.last && r.others != nil {
		for _, other := range *r.others {
			other.over = true
		}
	}
	if r.last && r.moment != nil {
		return r.moment(), nil
	}
	return r.Reader, nil
}

// stepped reads in one step.
func stepped[T any](r *endingReader, read func(store.Reader) (T, error)) (value T, err error) {
	from, err := r.Step()
	if err != nil {
		return value, err
	}
	return read(from)
}

// optional is a value that may not be there.
type optional[T any] struct {
	value T
	ok    bool
}

func steppedTo[T any](r *endingReader, read func(store.Reader) (T, bool, error)) (T, bool, error) {
	f, err := stepped(r, func(from store.Reader) (f optional[T], err error) {
		f.value, f.ok, err = read(from)
		return f, err
	})
	return f.value, f.ok, err
}

func (r *endingReader) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if r.last && r.empty {
		parts = 0
	}
	return stepped(r, func(from store.Reader) (snapshot.Snapshot, error) { return from.Problem(ctx, id, as, parts) })
}

func (r *endingReader) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	return stepped(r, func(from store.Reader) ([]snapshot.Snapshot, error) { return from.Problems(ctx, ids, as, parts) })
}

func (r *endingReader) Log(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.LogEntry, error) {
	return stepped(r, func(from store.Reader) ([]problem.LogEntry, error) { return from.Log(ctx, id, skip, limit, budget) })
}

func (r *endingReader) Comments(ctx context.Context, id problem.ID, skip, limit int, budget int64) ([]problem.Comment, error) {
	return stepped(r, func(from store.Reader) ([]problem.Comment, error) { return from.Comments(ctx, id, skip, limit, budget) })
}

func (r *endingReader) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	return stepped(r, func(from store.Reader) ([]store.Hit, error) { return from.Search(ctx, q) })
}

func (r *endingReader) Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) ([]relationship.Relationship, error) {
	return stepped(r, func(from store.Reader) ([]relationship.Relationship, error) { return from.Neighbours(ctx, t, owners) })
}

func (r *endingReader) Catalogue(ctx context.Context) (*metadata.Catalogue, error) {
	return stepped(r, func(from store.Reader) (*metadata.Catalogue, error) { return from.Catalogue(ctx) })
}

func (r *endingReader) Versions(ctx context.Context) (store.Versions, error) {
	return stepped(r, func(from store.Reader) (store.Versions, error) { return from.Versions(ctx) })
}

func (r *endingReader) Dossiers(ctx context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	return stepped(r, func(from store.Reader) ([]store.Dossier, error) { return from.Dossiers(ctx, after, limit) })
}

func (r *endingReader) Feed(ctx context.Context, after int64, limit int, budget int64) ([]event.Entry, error) {
	return stepped(r, func(from store.Reader) ([]event.Entry, error) { return from.Feed(ctx, after, limit, budget) })
}

func (r *endingReader) Tokens(ctx context.Context) ([]access.Token, error) {
	return stepped(r, func(from store.Reader) ([]access.Token, error) { return from.Tokens(ctx) })
}

func (r *endingReader) Audit(ctx context.Context, skip, limit int) ([]audit.Entry, error) {
	return stepped(r, func(from store.Reader) ([]audit.Entry, error) { return from.Audit(ctx, skip, limit) })
}

func (r *endingReader) SavedQueries(ctx context.Context, owner ident.ID) ([]query.Saved, error) {
	return stepped(r, func(from store.Reader) ([]query.Saved, error) { return from.SavedQueries(ctx, owner) })
}

func (r *endingReader) SavedQuery(ctx context.Context, id ident.ID) (query.Saved, bool, error) {
	return steppedTo(r, func(from store.Reader) (query.Saved, bool, error) { return from.SavedQuery(ctx, id) })
}

func (r *endingReader) Webhooks(ctx context.Context, skip, limit int) ([]webhook.Webhook, error) {
	return stepped(r, func(from store.Reader) ([]webhook.Webhook, error) { return from.Webhooks(ctx, skip, limit) })
}

func (r *endingReader) Webhook(ctx context.Context, id ident.ID) (webhook.Webhook, bool, error) {
	return steppedTo(r, func(from store.Reader) (webhook.Webhook, bool, error) { return from.Webhook(ctx, id) })
}

func (r *endingReader) Lease(ctx context.Context, name string) (lease.Lease, bool, error) {
	return steppedTo(r, func(from store.Reader) (lease.Lease, bool, error) { return from.Lease(ctx, name) })
}

func (r *endingReader) Reply(ctx context.Context, user ident.ID, key string) (store.Reply, bool, error) {
	return steppedTo(r, func(from store.Reader) (store.Reply, bool, error) { return from.Reply(ctx, user, key) })
}

func (r *endingReader) Oldest(ctx context.Context) (time.Time, bool, error) {
	return steppedTo(r, func(from store.Reader) (time.Time, bool, error) { return from.Oldest(ctx) })
}

// endsWith gives the store LastReaders with a defect.
func endsWith(defect func(*broken, *endingReader)) func(*broken) {
	return func(s *broken) {
		s.view = func(ctx context.Context, fn func(store.Reader) error) error {
			return s.Model.View(ctx, func(r store.Reader) error {
				e := &endingReader{Reader: r}
				defect(s, e)
				return fn(e)
			})
		}
	}
}

// lastSaboteurs are stores with a defect in the last read of a View.
func lastSaboteurs() []saboteur {
	return []saboteur{{
		name: "leaves out the parts in the last read", caught: "LAST-001",
		sabotage: endsWith(func(_ *broken, e *endingReader) { e.empty = true }),
	}, {
		name: "shows a later moment in the last read", caught: "LAST-002",
		sabotage: endsWith(func(s *broken, e *endingReader) { e.moment = func() store.Reader { return s.world() } }),
	}, {
		name: "loads the parts of a last read one after the other", caught: "LAST-002/only",
		sabotage: func(s *broken) {
			s.reader = func(r *shown) {
				r.snapshot = func(p *snapshot.Snapshot) {
					linger()
					if now, err := s.world().Problem(context.Background(), p.ID, ident.None, bench.Everything); err == nil {
						p.Keywords = now.Keywords
					}
				}
			}
		},
	}, {
		name: "reads on after the last read", caught: "LAST-003",
		sabotage: endsWith(func(_ *broken, e *endingReader) { e.open = true }),
	}, {
		name: "ends all Views with the last read of one", caught: "LAST-003/next-view",
		sabotage: func(s *broken) {
			var open []*endingReader
			endsWith(func(_ *broken, e *endingReader) { e.others, open = &open, append(open, e) })(s)
		},
	}, {
		name: "forgets its history with the last read", caught: "LAST-004",
		sabotage: endsWith(func(_ *broken, e *endingReader) { e.lapses = true }),
	}}
}

// Stores with LastReaders pass all cases of the last read, and so do stores without, as
// each declares it.
func TestLastReads(t *testing.T) {
	t.Parallel()
	for _, c := range reads.Last() {
		for name, s := range map[string]struct {
			declared harness.Support
			sabotage func(*broken)
			want     report.Status
		}{
			"with LastReaders":            {harness.Yes, endsWith(func(*broken, *endingReader) {}), report.Passed},
			"with undeclared LastReaders": {harness.Undeclared, endsWith(func(*broken, *endingReader) {}), report.Passed},
			"without LastReaders":         {harness.No, func(*broken) {}, report.Passed},
			"silent about LastReaders":    {harness.Undeclared, func(*broken) {}, report.Passed},
		} {
			t.Run(c.ID+" "+name, func(t *testing.T) {
				t.Parallel()
				h := saboteur{sabotage: s.sabotage}.harness()
				h.Caps.LastReads = s.declared
				if ended := attempt(t, c, h, 1); ended.Status != s.want {
					t.Errorf("%s: %s", ended.Status, ended.Failure)
				}
			})
		}
	}
}

// A declaration that is wrong fails: a wrapper that does not hand on Last, or a store
// that has LastReaders and denies it.
func TestLastReadsAreDeclared(t *testing.T) {
	t.Parallel()
	for declared, sabotage := range map[harness.Support]func(*broken){
		harness.Yes: func(*broken) {},
		harness.No:  endsWith(func(*broken, *endingReader) {}),
	} {
		h := saboteur{sabotage: sabotage}.harness()
		h.Caps.LastReads = declared
		c := reads.Last()[1]
		if ended := attempt(t, c, h, 1); c.ID != "LAST-001/declared" || ended.Status != report.Failed {
			t.Errorf("%s, declared %v: %s", c.ID, declared, ended.Status)
		}
	}
}
