package serve

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/app/internal/builtin"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// builtIn returns the URL of a store of a built-in kind.
func builtIn(t testing.TB, url string) backend.URL {
	t.Helper()
	stores, err := backend.New(builtin.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	u, err := stores.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestModulesFitTogether(t *testing.T) {
	t.Parallel()
	for _, url := range []backend.URL{
		builtIn(t, "memory:"),
		builtIn(t, "sqlite:never-opened.db"),
		builtIn(t, "postgres://nobody@nowhere/nothing"),
	} {
		o := Options{Settings: config.Settings{Storage: config.Storage{Store: url}}}
		if err := fx.ValidateApp(module(o, slog.New(slog.DiscardHandler), storeModule(o.Settings.Storage)), fx.Supply(make(breakdown), starting{t.Context()})); err != nil {
			t.Errorf("with the store %s: %v", url, err)
		}
	}
	if err := fx.ValidateApp(module(Options{}, slog.New(slog.DiscardHandler), storeModule(config.Storage{})), fx.Supply(make(breakdown), starting{t.Context()})); err == nil {
		t.Error("without a store nothing is missing")
	}
}

// Searches never have more than half of a store's connections, and always one.
func TestSearchesByStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		storage config.Storage
		want    searches
	}{
		{config.Storage{Store: builtIn(t, "memory:")}, 0},
		{config.Storage{Store: builtIn(t, "sqlite:never-opened.db")}, 2},
		{config.Storage{Store: builtIn(t, "postgres://db"), StoreConnections: 16}, 8},
		{config.Storage{Store: builtIn(t, "postgres://db"), StoreConnections: 3}, 1},
		{config.Storage{Store: builtIn(t, "postgres://db"), StoreConnections: 1}, 1},
	} {
		var got searches
		o := Options{Settings: config.Settings{Storage: c.storage}, Now: time.Now}
		if err := fx.New(module(o, slog.New(slog.DiscardHandler), storeModule(o.Settings.Storage)), fx.Replace(fx.Annotate(http.NotFoundHandler(), fx.As(new(http.Handler)))),
			fx.Supply(make(breakdown), starting{t.Context()}), fx.Populate(&got)).Err(); err != nil {
			t.Fatalf("with the store %s: %v", c.storage.Store, err)
		}
		if got != c.want {
			t.Errorf("the store %s, with %d connections, gets %d searches at a time, not %d", c.storage.Store, c.storage.StoreConnections, got, c.want)
		}
	}
}

func TestHousekeeping(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inMemory, err := memory.Open(t.Context(), memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var runs []time.Duration
		kept := &recorded{Store: inMemory}
		service := usecases.New(tracker.Options{Store: kept, Now: time.Now, Random: zeros{}, Limits: tracker.DefaultLimits()}, nil)
		keeper := &housekeeper{
			service: service,
			logger:  slog.New(slog.DiscardHandler),
			now:     time.Now,
			ran: func(at time.Time, err error) {
				runs = append(runs, at.Sub(start))
				if err != nil {
					t.Error(err)
				}
			},
		}
		end := background.Run(keeper.run)
		time.Sleep(2*time.Hour + 30*time.Minute) // of the bubble's clock
		end()
		var after []time.Duration
		for _, change := range kept.changes {
			after = append(after, change.At.Sub(start))
		}
		if want := []time.Duration{time.Minute, time.Hour + time.Minute, 2*time.Hour + time.Minute}; !slices.Equal(after, want) || !slices.Equal(runs, want) {
			t.Errorf("the store was kept in order after %v, and %v were told of; want %v", after, runs, want)
		}
	})
}

// recorded is a store that notes what is committed.
type recorded struct {
	store.Store
	mu      sync.Mutex
	changes []store.Change
}

func (r *recorded) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes = append(r.changes, change)
	return r.Store.Commit(ctx, change)
}

// zeros is no source of randomness.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

var _ io.Reader = zeros{}
