package backend_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/domain/store"
)

// kinds returns a registry of a file with parameters, and of a store elsewhere without a
// Check or a Mask of its own.
func kinds(t *testing.T) *backend.Registry {
	t.Helper()
	r, err := backend.New(
		with(bolt(), func(k *backend.Kind) { k.Parameters = []string{"size", "apiKey"} }),
		backend.Kind{
			Name: "a remote store", Schemes: []string{"remote"}, Forms: []string{"remote://user@host"}, Sharing: backend.Shared,
			Parameters: []string{"password", "zone", "a_Token"},
			Open:       func(context.Context, backend.Options) (store.Store, error) { return nil, nil },
		})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// URLs have one form, which is read again. They show no password.
func TestURL(t *testing.T) {
	t.Parallel()
	r := kinds(t)
	for _, c := range []struct{ text, path, revealed, shown string }{
		{"bolt:a/../b.db", "b.db", "bolt:b.db", "bolt:b.db"},
		{"bolt:b.db?size=7&size=8", "b.db", "bolt:b.db?size=7&size=8", "bolt:b.db?size=7&size=8"},
		{"bolt:///a%3Fb?size=%37", "/a?b", "bolt:///a%3Fb?size=7", "bolt:///a%3Fb?size=7"},
		{"bolt:b.db?apiKey=hunter2&size=7", "b.db", "bolt:b.db?apiKey=hunter2&size=7", "bolt:b.db?apiKey=xxxxx&size=7"},
		{"remote://host", "", "remote://host", "remote://host"},
		{"remote://ann:hunter2@host/x?zone=b", "", "remote://ann:hunter2@host/x?zone=b", "remote://ann:xxxxx@host/x?zone=b"},
		{"remote://ann@host?password=hunter2&zone=b&a_Token=hunter2", "", "remote://ann@host?password=hunter2&zone=b&a_Token=hunter2", "remote://ann@host?password=xxxxx&zone=b&a_Token=xxxxx"},
	} {
		u, err := r.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if u.Path() != c.path || u.Reveal() != c.revealed || fmt.Sprintf("%v %+v %s", u, u, u) != strings.Join([]string{c.shown, c.shown, c.shown}, " ") || u.HasPassword() != (c.shown != c.revealed) {
			t.Errorf("%s has the path %q and is %s, shown as %+v, with a password: %t", c.text, u.Path(), u.Reveal(), u, u.HasPassword())
		}
		if again, err := r.Parse(u.Reveal()); err != nil || again != u {
			t.Errorf("%s is read again as %v, %v", c.text, again, err)
		}
	}
	var zero backend.URL
	if zero.String() != "" || zero.HasPassword() || zero.Kind() != nil || zero.IsDatabase() || zero.Is(backend.Private) {
		t.Errorf("the zero URL is %v of %v", zero, zero.Kind())
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	r := kinds(t)
	for text, want := range map[string]string{
		"":                             "not the URL of a store: the known ones are bolt:relative.db, bolt:///absolute/path.db and remote://user@host",
		"bolt":                         "not the URL of a store",
		"sqlite:hunter2":               "no store has the scheme sqlite: the known ones are bolt:relative.db",
		"bolt://host/hunter2":          "a bbolt file is on this machine: write bolt:///absolute/path.db or bolt:relative.db",
		"bolt:":                        "the URL does not name a bbolt file: write bolt:///absolute/path.db or bolt:relative.db",
		"bolt:x?hunter2%":              "the parameters of a bbolt file are not percent-encoded",
		"bolt:x?mode=hunter2":          `a bbolt file has no parameter "mode": the known ones are size, apiKey`,
		"bolt:x?size=1#hunter2":        "a # is written %23",
		"remote://ann:hunter2@h%zz":    "the URL of a remote store looks like remote://user@host",
		"remote://ann:hunter2@h?mode=": `a remote store has no parameter "mode": the known ones are password, zone, a_Token`,
	} {
		if u, err := r.Parse(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q is read as %v, %v; want %q", text, u, err, want)
		}
	}
}
