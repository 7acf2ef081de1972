package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"
)

// TestEventsInJavaScript runs the function of the page of the API in Node.js: it reads
// every event once, although the server is killed in the middle.
func TestEventsInJavaScript(t *testing.T) {
	t.Parallel()
	need(t, "node")
	page, err := os.ReadFile("../../adapters/httpapi/README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```js\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(blocks) != 1 {
		t.Fatalf("the page has %d blocks of JavaScript", len(blocks))
	}
	token, store, address := newToken(t), newFile(t), freeAddress(t)
	start := func() *server {
		return serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_LISTEN="+address)
	}
	s := start()
	create := func(title string) {
		t.Helper()
		if code, body := s.as(token).do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":%q}`, title)); code != http.StatusCreated {
			t.Fatal(code, string(body))
		}
	}
	create("before")
	all := feedOf(t, s.as(token))
	position := regexp.MustCompile(`"identifier":"([^"]+)"`).FindStringSubmatch(all[len(all)-1])[1]
	create("first")

	// The first attempt at an event with "again" fails: the event has to come again.
	script := blocks[0][1] + `
let failed = false;
const handle = (event) => {
  const title = event.problem.title;
  if (title == "again" && !failed) { failed = true; throw new Error("handle has failed"); }
  console.log(title);
  if (title == "last") process.exit(0);
};
follow(process.env.API, process.env.TOKEN, process.env.POSITION, handle).then((refused) => { console.log(refused.type); process.exit(0); });
`
	// run starts the script, and returns a function for its next line, "" at its end.
	run := func(token, position string) func() string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
		node := exec.CommandContext(ctx, "node", "--input-type=module", "-e", script)
		node.Env = environment(t, "API="+s.url+"/api/20151105", "TOKEN="+token, "POSITION="+position)
		out, err := node.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := node.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cancel(); _ = node.Wait() })
		lines := bufio.NewScanner(out)
		return func() string {
			lines.Scan()
			return lines.Text()
		}
	}
	next := run(token, position)
	var got []string
	got = append(got, next())
	s.kill()
	s = start()
	for _, title := range []string{"second", "again", "last"} {
		create(title)
	}
	for range 4 {
		got = append(got, next())
	}
	if want := []string{"first", "second", "again", "last", ""}; !slices.Equal(got, want) {
		t.Errorf("the script prints %q, want %q", got, want)
	}
	for want, c := range map[string][2]string{
		"/errors/unauthenticated": {newToken(t), position},
		"/errors/cursor-gone":     {token, position[:len(position)-2] + "AA"},
	} {
		if got := run(c[0], c[1])(); got != want {
			t.Errorf("the script prints %q, want %q", got, want)
		}
	}
}
