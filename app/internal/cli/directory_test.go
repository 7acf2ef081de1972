package cli_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/app/internal/directory"
	"github.com/problemtracking/problems/domain/access"
)

// The commands do the same on the store of a running service and through that
// service itself.
func TestUsersAndTokens(t *testing.T) {
	t.Parallel()
	store := sqliteURL(t)
	onFile := start(t, nil, "--store", store)
	database := variables{"PROBLEMS_STORE": postgrestest.Schema(t)}
	onPostgres := start(t, database)
	inMemory := start(t, nil, "--store=memory:", "--base-path=/tracker")
	for _, c := range []struct {
		name    string
		service *running
		env     variables
	}{
		{"store", onFile, variables{"PROBLEMS_STORE": store}},
		{"database", onPostgres, database},
		{"server", inMemory, variables{"PROBLEMS_URL": inMemory.url, "PROBLEMS_TOKEN": inMemory.token(t)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testUsersAndTokens(t, c.service, c.env)
		})
	}
}

func testUsersAndTokens(t *testing.T, s *running, env variables) {
	const me = "/api/20151105/me"

	ann := must(t, env, "user", "add", "--name", "Ann Lee", "--email", "ann@example.org")
	bo := decode[directory.User](t, must(t, env, "user", "add", "--name=Bo", "--email=Bo@example.org", "--json"))
	want := []directory.User{
		{Name: "Administrator", Email: "admin@localhost"},
		{Identifier: ann, Name: "Ann Lee", Email: "ann@example.org"},
		{Identifier: bo.Identifier, Name: "Bo", Email: "Bo@example.org"},
	}
	users := decode[[]directory.User](t, must(t, env, "user", "list", "--json"))
	if len(users) > 0 {
		want[0].Identifier = users[0].Identifier
	}
	if !slices.Equal(users, want) {
		t.Errorf("the users are %+v; want %+v", users, want)
	}

	byEmail := call(t, env, "token", "create", "--user=ANN@example.org", "--scope=write", "--expires=720h")
	token := strings.TrimSuffix(byEmail.stdout, "\n")
	if !tokenLine.MatchString(token) || !strings.Contains(byEmail.stderr, " of scope write for ann@example.org, valid until 20") {
		t.Fatalf("a token is printed as %q\n%s", byEmail.stdout, byEmail.stderr)
	}
	inNewYork := maps.Clone(env)
	inNewYork["PROBLEMS_TIME_ZONE"] = "America/New_York"
	byIdentifier := decode[directory.Token](t, must(t, inNewYork, "token", "create", "--user", ann, "--scope=read", "--name=nightly build", "--expires=2099-12-31", "--json"))
	if byIdentifier.Expires == nil || byIdentifier.Expires.UTC().Format(time.RFC3339Nano) != "2100-01-01T04:59:59.999Z" || byIdentifier.User.Name != "Ann Lee" || byIdentifier.Name == nil || *byIdentifier.Name != "nightly build" || byIdentifier.LastUse != nil {
		t.Errorf("the token is %+v", byIdentifier)
	}
	for _, secret := range []string{token, byIdentifier.Secret} {
		if status := s.get(t, secret, me); status != http.StatusOK {
			t.Errorf("a new token gets the status %d", status)
		}
	}

	tokens := decode[[]directory.Token](t, must(t, env, "token", "list", "--json"))
	if len(tokens) != 3 || tokens[1].Scope != "write" || tokens[2].Identifier != byIdentifier.Identifier || tokens[2].Secret != "" {
		t.Errorf("the tokens are %+v", tokens)
	}
	table := strings.Split(must(t, env, "token", "list"), "\n")
	if len(table) != 4 || !strings.HasPrefix(table[0], "IDENTIFIER ") || !strings.Contains(table[1], "  never ") || !strings.Contains(table[3], "  nightly build  read ") {
		t.Errorf("the table of tokens is %q", table)
	}

	must(t, env, "token", "revoke", byIdentifier.Identifier)
	must(t, env, "user", "deactivate", "ann@EXAMPLE.org")
	must(t, env, "user", "deactivate", ann) // again, which changes nothing
	for began := time.Now(); s.get(t, token, me)+s.get(t, byIdentifier.Secret, me) != 2*http.StatusUnauthorized; {
		if time.Since(began) > 2*time.Second { // which D17 gives to what happens beside a server
			t.Fatal("a running server takes tokens that have ended")
		}
	}
	for _, token := range decode[[]directory.Token](t, must(t, env, "token", "list", "--json"))[1:] {
		if token.Revoked == nil {
			t.Errorf("the token is not revoked: %+v", token)
		}
	}
	if table := must(t, env, "user", "list"); !strings.Contains(table, "ann@example.org  inactive") || !strings.Contains(table, "Bo@example.org   active") {
		t.Errorf("the table of users is\n%s", table)
	}

	of := must(t, env, "token", "create", "--user=Bo@example.org", "--scope=write")
	s.send(t, of, "/problems", map[string]string{"title": "Ask Bo"})
	s.send(t, of, "/queries", map[string]string{"name": "Mine", "predicate": "TRUEPREDICATE"})
	for _, would := range []struct{ flag, want string }{
		{"--dry-run", "Bo (Bo@example.org) would be erased: 1 tokens, 0 sessions, "}, {"--yes", "Erased user "}, {"--yes", "Erased user "},
	} {
		const listed = " is erased: 1 tokens, 0 sessions, 1 saved queries, 0 watches, 2 entries of the audit log, 0 of the logs of 0 problems.\nProblems with a former name or address in a text: 1"
		out := must(t, env, "user", "erase", bo.Identifier, would.flag)
		if !strings.HasPrefix(out, would.want) || !strings.HasSuffix(strings.Replace(out, "would be", "is", 1), listed) {
			t.Errorf("the erasure %s prints %q", would.flag, out)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"user", "erase", ann}, "cannot be undone"},
		{[]string{"user", "erase", "admin@localhost", "--yes"}, "nobody could administer the service after this"},
		{[]string{"user", "add", "--name=Other", "--email=ANN@example.org"}, "another user has this e-mail address"},
		{[]string{"user", "add", "--name=", "--email=nobody"}, "name: "},
		{[]string{"user", "deactivate", "cy@example.org"}, `no user has the e-mail address or identifier "cy@example.org"`},
		{[]string{"token", "create", "--user=cy@example.org", "--scope=read"}, `no user has the e-mail address or identifier "cy@example.org"`},
		{[]string{"token", "create", "--user=admin@localhost", "--scope=read", "--expires=2001-01-01T00:00:00Z"}, "expires: must be in the future"},
		{[]string{"token", "revoke", "01a1f944-5774-70d8-991b-c1b684ce177d"}, "there is no token with this identifier"},
		{[]string{"token", "revoke", "../users"}, "identifier"},
		{[]string{"token", "revoke", tokens[0].Identifier}, "nobody could administer the service after this"},
		{[]string{"user", "deactivate", "admin@localhost"}, "nobody could administer the service after this"},
	} {
		r := call(t, env, c.args...)
		if r.code != 1 || r.stdout != "" || !strings.HasPrefix(r.stderr, "problems: ") || !strings.Contains(r.stderr, c.want) {
			t.Errorf("problems %s: exit code %d\n%s%s", strings.Join(c.args, " "), r.code, r.stdout, r.stderr)
		}
	}
}

