package serve

import (
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What is printed while nobody reads follows in order.
func TestPrinter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		p := &printer{to: writer}
		for _, lines := range [][]string{{"listening"}, {"token", "hint"}, {"more"}} {
			began := time.Now()
			if err := p.print(lines); !errors.Is(err, errNotTaken) || time.Since(began) != printing {
				t.Errorf("%q is printed with %v after %s", lines, err, time.Since(began))
			}
		}
		const want = "listening\ntoken\nhint\nmore\n"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(reader, got); err != nil || string(got) != want {
			t.Errorf("printed is %q, %v", got, err)
		}
		if err := reader.CloseWithError(http.ErrAbortHandler); err != nil {
			t.Fatal(err)
		}
		if err := p.print([]string{"nobody"}); !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("with the reader gone, the error is %v", err)
		}
		if err := p.print(nil); err != nil {
			t.Errorf("nothing is printed with %v", err)
		}
	})
}

// A shell takes the printed curl line as it is meant, whatever the settings.
func TestCurlLineIsQuoted(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://127.0.0.1:8080", "http://[::1]:8080/tracker", "http://127.0.0.1:8080/it's/$(exit 3)/a&b;c(*)!"} {
		lines := announcement(Options{Hints: true}, url, "", bootstrap{admin: "a@b", seeded: true})
		line := lines[len(lines)-1]
		script := "curl() { printf '%s\\n' \"$@\"; }; PROBLEMS_BOOTSTRAP_TOKEN=pts_x;" + line
		output, err := exec.Command("/bin/sh", "-c", script).CombinedOutput()
		if err != nil {
			t.Fatalf("%v in %s\n%s", err, script, output)
		}
		want := []string{url + "/api/20151105/problems", "-H", "Authorization: pts_x", "-H", "Content-Type: application/json", "-d", `{"title":"The first problem"}`, ""}
		if got := strings.Split(string(output), "\n"); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s\nhas the arguments\n%q, not\n%q", line, got, want)
		}
	}
}
