package cli_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// withPassword returns a URL with a password.
func withPassword(t *testing.T, text, password string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), password)
	return u.String()
}

// passwordOf returns the password of a URL, and the URL without it. Where the
// server asks for none, any will do.
func passwordOf(t *testing.T, text string) (password, without string) {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	password, _ = u.User.Password()
	if password == "" {
		password = "hunter2"
	}
	u.User = url.User(u.User.Username())
	return password, u.String()
}

func TestPasswordNeverShows(t *testing.T) {
	t.Parallel()
	password, without := passwordOf(t, postgrestest.Schema(t))
	env := variables{"PROBLEMS_STORE": withPassword(t, without, password), "PROBLEMS_LOG_LEVEL": "debug"}
	var shown strings.Builder
	first := start(t, env)
	first.token(t)
	first.end(t)
	second := start(t, env)
	if want := `problems token create --user admin@localhost --scope admin --store "$PROBLEMS_STORE"`; len(second.lines) != 1 || second.lines[0] != want {
		t.Errorf("a later start prints %q; want %s", second.lines, want)
	}
	nobody := withPassword(t, "postgres://nobody@127.0.0.1:1/nothing", password)
	third := start(t, env, "--store", nobody) // which waits
	third.end(t)
	second.end(t)
	for _, s := range []*running{first, second, third} {
		shown.WriteString(s.stdout.String() + s.stderr.String())
		if !strings.Contains(s.stderr.String(), ":xxxxx@") {
			t.Errorf("the log does not name the store:\n%s", s.stderr)
		}
	}
	for _, args := range [][]string{
		{"config"}, {"config", "--explain"}, {"serve", "--help"}, {"migrate", "--status"}, {"token", "list"},
		{"migrate", "--store", nobody}, {"migrate", "--dry-run", "--store", nobody}, {"user", "list", "--store", nobody},
		{"serve", "--store", nobody + "#"}, {"serve", "--store", withPassword(t, without, password) + "&no_such_setting=1"},
	} {
		r := call(t, env, args...)
		shown.WriteString(r.stdout + r.stderr)
	}
	if strings.Contains(shown.String(), password) {
		t.Errorf("the password shows:\n%s", strings.ReplaceAll(shown.String(), password, "<<<the password>>>"))
	}
}

func TestPasswordFromAFile(t *testing.T) {
	t.Parallel()
	password, without := passwordOf(t, postgrestest.Schema(t))
	file := filepath.Join(t.TempDir(), "pass word")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := variables{"PROBLEMS_STORE": without, "PROBLEMS_STORE_PASSWORD_FILE": file}
	s := start(t, env)
	s.token(t)
	s.end(t)
	s = start(t, env)
	if want := "--store '" + without + "' --store-password-file '" + file + "'"; len(s.lines) != 1 || !strings.HasSuffix(s.lines[0], want) {
		t.Errorf("a later start prints %q; want …%s", s.lines, want)
	}
	if r := call(t, variables{"PROBLEMS_STORE": without, "PROBLEMS_STORE_PASSWORD_FILE": file + "s"}, "user", "list"); r.code != 1 || !strings.Contains(r.stderr, "the password of the database cannot be read: ") {
		t.Errorf("without the file: exit code %d\n%s", r.code, r.stderr)
	}
}

func TestMigrateApart(t *testing.T) {
	t.Parallel()
	env := variables{"PROBLEMS_STORE": postgrestest.Schema(t), "PROBLEMS_AUTO_MIGRATE": "false"}
	for _, args := range [][]string{{"serve"}, {"token", "list"}} {
		if r := call(t, env, args...); r.code != 1 || !strings.Contains(r.stderr, `run "problems migrate" first`) {
			t.Errorf("%v before migrating: exit code %d\n%s", args, r.code, r.stderr)
		}
	}
	testMigrate(t, env)
}

func TestLossIsRefused(t *testing.T) {
	t.Parallel()
	env := variables{"PROBLEMS_STORE": postgrestest.New(t, "full_page_writes=off").URL() + "&synchronous_commit=off"}
	if r := call(t, env, "serve"); r.code != 1 || !strings.Contains(r.stderr, "full_page_writes is off") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	s := start(t, env, "--store-accept-loss")
	s.end(t)
	for _, setting := range []string{"full_page_writes", "synchronous_commit"} {
		if log := s.stderr.String(); !strings.Contains(log, `"level":"WARN"`) || !strings.Contains(log, `"setting":"`+setting+`"`) {
			t.Errorf("the log does not warn of %s:\n%s", setting, log)
		}
	}
	const want = "FAULT    full_page_writes is off, so that a crash of the machine can destroy the database.\n         Mend: set it to on, or accept the loss with PROBLEMS_STORE_ACCEPT_LOSS"
	if r := call(t, env, "doctor"); r.code != 1 || !strings.Contains(r.stdout, want) || strings.Contains(r.stdout, "synchronous_commit") {
		t.Errorf("the doctor has exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// Each of the two databases of a copy has settings of its own.
func TestCopyWithSettings(t *testing.T) {
	t.Parallel()
	lossy, pooled, file := postgrestest.New(t, "full_page_writes=off").URL(), postgrestest.Schema(t), sqliteURL(t)
	for _, c := range []struct {
		args    []string
		lacking string // a setting without which it fails
		refused string // with this error
	}{
		{[]string{"copy", "--from=" + served(t), "--to=" + lossy, "--to-timeout=1m"}, "--to-accept-loss", "copy: --to: postgres: "},
		{[]string{"copy", "--from=" + lossy, "--to=" + file, "--from-pooler"}, "--from-accept-loss", "copy: --from: postgres: "},
		{[]string{"copy", "--from=" + file, "--to=" + pooled, "--to-pooler"}, "--to-direct=" + pooled, "also give a direct URL"},
	} {
		call(t, nil, c.args...).fails(t, 1, c.refused)
		must(t, nil, append(c.args, c.lacking)...)
	}
	if again, once := must(t, nil, "export", "--store="+pooled), must(t, nil, "export", "--store="+file); again != once {
		t.Errorf("the last copy is\n%s\nof\n%s", again, once)
	}
}
