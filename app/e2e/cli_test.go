package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// status asks for /me, which every valid token may.
func status(s *server, token string) int {
	code, _ := s.as(token).do(http.MethodGet, "/me", "")
	return code
}

func TestServePrintsATokenOnceAndThenTheCommandThatMakesOne(t *testing.T) {
	t.Parallel()
	store := newFile(t)
	first := serve(t, store)
	if !strings.HasPrefix(first.second, "pts_") || status(first, first.second) != http.StatusOK {
		t.Fatalf("on an empty store serve printed %q, which is no token that works", first.second)
	}
	first.stop()
	if strings.Contains(first.stderr.String(), first.second[4:]) {
		t.Error("the logs hold the token")
	}

	second := serve(t, store)
	words := strings.Fields(second.second)
	if len(words) < 3 || words[1] != "token" || words[2] != "create" {
		t.Fatalf("on a later start serve printed %q instead of the command that makes a token", second.second)
	}
	if status(second, first.second) != http.StatusOK {
		t.Error("the first token does not outlive a restart")
	}
	token := command(t, nil, words[1:]...)
	becomes(t, second, token, http.StatusOK)
}

func TestBootstrapToken(t *testing.T) {
	t.Parallel()
	eachAdapter(t, func(t *testing.T, store string) {
		token := newToken(t)
		s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
		var me struct {
			User  struct{ Email string }
			Scope string
		}
		s.as(token).get(t, "/me", &me)
		if me.User.Email != "admin@localhost" || me.Scope != "admin" {
			t.Errorf("the bootstrap token is that of %s with the scope %s", me.User.Email, me.Scope)
		}
		s.stop()
		if strings.Contains(s.stderr.String(), token[4:]) {
			t.Error("the logs hold the token")
		}
	})
	t.Run("malformed", func(t *testing.T) {
		t.Parallel()
		code, stdout, stderr := problems(t, []string{"PROBLEMS_STORE=memory:", "PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_BOOTSTRAP_TOKEN=hunter2"}, "serve")
		if code == 0 || strings.Contains(stdout+stderr, "hunter2") || stderr == "" {
			t.Errorf("a malformed token ended serve with %d and %q", code, stdout+stderr)
		}
	})
	t.Run("memory starts with the same bootstrap each time", func(t *testing.T) {
		t.Parallel()
		token := newToken(t)
		for range 2 {
			s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token)
			if status(s, token) != http.StatusOK {
				t.Error("the bootstrap token does not work")
			}
			s.stop()
		}
	})
}

func TestOneServerPerFile(t *testing.T) {
	t.Parallel()
	store, token := newFile(t), newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	code, _, stderr := problems(t, []string{"PROBLEMS_STORE=" + store, "PROBLEMS_LISTEN=127.0.0.1:0"}, "serve")
	if code != 1 || stderr == "" {
		t.Errorf("a second serve on the file ended with %d and %q, want 1 and a sentence", code, stderr)
	}
	if status(s, token) != http.StatusOK {
		t.Error("the first server suffered")
	}
	s.stop()
	serve(t, store).stop() // the lock goes with its holder
}

func TestCommandsBesideARunningServer(t *testing.T) {
	t.Parallel()
	eachAdapter(t, func(t *testing.T, store string) {
		admin := newToken(t)
		s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+admin)
		places := map[string][]string{"on the server": {"PROBLEMS_URL=" + s.url, "PROBLEMS_TOKEN=" + admin}}
		if store != "memory:" {
			places["on the file"] = []string{"PROBLEMS_STORE=" + store}
		}
		for name, place := range places {
			t.Run(name, func(t *testing.T) { manage(t, s, place) })
		}
	})
}