// On the store itself, an operator can shut out the last administrator and make
// another one. A server is never told to do so.
func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	env := variables{"PROBLEMS_STORE": sqliteURL(t)}
	s := start(t, env)
	remote := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}
	first := decode[[]directory.Token](t, must(t, env, "token", "list", "--json"))[0].Identifier
	for _, args := range [][]string{{"token", "revoke", "--last-admin", first}, {"user", "deactivate", "--last-admin", "admin@localhost"}} {
		if r := call(t, remote, args...); r.code != 1 || !strings.Contains(r.stderr, "--last-admin works on a store only") {
			t.Errorf("problems %s through a server: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
	must(t, env, "token", "revoke", "--last-admin", first)
	again := must(t, env, "token", "create", "--user=admin@localhost", "--scope=admin")
	if status := s.get(t, again, "/api/20151105/tokens"); status != http.StatusOK {
		t.Errorf("another token of the administrator gets the status %d", status)
	}
	must(t, env, "user", "deactivate", "--last-admin", "admin@localhost")
	if users := decode[[]directory.User](t, must(t, env, "user", "list", "--json")); !users[0].Inactive {
		t.Errorf("the administrator is still active: %+v", users)
	}
}

func TestDirectoryRefuses(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved/api/20151105/tokens":
			http.Redirect(w, r, "/", http.StatusMovedPermanently)
		case "/text/api/20151105/tokens":
			_, _ = w.Write([]byte("hello"))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(elsewhere.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := start(t, nil, "--store=memory:")
	token := s.token(t)
	reader := must(t, variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": token}, "token", "create", "--user=admin@localhost", "--scope=read")
	empty := "sqlite://" + filepath.Join(t.TempDir(), "empty.db")
	must(t, nil, "migrate", "--store", empty)

	for _, c := range []struct {
		name string
		env  variables
		want string
	}{
		{"no file", variables{"PROBLEMS_STORE": sqliteURL(t)}, `"problems serve" makes one`},
		{"an empty store", variables{"PROBLEMS_STORE": empty}, `the store is empty: start "problems serve" on it once`},
		{"memory", variables{"PROBLEMS_STORE": "memory:"}, "give the server's address with --url"},
		{"no token", variables{"PROBLEMS_URL": s.url}, "set PROBLEMS_TOKEN"},
		{"no address", variables{"PROBLEMS_URL": "127.0.0.1", "PROBLEMS_TOKEN": token}, "looks like http://127.0.0.1:8080"},
		{"no server", variables{"PROBLEMS_URL": gone.URL, "PROBLEMS_TOKEN": token}, "does not answer: "},
		{"another server", variables{"PROBLEMS_URL": elsewhere.URL, "PROBLEMS_TOKEN": token}, "the server answered 404"},
		{"a redirect", variables{"PROBLEMS_URL": elsewhere.URL + "/moved", "PROBLEMS_TOKEN": token}, "the server answered 301"},
		{"no JSON", variables{"PROBLEMS_URL": elsewhere.URL + "/text", "PROBLEMS_TOKEN": token}, "does not answer as this service does"},
		{"scope", variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": reader}, "admin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := variables{"HOME": t.TempDir()}
			for name, value := range c.env {
				env[name] = value
			}
			r := call(t, env, "token", "list")
			if r.code != 1 || r.stdout != "" || !strings.HasPrefix(r.stderr, "problems: ") || !strings.Contains(r.stderr, c.want) {
				t.Errorf("exit code %d, want 1 and %q\n%s%s", r.code, c.want, r.stdout, r.stderr)
			}
			if strings.Contains(r.stderr, token[4:]) {
				t.Errorf("the token shows: %s", r.stderr)
			}
		})
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	testMigrate(t, variables{"HOME": t.TempDir()})
	if r := call(t, nil, "migrate", "--store=memory:"); r.code != 1 || !strings.Contains(r.stderr, "no schema to migrate") {
		t.Errorf("on a store in memory: exit code %d\n%s", r.code, r.stderr)
	}
}

func testMigrate(t *testing.T, env variables) {
	for range 2 { // to look changes nothing
		if got := must(t, env, "migrate", "--status"); !strings.Contains(got, "to do") || strings.Contains(got, "done") {
			t.Errorf("the status of no store is\n%s", got)
		}
		if got := must(t, env, "migrate", "--dry-run"); !strings.HasPrefix(got, "BEGIN") || !strings.Contains(got, "CREATE TABLE problems (") || !strings.HasSuffix(got, "COMMIT;") {
			t.Errorf("what would be done is\n%s", got)
		}
	}
	if got := must(t, env, "migrate"); !strings.Contains(got, "done") || strings.Contains(got, "to do") {
		t.Errorf("a migration prints\n%s", got)
	}
	got := must(t, env, "migrate", "--status")
	if !strings.Contains(got, "done") || strings.Contains(got, "to do") {
		t.Errorf("the status of a migrated store is\n%s", got)
	}
	for _, row := range []string{`STEP +STATUS +WAY BACK`, `0100_initial +done +a backup from before`} {
		if !regexp.MustCompile("(?m)^" + row + "$").MatchString(got) {
			t.Errorf("the status lacks the row %q:\n%s", row, got)
		}
	}
	if got := must(t, env, "migrate", "--dry-run"); got != "" {
		t.Errorf("of a migrated store this is left to do:\n%s", got)
	}
	if r := call(t, env, "token", "list"); r.code != 1 || !strings.Contains(r.stderr, `the store is empty: start "problems serve" on it once`) {
		t.Errorf("migrating has seeded: exit code %d\n%s", r.code, r.stderr)
	}
	start(t, env).token(t)
}

// The help says what each scope is for.
func TestHelpOfScopes(t *testing.T) {
	t.Parallel()
	help := must(t, nil, "token", "create", "--help")
	for _, want := range []string{
		"read     load and search everything but tokens",
		"write    also write problems and all that belongs to them, save queries, create milestones",
		"admin    also write users, tokens and all other metadata, and read the audit log",
	} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q:\n%s", want, help)
		}
	}
}

// A store on the command line wins over the server of a variable.
func TestStoreBeforeServer(t *testing.T) {
	t.Parallel()
	url := sqliteURL(t)
	start(t, variables{"PROBLEMS_STORE": url}).end(t)
	env := variables{"PROBLEMS_URL": "http://127.0.0.1:1", "PROBLEMS_TOKEN": access.NewSecret([32]byte{1}).Reveal()}
	if got := must(t, env, "user", "list", "--store", url); !strings.Contains(got, "admin@localhost") {
		t.Errorf("the list of users is\n%s", got)
	}
	both := call(t, env, "user", "list", "--store", url, "--url", "http://127.0.0.1:1")
	if both.code != 2 || !strings.Contains(both.stderr, "--url and --store exclude each other") {
		t.Errorf("a store and a server: exit code %d, %s", both.code, both.stderr)
	}
}
