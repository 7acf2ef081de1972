//go:build litestream

package e2e

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var litestreamProgram = flag.String("litestream", "litestream", "the program of Litestream")

// TestBackToAMomentByLitestream follows the page: Litestream copies the log of a running
// service. Both are killed, and the store goes back to a moment between two writes. Then
// both go on, and end in any order.
func TestBackToAMomentByLitestream(t *testing.T) {
	program, err := exec.LookPath(*litestreamProgram)
	if err != nil {
		t.Fatal(err)
	}
	settings, back := recoveryPage(t, "SQLite")
	dir := clone(t)
	l := &litestream{t: t, dir: dir, program: program}
	store, token := "sqlite://"+filepath.Join(dir, "problems.db"), newToken(t)
	env := append(environment(t, "PROBLEMS_STORE=sqlite:problems.db"), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	key := filepath.Join(dir, "problems.db.webhook-key")
	if err := os.WriteFile(key, []byte("the key beside the store"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	follow(t, settings, "bash", dir, s.url, env)
	l.start()
	newProblem(t, s.as(token), "before the moment")
	h := beforeMoment(t, s, token)
	l.caughtUp()
	moment := time.Now().Truncate(time.Millisecond).Add(2 * time.Millisecond)
	for !time.Now().After(moment) {
		time.Sleep(time.Millisecond) // the next write is behind the moment
	}
	h.afterMoment(s)
	l.caughtUp()
	s.kill()
	l.end(os.Kill)

	follow(t, back, "bash", dir, s.url, append(env, "MOMENT="+moment.UTC().Format("2006-01-02T15:04:05.000Z")))
	s = serve(t, store)
	h.restored(s)
	if text, err := os.ReadFile(key); err != nil || string(text) != "the key beside the store" {
		t.Errorf("the key of webhooks is %q, %v", text, err)
	}
	l.start()
	newProblem(t, s.as(token), "in the new history")
	l.caughtUp()
	if said := command(t, []string{"PROBLEMS_STORE=" + store, "PROBLEMS_LISTEN=127.0.0.1:0"}, "doctor"); !strings.Contains(said, store+" is in order") {
		t.Errorf("the doctor says\n%s", said)
	}
	s.stop()
	l.end(os.Interrupt)
	s = serve(t, store) // the log is still there
	l.start()
	newProblem(t, s.as(token), "after a restart")
	l.caughtUp()
	l.end(os.Interrupt)
	s.stop()
	serve(t, store)
}

// litestream is Litestream beside a service.
type litestream struct {
	t       *testing.T
	dir     string // with the store, the settings and the replica
	program string
	running *exec.Cmd
	printed bytes.Buffer
}

// start starts it as the unit of the page does.
func (l *litestream) start() {
	l.t.Helper()
	page, err := os.ReadFile("../docs/recovery.md")
	if err != nil {
		l.t.Fatal(err)
	}
	_, arguments, found := strings.Cut(string(page), "\n    ExecStart=/usr/bin/litestream ")
	arguments, _, _ = strings.Cut(arguments, "\n")
	if !found {
		l.t.Fatal("the page has no unit for Litestream")
	}
	l.running = exec.Command(l.program, strings.Fields(strings.Replace(arguments, "/etc/", "", 1))...)
	l.running.Dir, l.running.Stdout, l.running.Stderr = l.dir, &l.printed, &l.printed
	if err := l.running.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = l.running.Process.Kill() })
}

// end ends it, and waits until it has ended.
func (l *litestream) end(signal os.Signal) {
	l.t.Helper()
	if err := l.running.Process.Signal(signal); err != nil {
		l.t.Fatal(err)
	}
	err := l.running.Wait()
	if signal != os.Kill && err != nil || strings.Contains(l.printed.String(), "level=ERROR") {
		l.t.Errorf("Litestream ended with %v, and printed\n%s", err, l.printed.String())
	}
	l.printed.Reset()
}

// caughtUp waits until the replica has all that the store has.
func (l *litestream) caughtUp() {
	l.t.Helper()
	probe := filepath.Join(l.t.TempDir(), "probe.db")
	var got, want string
	for end := time.Now().Add(2 * patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		_ = os.Remove(probe)
		restore := exec.Command(l.program, "restore", "-config", "litestream.yml", "-o", probe, filepath.Join(l.dir, "problems.db"))
		restore.Dir = l.dir
		if restore.Run() != nil {
			continue // there is no replica yet
		}
		if got, want = l.position(probe), l.position(filepath.Join(l.dir, "problems.db")); got == want {
			return
		}
	}
	l.t.Fatalf("the replica is at position %q, and the store at %q", got, want)
}

// position returns the last position of a file.
func (l *litestream) position(file string) string {
	l.t.Helper()
	const ask = "import sqlite3, sys; print(sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True).execute('SELECT position FROM versions').fetchone()[0])"
	out, err := exec.Command("python3", "-c", ask, file).CombinedOutput()
	if err != nil {
		l.t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}
