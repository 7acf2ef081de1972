package backend_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

var options = backend.Options{Logger: slog.New(slog.DiscardHandler)}

// parsed returns a URL of one kind.
func parsed(t *testing.T, k backend.Kind, text string) backend.URL {
	t.Helper()
	r, err := backend.New(k)
	if err != nil {
		t.Fatal(err)
	}
	u, err := r.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A kind gets what the URL says.
func TestOpenPassesTheURL(t *testing.T) {
	t.Parallel()
	var got backend.Options
	k := with(bolt(), func(k *backend.Kind) {
		k.Parameters = []string{"size"}
		k.Open = func(ctx context.Context, o backend.Options) (store.Store, error) {
			got = o
			return memory.Open(ctx, memory.Options{})
		}
	})
	o := options
	o.Serving = true
	s, err := parsed(t, k, "bolt:///a%20b?size=7").Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got.URL != "bolt:///a%20b?size=7" || got.Path != "/a b" || got.Parameters.Get("size") != "7" || !got.Serving || got.Existing || got.Logger != options.Logger {
		t.Errorf("the kind gets %+v", got)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	existing, failing := options, errors.New("broken disk")
	existing.Existing = true
	opens := func(err error) func(*backend.Kind) {
		return func(k *backend.Kind) {
			k.Open = func(context.Context, backend.Options) (store.Store, error) { return nil, err }
		}
	}
	for name, c := range map[string]struct {
		kind    backend.Kind
		url     string
		options backend.Options
		is      error // nil: any
		want    string
		not     error // nil: any
	}{
		"nothing there": {bolt(), "bolt:" + file + "2", existing, nil, "there is no store at " + file + `2: "problems serve" makes one`, nil},
		"neither store nor error": {bolt(), "bolt:" + file, existing, nil,
			`the kind of store "a bbolt file" is broken: its Open returned neither a store nor an error`, nil},
		"in use": {with(bolt(), opens(fault.New(fault.Unavailable, "it is locked"))), "bolt:" + file, options, backend.ErrInUse,
			"it is locked: one process at a time can open it, so stop the service that uses it", nil},
		"another failure": {with(bolt(), opens(failing)), "bolt:" + file, options, failing, "broken disk", backend.ErrInUse},
		"away, but shared": {with(with(bolt(), opens(fault.New(fault.Unavailable, "it is away"))), func(k *backend.Kind) { k.Sharing = backend.Shared }), "bolt:" + file, options, nil,
			"it is away", backend.ErrInUse},
		"private": {with(bolt(), func(k *backend.Kind) { k.Sharing = backend.Private }), "bolt:" + file, options, backend.ErrPrivate, "a bbolt file is only within its server", nil},
	} {
		s, err := parsed(t, c.kind, c.url).Open(t.Context(), c.options)
		if s != nil || err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) || c.not != nil && errors.Is(err, c.not) {
			t.Errorf("%s: opened as %v, %v; want %q", name, s, err, c.want)
		}
	}
	if _, err := (backend.URL{}).Open(t.Context(), options); !errors.Is(err, backend.ErrNoStore) {
		t.Errorf("no store is opened with %v", err)
	}
}

func TestBackup(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	copies := func(k *backend.Kind) {
		k.Backup = func(_ context.Context, o backend.Options, to string) (int, error) {
			if o.Path != file && o.Path != file+"2" || to != "copy" {
				return 0, errors.New("it gets " + o.Path + " and " + to)
			}
			return 7, nil
		}
	}
	for name, c := range map[string]struct {
		kind backend.Kind
		url  string
		has  bool
		want string // of the error
	}{
		"done":          {with(bolt(), copies), "bolt:" + file, true, ""},
		"nothing there": {with(bolt(), copies), "bolt:" + file + "2", true, "there is no store at "},
		"none":          {bolt(), "bolt:" + file, false, `a bbolt file has no backup of its own: "problems export" writes a file`},
		"a hint":        {with(bolt(), func(k *backend.Kind) { k.InsteadOfBackup = "use bolt-copy" }), "bolt:" + file, false, "use bolt-copy"},
		"private":       {with(with(bolt(), copies), func(k *backend.Kind) { k.Sharing = backend.Private }), "bolt:" + file, false, "a bbolt file is only within its server: nothing in it outlives that"},
	} {
		u := parsed(t, c.kind, c.url)
		problems, err := u.Backup(t.Context(), options, "copy")
		switch {
		case u.HasBackup() != c.has:
			t.Errorf("%s: there is a backup: %t", name, u.HasBackup())
		case c.want == "" && (err != nil || problems != 7):
			t.Errorf("%s: %d problems, %v", name, problems, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	if _, _, err := parsed(t, bolt(), "bolt:x").Schema(options); err == nil || err.Error() != "a bbolt file has no schema to migrate" {
		t.Errorf("the schema of a kind without one: %v", err)
	}
	if _, _, err := (backend.URL{}).Schema(options); !errors.Is(err, backend.ErrNoStore) {
		t.Errorf("the schema of no store: %v", err)
	}
	steps := func(_ context.Context, o backend.Options) ([]backend.Step, error) {
		return []backend.Step{{Name: o.Path, Done: true}}, nil
	}
	k := with(bolt(), func(k *backend.Kind) {
		k.Schema = &backend.Schema{Status: steps, Migrate: steps, Plan: func(context.Context, backend.Options) (string, error) { return "", nil }}
	})
	schema, o, err := parsed(t, k, "bolt:x").Schema(options)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := schema.Migrate(t.Context(), o); err != nil || len(all) != 1 || all[0].Name != "x" {
		t.Errorf("it migrates %v, %v", all, err)
	}
}
