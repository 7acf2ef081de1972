package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/builtin"
	"github.com/problemtracking/problems/app/internal/cli"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// locked is a kind of store that one process at a time can open.
func locked() backend.Kind {
	return backend.Kind{
		Name:    "a locked file",
		Schemes: []string{"locked"},
		File:    true,
		Sharing: backend.Exclusive,
		Open: func(ctx context.Context, o backend.Options) (store.Store, error) {
			s, err := sqlite.Open(ctx, sqlite.Options{Path: o.Path, Existing: o.Existing, Exclusive: true, Logger: o.Logger})
			if err != nil {
				return nil, fault.Wrap(fault.Unavailable, err, "%s is locked", o.Path)
			}
			return s, nil
		},
	}
}

// further returns the built-in kinds and the locked one.
func further() []backend.Kind { return append(builtin.Kinds(), locked()) }

// callOf runs the program with some kinds of stores.
func callOf(t *testing.T, kinds []backend.Kind, args ...string) result {
	t.Helper()
	var stdout, stderr output
	p := process(nil, args, &stdout, &stderr)
	p.Kinds = kinds
	return result{cli.Run(t.Context(), p), stdout.String(), stderr.String()}
}

// A program with an incomplete kind ends with a sentence, for every command.
func TestIncompleteKind(t *testing.T) {
	t.Parallel()
	incomplete := locked()
	incomplete.Open = nil
	for _, args := range [][]string{{"version"}, {"serve", "--store=memory:"}, {"--help"}} {
		callOf(t, append(builtin.Kinds(), incomplete), args...).fails(t, 2, `this program cannot be used: the kind of store "a locked file": its Open is nil`)
	}
}

// A further kind has all commands. Those that have nothing to do for it say so.
func TestFurtherKind(t *testing.T) {
	t.Parallel()
	from, url := sqliteURL(t), "locked:"+filepath.Join(t.TempDir(), "problems.db")
	start(t, nil, "--store="+from).end(t)
	for _, args := range [][]string{
		{"copy", "--from=" + from, "--to=" + url},
		{"user", "add", "--name=Ann", "--email=ann@example.org", "--store=" + url},
		{"token", "create", "--user=ann@example.org", "--scope=admin", "--store=" + url},
		{"export", "--to=" + filepath.Join(t.TempDir(), "all.jsonl"), "--store=" + url},
		{"config", "--store=" + url},
	} {
		if r := callOf(t, further(), args...); r.code != 0 {
			t.Errorf("%q ends with %d\n%s", args, r.code, r.stderr)
		}
	}
	if help := callOf(t, further(), "serve", "--help").stdout; !strings.Contains(strings.Join(strings.Fields(help), " "), "locked:relative.db or locked:///absolute/path.db. Default: the file problems.db in the data directory.") {
		t.Errorf("the help of serve is\n%s", help)
	}
	callOf(t, further(), "migrate", "--store="+url).fails(t, 1, "a locked file has no schema to migrate")
	callOf(t, further(), "backup", "--to=x", "--store="+url).fails(t, 1, "a locked file has no backup of its own")
	callOf(t, further(), "compact", "--store="+url).fails(t, 1, "a locked file has no way to compact it")
	callOf(t, further(), "serve", "--store-pooler", "--store="+url).fails(t, 2, "--store-pooler is for PostgreSQL: the store is locked:")
	callOf(t, further(), "export", "--store=locked:nowhere").fails(t, 1, "there is no store at nowhere")
	callOf(t, further(), "serve", "--store=lock:x").fails(t, 2, "no store has the scheme lock: the known ones are memory:, sqlite:relative.db")
}

// While a service uses an exclusive store, the commands say how else they can be used,
// and the service prints the command that works meanwhile.
func TestExclusiveStore(t *testing.T) {
	t.Parallel()
	url := "locked:" + filepath.Join(t.TempDir(), "problems.db")
	first := startWith(t, further(), nil, "--store="+url)
	token := first.token(t)
	first.end(t)
	later := startWith(t, further(), nil, "--store="+url, "--hints=always")
	want := "problems token create --user admin@localhost --scope admin --url " + later.url
	if later.lines[0] != want {
		t.Errorf("on a later start the service prints %q; want %q first", later.lines, want)
	}
	const offline = "  TOKEN=$(problems token create --user admin@localhost --scope admin --store locked:"
	if !slices.ContainsFunc(later.lines, func(line string) bool { return strings.HasPrefix(line, offline) }) ||
		!slices.Contains(later.lines, "That needs a token of scope admin, in the variable PROBLEMS_TOKEN. Without one, stop the service, then:") {
		t.Errorf("the hints are %q; want one for a service that is stopped", later.lines)
	}
	var stdout, stderr output
	p := process(variables{"PROBLEMS_TOKEN": token}, strings.Fields(want)[1:], &stdout, &stderr)
	p.Kinds = further()
	if code := cli.Run(t.Context(), p); code != 0 || !tokenLine.MatchString(strings.TrimSpace(stdout.String())) {
		t.Errorf("%s ends with %d and prints %q\n%s", want, code, stdout.String(), stderr.String())
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"stop the service that uses it; or give its address with --url", []string{"token", "list", "--store=" + url}},
		{"stop the service that uses it\n", []string{"export", "--store=" + url}},
		{"stop the service that uses it\n", []string{"copy", "--from=" + url, "--to=sqlite:x"}},
		{"stop the service that uses it\n", []string{"serve", "--listen=127.0.0.1:0", "--store=" + url}},
	} {
		callOf(t, further(), c.args...).fails(t, 1, c.want)
	}
}

// TestNoDefaultStore checks that the advice for a missing store fits the kinds of the
// program.
func TestNoDefaultStore(t *testing.T) {
	t.Parallel()
	const none = "no place for the data: set PROBLEMS_STORE"
	for _, c := range []struct {
		kinds []backend.Kind
		env   variables
		want  string
	}{
		{[]backend.Kind{locked()}, variables{"HOME": "/nowhere", "PROBLEMS_DATA_DIR": "/data"}, none + " to a URL: locked:relative.db or locked:///absolute/path.db"},
		{builtin.Kinds(), nil, none + " or PROBLEMS_DATA_DIR, as there is no HOME"},
	} {
		for _, command := range [][]string{{"serve"}, {"export"}, {"backup", "--to=" + filepath.Join(t.TempDir(), "copy")}, {"migrate"}, {"import", "--from=/dev/null"}} {
			var stdout, stderr output
			p := process(c.env, command, &stdout, &stderr)
			p.Kinds = c.kinds
			result{cli.Run(t.Context(), p), stdout.String(), stderr.String()}.fails(t, 1, c.want)
		}
	}
}

// TestCopyOntoItself checks the error for an exclusive store as both sides.
func TestCopyOntoItself(t *testing.T) {
	t.Parallel()
	url := "locked:" + filepath.Join(t.TempDir(), "store")
	callOf(t, further(), "copy", "--from="+url, "--to="+url).fails(t, 1, "there is no store at")
	if err := os.WriteFile(strings.TrimPrefix(url, "locked:"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	callOf(t, further(), "copy", "--from="+url, "--to="+url).fails(t, 1, "problems: copy: --from and --to are the same store")
}
