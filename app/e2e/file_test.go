package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

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
