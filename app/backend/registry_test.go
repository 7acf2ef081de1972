package backend_test

import (
	"context"
	"strings"
	"testing"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/domain/store"
)

// bolt returns a complete kind of files.
func bolt() backend.Kind {
	return backend.Kind{
		Name:    "a bbolt file",
		Schemes: []string{"bolt"},
		File:    true,
		Sharing: backend.Exclusive,
		Open:    func(context.Context, backend.Options) (store.Store, error) { return nil, nil },
	}
}

// with returns a kind that differs in something.
func with(k backend.Kind, change func(*backend.Kind)) backend.Kind {
	change(&k)
	return k
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	steps := func(context.Context, backend.Options) ([]backend.Step, error) { return nil, nil }
	plan := func(context.Context, backend.Options) (string, error) { return "", nil }
	other := with(bolt(), func(k *backend.Kind) { k.Name, k.Schemes = "a badger directory", []string{"badger"} })
	for name, c := range map[string]struct {
		kinds []backend.Kind
		want  string
	}{
		"none":             {nil, "there is no kind of store: pass at least one Kind"},
		"empty":            {[]backend.Kind{bolt(), {}}, "kind of store 2: its Name is empty"},
		"no name":          {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Name = "" })}, `the kind of store with the scheme "bolt": its Name is empty`},
		"no scheme":        {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Schemes = nil })}, `the kind of store "a bbolt file": it has no Schemes`},
		"empty scheme":     {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Schemes = []string{""} })}, `its Schemes have ""`},
		"capitals":         {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Schemes = []string{"Bolt"} })}, `its Schemes have "Bolt": want a lower-case letter first`},
		"a colon":          {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Schemes = []string{"bolt:"} })}, `its Schemes have "bolt:"`},
		"no open":          {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Open = nil })}, "its Open is nil"},
		"no sharing":       {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Sharing = 0 })}, "its Sharing is none of"},
		"unknown sharing":  {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Sharing = backend.Shared + 1 })}, "its Sharing is none of"},
		"no forms":         {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.File = false })}, "it has no Forms"},
		"foreign form":     {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.File, k.Forms = false, []string{"bolt:x", "badger://x"} })}, `its Forms have "badger://x", without one of its Schemes: begin it with "bolt:"`},
		"form, no scheme":  {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Forms = []string{"bolt"} })}, `its Forms have "bolt", without`},
		"default no file":  {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.File, k.Forms, k.DefaultFile = false, []string{"bolt:"}, "x" })}, "only a file can be the default store"},
		"default anywhere": {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.DefaultFile = "../x" })}, `its DefaultFile is "../x"`},
		"no status":        {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Schema = &backend.Schema{Plan: plan, Migrate: steps} })}, "its Schema.Status is nil"},
		"no plan":          {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Schema = &backend.Schema{Status: steps, Migrate: steps} })}, "its Schema.Plan is nil"},
		"no migration":     {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Schema = &backend.Schema{Status: steps, Plan: plan} })}, "its Schema.Migrate is nil: a kind with a Schema has to migrate"},
		"a scheme twice":   {[]backend.Kind{bolt(), with(other, func(k *backend.Kind) { k.Schemes = []string{"badger", "bolt"} })}, `the kind of store "a badger directory": its Schemes have "bolt", which the kind of store "a bbolt file" has`},
		"the same twice":   {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.Schemes = []string{"bolt", "bolt"} })}, "no two kinds can share a scheme"},
		"two defaults": {[]backend.Kind{with(bolt(), func(k *backend.Kind) { k.DefaultFile = "a" }), with(other, func(k *backend.Kind) { k.DefaultFile = "b" })},
			`the kind of store "a badger directory": it has a DefaultFile, as the kind of store "a bbolt file" has`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r, err := backend.New(c.kinds...); err == nil || r != nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("New fails with %v, want %q", err, c.want)
			}
		})
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	remote := with(bolt(), func(k *backend.Kind) {
		k.Name, k.Schemes, k.File, k.Forms, k.Note = "a remote store", []string{"remote"}, false, []string{"remote://host"}, "over the net"
	})
	r, err := backend.New(bolt(), remote)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Forms(), "bolt:relative.db, bolt:///absolute/path.db and remote://host"; got != want {
		t.Errorf("the forms are %q, want %q", got, want)
	}
	if got, want := r.Help(), "bolt:relative.db, bolt:///absolute/path.db or remote://host (over the net)"; got != want {
		t.Errorf("the forms with notes are %q, want %q", got, want)
	}
	if got := r.Default("/data"); got != (backend.URL{}) || r.DefaultFile() != "" {
		t.Errorf("without a DefaultFile, the default store is %v", got)
	}
	alone, err := backend.New(with(remote, func(k *backend.Kind) { k.Note = "" }))
	if err != nil || alone.Help() != "remote://host" {
		t.Errorf("one form is shown as %q, %v", alone.Help(), err)
	}
}

func TestDefault(t *testing.T) {
	t.Parallel()
	r, err := backend.New(with(bolt(), func(k *backend.Kind) { k.DefaultFile = "problems.bolt" }))
	if err != nil {
		t.Fatal(err)
	}
	got := r.Default("/my data")
	if got.String() != "bolt:///my%20data/problems.bolt" || got.Path() != "/my data/problems.bolt" {
		t.Errorf("the default store is %s at %s", got, got.Path())
	}
	if parsed, err := r.Parse(got.String()); err != nil || parsed != got {
		t.Errorf("it is read as %v, %v", parsed, err)
	}
}
