package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/builtin"
)

// registry returns that of the built-in kinds.
func registry(t *testing.T) *backend.Registry {
	t.Helper()
	r, err := backend.New(builtin.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// want is what a URL is to be read as: the first scheme of its kind, the path of a file,
// and the whole URL of a database.
type want struct{ scheme, path, address string }

func wantOf(u backend.URL) want {
	w := want{scheme: u.Kind().Schemes[0], path: u.Path()}
	if u.IsDatabase() {
		w.address = u.Reveal()
	}
	return w
}

func TestParseStoreURL(t *testing.T) {
	t.Parallel()
	stores := registry(t)
	for _, c := range []struct {
		text string
		want want
		form string // what String returns, if not text
	}{
		{text: "memory:", want: want{scheme: "memory"}},
		{text: "sqlite:rel.db", want: want{scheme: "sqlite", path: "rel.db"}},
		{text: "sqlite:a/b.db", want: want{scheme: "sqlite", path: "a/b.db"}},
		{text: "sqlite:../b.db", want: want{scheme: "sqlite", path: "../b.db"}},
		{text: "sqlite:./b.db", want: want{scheme: "sqlite", path: "b.db"}, form: "sqlite:b.db"},
		{text: "sqlite:///abs/b.db", want: want{scheme: "sqlite", path: "/abs/b.db"}},
		{text: "sqlite:/abs/b.db", want: want{scheme: "sqlite", path: "/abs/b.db"}, form: "sqlite:///abs/b.db"},
		{text: "sqlite:///a%20b%3F%25%23.db", want: want{scheme: "sqlite", path: "/a b?%#.db"}, form: "sqlite:///a%20b%3F%25%23.db"},
		{text: "sqlite:///%C3%A9.db", want: want{scheme: "sqlite", path: "/é.db"}},
		{text: "sqlite:///é.db", want: want{scheme: "sqlite", path: "/é.db"}, form: "sqlite:///%C3%A9.db"},
		{text: "postgres://db", want: want{scheme: "postgres", address: "postgres://db"}},
		{text: "postgresql://ann@a:1,b:2/x?sslmode=require", want: want{scheme: "postgres", address: "postgresql://ann@a:1,b:2/x?sslmode=require"}},
	} {
		got, err := stores.Parse(c.text)
		if err != nil || wantOf(got) != c.want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", c.text, got, err, c.want)
			continue
		}
		if c.form == "" {
			c.form = c.text
		}
		if got.String() != c.form {
			t.Errorf("Parse(%q).String() = %q; want %q", c.text, got, c.form)
		}
		if again, err := stores.Parse(got.String()); again != got || err != nil {
			t.Errorf("Parse(%q) = %+v, %v; want %+v again", got, again, err, got)
		}
	}
}

func TestParseStoreURLRefuses(t *testing.T) {
	t.Parallel()
	stores := registry(t)
	for text, want := range map[string]string{
		"":                                "not the URL of a store",
		"problems.db":                     "not the URL of a store",
		"/var/lib/problems.db":            "not the URL of a store",
		":":                               "not the URL of a store",
		"SQLITE:a.db":                     "no store has the scheme SQLITE",
		"mysql://user:hunter2@host/db":    "no store has the scheme mysql: the known ones are memory:, sqlite:",
		"user:hunter2@host":               "no store has the scheme user",
		"pa ss:hunter2":                   "not the URL of a store",
		"memory:x":                        "memory: and nothing else",
		"memory://":                       "memory: and nothing else",
		"sqlite:":                         "does not name a SQLite file",
		"sqlite:///":                      "does not name a SQLite file",
		"sqlite:dir/":                     "does not name a SQLite file",
		"sqlite:a%00b":                    "does not name a SQLite file",
		"sqlite://host/a.db":              "is on this machine",
		"sqlite://user:hunter2@host/a.db": "is on this machine",
		"sqlite:a.db?mode=ro":             "takes no parameters",
		"sqlite:a.db#x":                   "takes no parameters",
		"sqlite:100%.db":                  "percent-encoded",
		"sqlite::memory:":                 "written memory:",
		"postgres:":                       "looks like postgres://user@host:5432/database",
		"postgres:hunter2":                "looks like postgres://",
		"postgres://ann:hunter2/@host/db": "looks like postgres://",
		"postgresql://ann:hunter2@host#":  "looks like postgres://",
		"POSTGRES://ann:hunter2@host":     "no store has the scheme POSTGRES",
	} {
		_, err := stores.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v; want an error with %q", text, err, want)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Parse(%q) repeats the password: %v", text, err)
		}
	}
}

func TestPasswordOfAStoreURLIsHidden(t *testing.T) {
	t.Parallel()
	stores := registry(t)
	for text, want := range map[string]string{
		"postgres://ann:hunter2@db/x":             "postgres://ann:xxxxx@db/x",
		"postgresql://db/x?password=hunter2":      "postgresql://db/x?password=xxxxx",
		"postgres://ann@db/x?sslmode=disable":     "postgres://ann@db/x?sslmode=disable",
		"sqlite:///hunter1":                       "sqlite:///hunter1",
		"memory:":                                 "memory:",
		"postgres://ann@db/x?sslpassword=hunter2": "postgres://ann@db/x?sslpassword=xxxxx",
	} {
		u, err := stores.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(u); got != want || u.HasPassword() != (got != text) {
			t.Errorf("%s is shown as %s, with a password: %t; want %s", text, got, u.HasPassword(), want)
		}
	}
}
