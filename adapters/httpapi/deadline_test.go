package httpapi

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// stuckStore is a store some methods of which give no answer until their context ends.
type stuckStore struct {
	*fixedStore
	in map[string]bool // the methods
}

func (s stuckStore) hang(ctx context.Context, method string) error {
	if s.in[method] {
		<-ctx.Done()
	}
	return store.Ended(ctx)
}

func (s stuckStore) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := s.hang(ctx, "View"); err != nil {
		return err
	}
	return s.fixedStore.View(ctx, fn)
}

func (s stuckStore) Versions(ctx context.Context) (store.Versions, error) {
	if err := s.hang(ctx, "Versions"); err != nil {
		return store.Versions{}, err
	}
	return s.fixedStore.Versions(ctx)
}

func (s stuckStore) Reserve(ctx context.Context) (problem.ID, error) {
	return 14, s.hang(ctx, "Reserve")
}

func (s stuckStore) Confirm(ctx context.Context, _ store.History) error {
	return s.hang(ctx, "Confirm")
}

func (s stuckStore) Commit(ctx context.Context, c store.Change) (store.Receipt, error) {
	if err := s.hang(ctx, "Commit"); err != nil {
		return store.Receipt{}, fault.Wrap(fault.UnknownOutcome, err, "the change was handed over")
	}
	return s.fixedStore.Commit(ctx, c)
}

func (s stuckStore) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	if err := s.hang(ctx, "Outcome"); err != nil {
		return store.Receipt{}, false, err
	}
	return s.fixedStore.Outcome(ctx, batch, at)
}

// A request is answered in its time, wherever the store gives no answer (D22).
func TestRequestTimeBoundsTheStore(t *testing.T) {
	t.Parallel()
	create := func() (method, path, body string) { return "POST", api + "/problems", `{"title":"T"}` }
	for _, c := range []struct {
		rule      string
		in        []string
		commitErr error
		request   func() (method, path, body string)
		slug      fault.Kind
	}{
		{"authentication", []string{"Versions"}, nil, create, fault.Unavailable},
		{"View", []string{"View"}, nil, func() (string, string, string) { return "GET", api + "/problems/12", "" }, fault.Unavailable},
		{"View of a write", []string{"View"}, nil, create, fault.Unavailable},
		{"Reserve", []string{"Reserve"}, nil, create, fault.Unavailable},
		{"Confirm", []string{"Confirm"}, nil, func() (string, string, string) { return "PATCH", api + "/problems/12", `{}` }, fault.Unavailable},
		{"Commit, then Outcome", []string{"Commit", "Outcome"}, nil, create, fault.UnknownOutcome},
		{"Outcome", []string{"Outcome"}, fault.New(fault.UnknownOutcome, "the connection broke"), create, fault.UnknownOutcome},
		{"readiness", []string{"Commit"}, nil, func() (string, string, string) { return "GET", "/readyz", "" }, fault.Unavailable},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const limit = 300 * time.Millisecond
				stuck := stuckStore{newFixedStore(), map[string]bool{}}
				stuck.commitErr = c.commitErr
				f := setup(t, func(o *Options) {
					o.Service = usecases.New(tracker.Options{Store: stuck, Now: time.Now, Random: zeros{}, Limits: tracker.DefaultLimits()}, nil)
					o.Now, o.Limits.RequestTime = time.Now, limit
				})
				if c.rule != "authentication" && c.rule != "readiness" {
					f.send(t, request("GET", api+"/me", ""), 200, "") // the token is known
				}
				for _, method := range c.in {
					stuck.in[method] = true
				}
				began := time.Now()
				w := f.send(t, request(c.request()), 503, c.slug)
				if took := time.Since(began); took != limit {
					t.Errorf("answered after %v, not %v", took, limit)
				}
				if again := w.Header().Get("Retry-After") != ""; again != (c.slug == fault.Unavailable) {
					t.Errorf("Retry-After is there %t", again)
				}
				time.Sleep(10 * time.Second) // for what does not end with the request
			})
		})
	}
}