// manage takes a user and a token through their lives by the command line.
func manage(t *testing.T, s *server, place []string) {
	email := strings.ToLower(strings.ReplaceAll(t.Name(), "/", ".")) + "@example.org"
	user := command(t, place, "user", "add", "--name", "Ann Lee", "--email", email)
	if list := command(t, place, "user", "list"); !strings.Contains(list, user) || !strings.Contains(list, email) {
		t.Fatalf("user list lacks %s:\n%s", email, list)
	}
	if code, _, stderr := problems(t, place, "user", "add", "--name", "Ann", "--email", strings.ToUpper(email)); code != 1 || stderr == "" {
		t.Errorf("adding the same address again ended with %d and %q", code, stderr)
	}
	command(t, place, "user", "add", "--name", "Jörg", "--email", "jo\u0308rg."+strings.Replace(email, "example", "BÜCHER", 1))
	command(t, place, "token", "create", "--user", "jo\u0308rg."+strings.Replace(email, "example", "xn--bcher-kva", 1), "--scope", "read")
	first := command(t, place, "token", "create", "--user", email, "--scope", "write")
	second := command(t, place, "token", "create", "--user", user, "--scope", "read", "--expires", "1h")
	for _, token := range []string{first, second} {
		becomes(t, s, token, http.StatusOK)
	}
	if code, _ := s.as(first).do(http.MethodPost, "/problems", `{"title":"By Ann"}`); code != http.StatusCreated {
		t.Errorf("the token of scope write gets %d", code)
	}

	var tokens []struct {
		Identifier string
		User       struct{ Identifier string }
		Scope      string
	}
	list := command(t, place, "token", "list", "--json")
	if err := json.Unmarshal([]byte(list), &tokens); err != nil {
		t.Fatalf("token list --json: %v\n%s", err, list)
	}
	if strings.Contains(list, "pts_") || strings.Contains(list, first[4:20]) {
		t.Error("token list shows a secret")
	}
	revoked := ""
	for _, token := range tokens {
		if token.User.Identifier == user && token.Scope == "write" {
			revoked = token.Identifier
		}
	}
	if revoked == "" {
		t.Fatalf("token list lacks the new one:\n%s", list)
	}
	command(t, place, "token", "revoke", revoked)
	becomes(t, s, first, http.StatusUnauthorized)
	if got := status(s, second); got != http.StatusOK {
		t.Errorf("another token of the user gets %d", got)
	}
	command(t, place, "user", "deactivate", email)
	becomes(t, s, second, http.StatusUnauthorized)
}

// becomes demands that the server answers to the token with the status within
// the two seconds that D17 gives to what happens beside it.
func becomes(t *testing.T, s *server, token string, want int) {
	t.Helper()
	got := 0
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		if got = status(s, token); got == want {
			return
		}
	}
	t.Errorf("after two seconds the token gets %d, want %d", got, want)
}

func TestFilesOfTheService(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, "sqlite://"+filepath.Join(dir, "problems.db"), "PROBLEMS_BOOTSTRAP_TOKEN="+newToken(t))
	s.stop()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), "problems.db") {
			t.Errorf("serve left %s beside its store", entry.Name())
		}
	}
}

func TestCommandLineMisuse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code int
		args []string
	}{
		{2, []string{"nope"}},
		{2, []string{"serve", "--nope"}},
		{2, []string{"serve", "--store", "mongodb://x"}},
		{2, []string{"token", "create", "--scope", "root", "--user", "x"}},
		{1, []string{"user", "list", "--store", "sqlite:///nowhere/problems.db"}},
		{1, []string{"user", "list", "--store", "memory:"}},
	} {
		if code, stdout, stderr := problems(t, nil, test.args...); code != test.code || stderr == "" || stdout != "" {
			t.Errorf("problems %q ended with %d, %q and %q; want %d and a sentence on standard error", test.args, code, stdout, stderr, test.code)
		}
	}
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"token", "create", "--help"}, {"version"}, {"config"}} {
		if out := command(t, nil, args...); out == "" {
			t.Errorf("problems %q prints nothing", args)
		}
	}
	token := newToken(t)
	if out := command(t, []string{"PROBLEMS_BOOTSTRAP_TOKEN=" + token}, "config"); strings.Contains(out, token[4:20]) {
		t.Errorf("config shows a secret:\n%s", out)
	}
}
