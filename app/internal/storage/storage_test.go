package storage_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/builtin"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/domain/store"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

var quiet = slog.New(slog.DiscardHandler)

// stores returns the built-in kinds of stores.
func stores(t *testing.T) *backend.Registry {
	t.Helper()
	r, err := backend.New(builtin.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// parsed returns the URL of a store of a built-in kind.
func parsed(t *testing.T, url string) backend.URL {
	t.Helper()
	u, err := stores(t).Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

type opener func(context.Context, config.Storage, *slog.Logger) (store.Store, error)

// What is not there yet is made by OpenNew, and by nothing else.
func TestOpen(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]config.Storage{
		"sqlite":   {Store: parsed(t, "sqlite:"+filepath.Join(t.TempDir(), "problems.db"))},
		"postgres": {Store: parsed(t, postgrestest.Schema(t)), AutoMigrate: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := func() (done int) {
				schema, err := storage.SchemaOf(settings, quiet)
				if err != nil {
					t.Fatal(err)
				}
				all, err := schema.Status(t.Context())
				if err != nil || len(all) == 0 {
					t.Fatal(all, err)
				}
				for _, step := range all {
					if step.Done {
						done++
					}
				}
				return done
			}
			if s, err := storage.Open(t.Context(), settings, quiet); err == nil || s != nil {
				t.Errorf("a store that is not there is opened: %v, %v", s, err)
			}
			if done := steps(); done > 0 {
				t.Errorf("%d steps are done by opening what is not there", done)
			}
			for _, open := range []opener{storage.OpenNew, storage.OpenNew, storage.Open} {
				s, err := open(t.Context(), settings, quiet)
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if done := steps(); done == 0 {
					t.Error("no step is done")
				}
			}
		})
	}
}

func TestDefaultStoreIsMade(t *testing.T) {
	t.Parallel()
	settings := config.Storage{DataDir: filepath.Join(t.TempDir(), "data")}
	if err := settings.AfterApply(new(kong.Context), stores(t), new(config.Faults)); err != nil {
		t.Fatal(err)
	}
	s, err := storage.OpenNew(t.Context(), settings, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestStoresThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings config.Storage
		want     string
	}{
		"memory":        {config.Storage{Store: parsed(t, "memory:")}, "is only within its server"},
		"none":          {config.Storage{}, "set PROBLEMS_STORE"},
		"password file": {config.Storage{Store: parsed(t, "postgres://db"), Database: config.Database{PasswordFile: "/nowhere"}}, "cannot be read"},
	} {
		for _, open := range []opener{storage.Open, storage.OpenNew} {
			if s, err := open(t.Context(), c.settings, quiet); s != nil || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, %v; want %q", name, s, err, c.want)
			}
		}
		if _, err := storage.SchemaOf(c.settings, quiet); err == nil {
			t.Errorf("%s: there is a schema", name)
		}
	}
}
