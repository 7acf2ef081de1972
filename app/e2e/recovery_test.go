package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// recoveryPage returns the commands of a section of the page: those of a backup, and those
// that go back.
func recoveryPage(t *testing.T, section string) (before, back []block) {
	t.Helper()
	text, err := os.ReadFile("../docs/recovery.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	part, _, ended := strings.Cut(rest, "\n## ")
	blocks := commandsOf(t, part)
	if !found || !ended || len(blocks) != 2 {
		t.Fatalf("the page has no section %s with two blocks of commands", section)
	}
	return blocks[:1], blocks[1:]
}

// TestBackToAMomentOfPostgres follows the page: it goes back to a moment between two
// writes, by a base backup and the archive of the log.
func TestBackToAMomentOfPostgres(t *testing.T) {
	t.Parallel()
	programs, err := postgrestest.Folder("pg_basebackup")
	if err != nil {
		t.Fatal(err)
	}
	backup, back := recoveryPage(t, "PostgreSQL")
	dir, err := os.MkdirTemp("", "problems-recovery-") // below TempDir the server could not write
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	archive := filepath.Join(dir, "archive")
	for path, mode := range map[string]os.FileMode{archive: 0o777, dir: 0o755} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	server := postgrestest.NewLocal(t, "archive_mode=on", fmt.Sprintf("archive_command=test ! -f %[1]s/%%f && cp %%p %[1]s/%%f", archive))
	env := []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "DATABASE=" + server.URL()}

	token := newToken(t)
	s := serve(t, server.URL(), "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	until(t, s.url+"/readyz", http.StatusOK)
	newProblem(t, s.as(token), "before the base backup")
	follow(t, backup, "bash", dir, s.url, env)
	h := beforeMoment(t, s, token)
	moment := server.Ask("SELECT clock_timestamp()::text")
	h.afterMoment(s)
	s.stop()
	archived(t, server)
	server.Kill() // its disk is lost

	follow(t, back, "bash", dir, s.url, append(env, "MOMENT="+moment))
	restored := postgrestest.NewIn(t, filepath.Join(dir, "restored"), server)
	s = serve(t, restored.URL())
	until(t, s.url+"/readyz", http.StatusOK)
	h.restored(s)
}

// archived waits until the archive has everything written so far.
func archived(t *testing.T, server *postgrestest.Server) {
	t.Helper()
	last := server.Ask("SELECT pg_walfile_name(pg_switch_wal())")
	for end := time.Now().Add(patience); server.Ask("SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver") < last; {
		if time.Now().After(end) {
			t.Fatalf("%s is not archived after %s", last, patience)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestBackToAMomentOfSQLite follows the page: it goes back to the last backup before a
// moment, of several.
func TestBackToAMomentOfSQLite(t *testing.T) {
	t.Parallel()
	backup, back := recoveryPage(t, "SQLite without Litestream")
	dir := clone(t)
	store, token := "sqlite://"+filepath.Join(dir, "problems.db"), newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	env := environment(t, "PROBLEMS_STORE=sqlite:problems.db")
	newProblem(t, s.as(token), "before the first backup")
	follow(t, backup, "bash", dir, s.url, env)
	h := beforeMoment(t, s, token)
	follow(t, backup, "bash", dir, s.url, env)
	moment := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	for time.Now().UTC().Format("2006-01-02T15:04:05.000Z") == moment {
		time.Sleep(time.Millisecond) // the next backup has a later name
	}
	h.afterMoment(s)
	follow(t, backup, "bash", dir, s.url, env)
	s.kill()

	follow(t, back, "bash", dir, s.url, append(env, "MOMENT="+moment))
	h.restored(serve(t, store))
}

// The page takes the last backup that is not from behind the moment, which may have whole
// seconds.
func TestBackupBeforeAMoment(t *testing.T) {
	t.Parallel()
	_, back := recoveryPage(t, "SQLite without Litestream")
	names := []string{"2030-01-31T11:59:59.900Z", "2030-01-31T12:00:00.000Z", "2030-01-31T12:00:00.500Z", "2030-01-31T12:00:01.000Z"}
	for moment, want := range map[string]string{
		"2030-01-31T11:59:59.950Z": names[0],
		"2030-01-31T12:00:00Z":     names[0],
		"2030-01-31T12:00:00.000Z": names[1],
		"2030-01-31T12:00:00.499Z": names[1],
		"2030-01-31T12:00:01Z":     names[2],
		"2030-02-01T00:00:00Z":     names[3],
	} {
		dir := t.TempDir()
		for _, name := range append(names, "") {
			path := filepath.Join(dir, "backups", name+".db")
			if name == "" {
				path = filepath.Join(dir, "problems.db")
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		follow(t, back, "bash", dir, "http://127.0.0.1:8080", append(environment(t), "MOMENT="+moment))
		if got, err := os.ReadFile(filepath.Join(dir, "problems.db")); err != nil || string(got) != want {
			t.Errorf("for %s the page takes %q (%v), want %s", moment, got, err, want)
		}
	}
}

// history is what clients keep from before and after a moment.
type history struct {
	t     *testing.T
	admin string // token of the administrator
	me    string // the administrator's identifier

	kept, lost struct {
		problem string // its path
		tag     string // the ETag of the first problem
		cursor  string
		token   string
		session *http.Client
	}
	revoked   string       // identifier of the token that is revoked after the moment
	signedOut *http.Client // its session ends after the moment
}

const repeated = `{"title":"repeated"}`

// beforeMoment makes the part that stays.
func beforeMoment(t *testing.T, s *server, admin string) *history {
	t.Helper()
	h := &history{t: t, admin: admin}
	c := s.as(admin)
	var me struct{ User struct{ Identifier string } }
	c.get(t, "/me", &me)
	h.me = me.User.Identifier
	h.kept.problem = h.create(s, "kept")
	_, h.kept.tag = conditional(t, c, h.kept.problem, "")
	h.kept.token, h.revoked = h.makeToken(s)
	h.kept.session, h.signedOut = h.signIn(s), h.signIn(s)
	h.kept.cursor = h.cursor(s)
	return h
}

// afterMoment makes the part that gets lost.
func (h *history) afterMoment(s *server) {
	h.t.Helper()
	c := s.as(h.admin)
	if code, body := c.do(http.MethodPatch, h.kept.problem, `{"title":"changed too late"}`); code != http.StatusOK {
		h.t.Fatalf("%d %s", code, body)
	}
	_, h.lost.tag = conditional(h.t, c, h.kept.problem, "")
	h.lost.problem = h.create(s, "lost")
	if code, body := c.do(http.MethodPost, "/problems", repeated, "Idempotency-Key", "once"); code != http.StatusCreated {
		h.t.Fatalf("%d %s", code, body)
	}
	h.lost.token, _ = h.makeToken(s)
	if code, body := c.do(http.MethodDelete, "/tokens/"+h.revoked, ""); code != http.StatusNoContent {
		h.t.Fatalf("%d %s", code, body)
	}
	h.lost.session = h.signIn(s)
	h.post(s, h.copyOf(s, h.signedOut), "/sign-out", url.Values{}) // which forgets the cookie
	h.lost.cursor = h.cursor(s)
	for name, ended := range map[string]bool{"the session that goes on": h.in(s, h.kept.session), "the one that begins": h.in(s, h.lost.session), "the one that ends": !h.in(s, h.signedOut), "the revoked token": status(s, h.kept.token) == http.StatusUnauthorized} {
		if !ended {
			h.t.Errorf("before the restore: %s is not as it should be", name)
		}
	}
}

// restored compares a server after the way back with the page.
func (h *history) restored(s *server) {
	h.t.Helper()
	c := s.as(h.admin)
	var kept struct{ Title string }
	if c.get(h.t, h.kept.problem, &kept); kept.Title != "kept" {
		h.t.Errorf("the problem from before the moment has the title %q", kept.Title)
	}
	codes := func(what string, got, want int) {
		h.t.Helper()
		if got != want {
			h.t.Errorf("%s: %d; want %d", what, got, want)
		}
	}
	code, _ := c.do(http.MethodGet, h.lost.problem, "")
	codes("the lost problem", code, http.StatusNotFound)
	code, _ = conditional(h.t, c, h.kept.problem, h.kept.tag)
	codes("an ETag from before the moment", code, http.StatusNotModified)

	if behind := eventsBehind(h.t, c, h.kept.cursor); len(behind) != 0 {
		h.t.Errorf("behind the cursor of the moment there are %d events; want none", len(behind))
	}
	code, _ = c.do(http.MethodGet, "/events?after="+h.lost.cursor, "")
	codes("a lost cursor", code, http.StatusGone)

	codes("a token made after the moment", status(s, h.lost.token), http.StatusUnauthorized)
	codes("a token revoked after the moment", status(s, h.kept.token), http.StatusOK)
	for what, valid := range map[string]bool{"a session of both times": h.in(s, h.kept.session), "a session ended after the moment": h.in(s, h.signedOut), "a session begun after the moment": !h.in(s, h.lost.session)} {
		if !valid {
			h.t.Errorf("%s is not as the page says", what)
		}
	}

	// The same revision number again, in another history.
	code, body := c.do(http.MethodPatch, h.kept.problem, `{"title":"changed anew"}`, "If-Match", h.lost.tag)
	codes("If-Match with the ETag of a lost revision, "+string(body), code, http.StatusPreconditionFailed)
	code, _ = c.do(http.MethodPatch, h.kept.problem, `{"title":"changed anew"}`, "If-Match", h.kept.tag)
	codes("If-Match with an ETag from before the moment", code, http.StatusOK)
	code, tag := conditional(h.t, c, h.kept.problem, h.lost.tag)
	codes("If-None-Match with the ETag of a lost revision", code, http.StatusOK)
	lost, _, _ := strings.Cut(h.lost.tag, ".")
	if now, _, _ := strings.Cut(tag, "."); now != lost {
		h.t.Errorf("the test is about one revision number in two histories: %s and %s", h.lost.tag, tag)
	}
	code, _ = c.do(http.MethodPatch, h.kept.problem, `{"title":"too late"}`, "If-Match", h.lost.tag)
	codes("If-Match with the ETag of a lost revision, with its number again", code, http.StatusPreconditionFailed)
	code, _ = c.do(http.MethodGet, "/events?after="+h.lost.cursor, "")
	codes("a lost cursor, with events again", code, http.StatusGone)

	before := len(wholeFeed(h.t, c))
	code, _ = c.do(http.MethodPost, "/problems", repeated, "Idempotency-Key", "once")
	codes("a repetition", code, http.StatusCreated)
	if now := len(wholeFeed(h.t, c)); now != before+1 {
		h.t.Errorf("a repetition has made %d events; want 1", now-before)
	}
}

// create creates a problem and returns its path.
func (h *history) create(s *server, title string) string {
	h.t.Helper()
	var made struct{ Identifier int64 }
	code, body := s.as(h.admin).do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":%q}`, title))
	if err := json.Unmarshal(body, &made); err != nil || code != http.StatusCreated {
		h.t.Fatalf("%d %s", code, body)
	}
	return fmt.Sprintf("/problems/%d", made.Identifier)
}

// cursor returns the one of the last event.
func (h *history) cursor(s *server) string {
	h.t.Helper()
	all := wholeFeed(h.t, s.as(h.admin))
	return all[len(all)-1].Identifier
}

// makeToken returns a token of the administrator, and its identifier.
func (h *history) makeToken(s *server) (token, identifier string) {
	h.t.Helper()
	var made struct{ Token, Identifier string }
	code, body := s.as(h.admin).do(http.MethodPost, "/tokens", fmt.Sprintf(`{"user":{"identifier":%q},"scope":"read"}`, h.me))
	if err := json.Unmarshal(body, &made); err != nil || code != http.StatusCreated {
		h.t.Fatalf("%d %s", code, body)
	}
	return made.Token, made.Identifier
}

// signIn begins a session.
func (h *history) signIn(s *server) *http.Client {
	h.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	h.post(s, browser, "/sign-in", url.Values{"token": {h.admin}})
	if !h.in(s, browser) {
		h.t.Fatal("nobody is signed in")
	}
	return browser
}

// copyOf returns a browser with the same cookies.
func (h *history) copyOf(s *server, browser *http.Client) *http.Client {
	h.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		h.t.Fatal(err)
	}
	at, err := url.Parse(s.url)
	if err != nil {
		h.t.Fatal(err)
	}
	jar.SetCookies(at, browser.Jar.Cookies(at))
	same := *browser
	same.Jar = jar
	return &same
}

// post sends a form of a page.
func (h *history) post(s *server, browser *http.Client, path string, form url.Values) {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", s.url)
	answer, err := browser.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusSeeOther {
		h.t.Fatalf("POST %s: %s; want a redirection", path, answer.Status)
	}
}

// in reports whether the session is valid. The cookie is one of the host, on any port.
func (h *history) in(s *server, browser *http.Client) bool {
	h.t.Helper()
	answer, err := browser.Get(s.url + "/settings")
	if err != nil {
		h.t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
