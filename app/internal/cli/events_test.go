package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/problemtracking/problems/app/internal/cli"
	"github.com/problemtracking/problems/app/internal/feed"
)

// post creates a problem.
func (s *running) post(t *testing.T, token, title string) {
	t.Helper()
	s.send(t, token, "/problems", map[string]string{"title": title})
}

// send makes a POST request of the API.
func (s *running) send(t *testing.T, token, path string, members any) (answer string) {
	t.Helper()
	body, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/20151105"+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("POST %s gets %s, %v\n%s", path, response.Status, err, text)
	}
	return string(text)
}

// titles returns the titles of problems in lines of events, and the last identifier.
func titles(t *testing.T, lines string) (all, last string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		e := decode[struct {
			Identifier string
			Problem    *struct{ Title string }
		}](t, line)
		if last = e.Identifier; e.Problem != nil {
			all += e.Problem.Title + " "
		}
	}
	return strings.TrimSuffix(all, " "), last
}

func TestEvents(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:")
	token := s.token(t)
	env := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": token}
	reader := must(t, env, "token", "create", "--user=admin@localhost", "--scope=read")
	readers := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": reader}
	state := filepath.Join(t.TempDir(), "position")

	if got := must(t, readers, "events", "--after=now", "--state", state); got != "" {
		t.Errorf("from now on there is\n%s", got)
	}
	for _, title := range []string{"a", "<b>", "c"} {
		s.post(t, token, title)
	}
	all := must(t, readers, "events")
	got, last := titles(t, all)
	if got != "a <b> c" || !strings.Contains(all, `"title":"<b>"`) {
		t.Errorf("the feed is\n%s", all)
	}
	if administration := must(t, env, "events"); !strings.HasPrefix(administration, `{"identifier":"`) || !strings.Contains(administration, `"type":"token.created"`) || !strings.HasSuffix(administration, all) {
		t.Errorf("for an administrator the feed is\n%s", administration)
	}
	// The file counts, and --after only before there is one.
	if again := must(t, readers, "events", "--after=now", "--state", state); again != all {
		t.Errorf("since the file was made there is\n%s", again)
	}
	if text, err := os.ReadFile(state); err != nil || string(text) != last+"\n" {
		t.Errorf("the file has %q, %v; want %s", text, err, last)
	}
	if again := must(t, readers, "events", "--state", state); again != "" {
		t.Errorf("behind the end there is\n%s", again)
	}
	if got, _ := titles(t, must(t, readers, "events", "--problem=2")); got != "<b>" {
		t.Errorf("problem 2 has the events of %s", got)
	}
	if got, _ := titles(t, must(t, readers, "events", "--predicate", "title != 'c'", "--after", decode[struct{ Identifier string }](t, strings.SplitAfter(all, "\n")[0]).Identifier)); got != "<b>" {
		t.Errorf("the predicate finds the events of %s", got)
	}

	// Another server has another history.
	other := start(t, nil, "--store=memory:")
	foreign := variables{"PROBLEMS_URL": other.url, "PROBLEMS_TOKEN": other.token(t)}
	for _, flag := range []string{"--if-gone=fail", "--follow"} {
		if r := call(t, foreign, "events", "--state", state, flag); r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "go on with --if-gone=now") {
			t.Errorf("a position of another history: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
		}
	}
	r := call(t, foreign, "events", "--state", state, "--if-gone=now")
	if r.code != 0 || r.stdout != "" || !strings.Contains(r.stderr, "going on from the newest event") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if got := must(t, foreign, "events", "--state", state); got != "" {
		t.Errorf("behind the end of the other feed there is\n%s", got)
	}
}

// With a limit the command ends by itself, also when it follows, and its file has the
// position of the last printed event.
func TestEventsLimit(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:")
	token := s.token(t)
	readers := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": must(t, variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": token}, "token", "create", "--user=admin@localhost", "--scope=read")}
	for _, title := range []string{"a", "b", "c", "d", "e"} {
		s.post(t, token, title)
	}
	for _, flag := range []string{"--follow", "--follow=false"} {
		state := filepath.Join(t.TempDir(), "position")
		for _, want := range []string{"a b", "c d"} {
			if got, _ := titles(t, must(t, readers, "events", flag, "--limit=2", "--state", state)); got != want {
				t.Errorf("%s: the limit of two prints %q, want %q", flag, got, want)
			}
		}
		if got, _ := titles(t, must(t, readers, "events", "--limit=7", "--state", state)); got != "e" {
			t.Errorf("%s: behind four events there is %q, want e", flag, got)
		}
	}
}

