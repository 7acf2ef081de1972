package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBackupPage follows what the README says about backup and restore: the commands
// before the restore beside a running server, which then writes more and is killed.
func TestBackupPage(t *testing.T) {
	t.Parallel()
	need(t, "cmp")
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(string(text), "\n## Backup and restore\n")
	page, _, found := strings.Cut(page, "\n## ")
	beside, after, restores := strings.Cut(page, "\nTo restore a backup")
	if !found || !restores {
		t.Fatal("the README has no page on backup and restore, or it says nothing about one of them")
	}
	dir := clone(t)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	store, token := "sqlite://"+filepath.Join(dir, "problems.db"), newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	create := func(c *client, title string) {
		t.Helper()
		if status, body := c.do("POST", "/problems", `{"title":"`+title+`"}`); status != 200 && status != 201 {
			t.Fatal(status, body)
		}
	}
	create(s.as(token), "first")
	create(s.as(token), "second")
	follow(t, dir, beside)
	create(s.as(token), "after the backup")
	s.kill()
	follow(t, dir, after)
	c := serve(t, store).as(token)
	for number, want := range map[int]int{1: 200, 2: 200, 3: 404} {
		if status, body := c.do("GET", fmt.Sprintf("/problems/%d", number), ""); status != want {
			t.Errorf("problem %d of the backup is answered with %d %s, want %d", number, status, body, want)
		}
	}
	create(c, "after the restore")
}

// follow runs the commands of a page in a directory, and compares what they print.
func follow(t *testing.T, dir, page string) {
	t.Helper()
	var script, want strings.Builder
	for _, line := range console(strings.ReplaceAll(page, "```shell-session", "```console")) {
		if command, found := strings.CutPrefix(line, "$ "); found {
			fmt.Fprintf(&script, "echo %s\n%s\n", quote("$ "+command), command)
		}
		fmt.Fprintln(&want, line)
	}
	bash := exec.CommandContext(t.Context(), "bash")
	bash.Dir, bash.Stdin = dir, strings.NewReader(script.String())
	bash.Env = environment(t, "PROBLEMS_STORE=sqlite:problems.db")
	output, _ := bash.CombinedOutput() // the page shows which commands fail
	if got := strings.ReplaceAll(string(output), dir, "/srv"); got != want.String() || got == "" {
		t.Errorf("the README shows something else: %s\nthe commands print\n%s", difference(want.String(), got), got)
	}
}

// TestOneFileOneServer tries to start a second server on a file under all the names that
// lead to it, and loses nothing of what the first one has answered.
func TestOneFileOneServer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "problems.db")
	token := newToken(t)
	s := serve(t, "sqlite://"+path, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	c := s.as(token)
	write := func(number int) {
		t.Helper()
		if status, body := c.do("POST", "/problems", `{"title":"acknowledged"}`); status != 200 && status != 201 {
			t.Fatalf("problem %d is answered with %d %s", number, status, body)
		}
	}
	second := func(path, want string) {
		t.Helper()
		code, _, stderr := problems(t, nil, "serve", "--listen=127.0.0.1:0", "--store=sqlite://"+path)
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("a second server on %s ends with %d and %s; want 1 and %q", path, code, stderr, want)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const taken = "another `problems serve` uses it"
	write(1)
	second(path, taken)
	link := filepath.Join(t.TempDir(), "link.db")
	must(os.Symlink(path, link))
	second(link, taken)
	write(2)
	hard := filepath.Join(filepath.Dir(path), "hard.db")
	must(os.Link(path, hard))
	second(hard, "2 hard links")
	must(os.Remove(hard))
	write(3)
	if runtime.GOOS == "linux" { // elsewhere the lock is on that file alone
		must(os.Remove(path + ".lock"))
		second(path, taken)
	}
	write(4)
	if runtime.GOOS == "linux" {
		must(os.WriteFile(path+".lock", nil, 0o600)) // another one in its place
		second(path, taken)
	}
	write(5)
	s.kill()
	c = serve(t, "sqlite://"+path).as(token)
	for number := 1; number <= 5; number++ {
		if status, body := c.do("GET", fmt.Sprintf("/problems/%d", number), ""); status != 200 {
			t.Errorf("problem %d was acknowledged, and is answered with %d %s", number, status, body)
		}
	}
}