// Two commands with one file would overwrite each other's position.
func TestEventsRefusesAFileInUse(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:")
	env := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}
	path := filepath.Join(t.TempDir(), "position")
	state, _, err := feed.OpenState(path)
	if err != nil {
		t.Fatal(err)
	}
	if r := call(t, env, "events", "--follow", "--state", path); r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, "is in use by another `problems events`") {
		t.Errorf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if err := state.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // each command gives the file back
		must(t, env, "events", "--state", path)
	}
}

func TestEventsRefuses(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:")
	env := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}
	for _, c := range []struct {
		env  variables
		args []string
		code int
		want string
	}{
		{variables{"PROBLEMS_URL": s.url}, nil, 5, "set PROBLEMS_TOKEN"},
		{variables{"PROBLEMS_URL": "ftp://x", "PROBLEMS_TOKEN": env["PROBLEMS_TOKEN"]}, nil, 1, "looks like http://127.0.0.1:8080"},
		{variables{"PROBLEMS_URL": "http://127.0.0.1:1", "PROBLEMS_TOKEN": env["PROBLEMS_TOKEN"]}, nil, 6, "does not answer"},
		{env, []string{"--problem=-1"}, 2, "--problem has to be"},
		{env, []string{"--limit=-1"}, 2, "--limit has to be"},
		{env, []string{"--if-gone=perhaps"}, 2, "--if-gone"},
		{env, []string{"--after=yesterday"}, 2, `after has to be "now"`},
		{env, []string{"--predicate=titel = 1", "--follow"}, 2, "did you mean title? (line 1, column 1)"},
		{env, []string{"--state", t.TempDir()}, 1, "cannot be read"},
	} {
		r := call(t, c.env, append([]string{"events"}, c.args...)...)
		if r.code != c.code || r.stdout != "" || !strings.HasPrefix(r.stderr, "problems: ") || !strings.Contains(r.stderr, c.want) {
			t.Errorf("problems events %q: exit code %d, want %d and %q\n%s%s", c.args, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
}

// writer is an output with a function.
type writer func([]byte) (int, error)

func (w writer) Write(b []byte) (int, error) { return w(b) }

// The end of the reader is a good end. A stopped reader holds nobody.
func TestEventsWithoutReader(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--store=memory:")
	env := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": s.token(t)}
	must(t, env, "new", "a")
	for _, flag := range []string{"--follow", "--follow=false"} {
		broken := writer(func([]byte) (int, error) { return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE} })
		var stderr output
		if code := cli.Run(t.Context(), process(env, []string{"events", flag}, broken, &stderr)); code != 0 || stderr.String() != "" {
			t.Errorf("%s into a broken pipe: exit code %d\n%s", flag, code, &stderr)
		}
		for _, args := range [][]string{{"list"}, {"serve", "--help"}} {
			if code := cli.Run(t.Context(), process(env, args, broken, &stderr)); code != 0 || stderr.String() != "" {
				t.Errorf("%v into a broken pipe: exit code %d\n%s", args, code, &stderr)
			}
		}
		full := writer(func([]byte) (int, error) { return 0, &os.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC} })
		if code := cli.Run(t.Context(), process(env, []string{"events", flag}, full, &stderr)); code != 1 || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%s on a full disk: exit code %d\n%s", flag, code, &stderr)
		}
		ctx, cancel := context.WithCancel(t.Context())
		state := filepath.Join(t.TempDir(), "position")
		stuck := writer(func([]byte) (int, error) {
			cancel()
			<-t.Context().Done()
			return 0, io.ErrClosedPipe
		})
		if code := cli.Run(ctx, process(env, []string{"events", flag, "--state", state}, stuck, &stderr)); flag == "--follow" && code != 0 || flag != "--follow" && code != 1 {
			t.Errorf("%s interrupted, with a stopped reader: exit code %d\n%s", flag, code, &stderr)
		}
		if _, err := os.Stat(state); err == nil {
			t.Error("the file has the position of lost lines")
		}
	}
}
