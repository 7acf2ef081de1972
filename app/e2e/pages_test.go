package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// pages are the Markdown pages with commands that a reader can paste.
var pages = []string{
	"README.md",
	"adapters/httpapi/README.md",
	"app/docs/commandline.md",
	"app/docs/tasks.md",
}

// TestPages pastes the commands of every page into the shells that readers use, each beside a
// server on another durable adapter, and compares the answers. "make test" does it in bash,
// "make test-long" in zsh.
func TestPages(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	need(t, "jq")
	need(t, "python3")
	for _, page := range pages {
		for shell, store := range map[string]func(testing.TB) string{
			"bash": newFile,
			"zsh":  func(t testing.TB) string { return postgrestest.Schema(t) },
		} {
			need(t, shell)
			t.Run(shell+"/"+page, func(t *testing.T) {
				t.Parallel()
				paste(t, page, shell, store(t))
			})
		}
	}
}

// The script of the page about a CSV names what is wrong with a file, and writes nothing then.
func TestBrokenCSV(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	const header = "title,created,closed\n"
	for content, want := range map[string]string{
		header + "a,2019-03-04,\nb,2019-03-04\n": "line 3: the row has fewer or more fields",
		header + "a, b,2019-03-04,\n":            "line 2: the row has fewer or more fields",
		header + "a\n":                           "line 2: the row has fewer or more fields",
		"":                                       "line 1: the header needs",
		"title;created;closed\na;2019-03-04;\n":  "line 1: the header needs",
		"title,title,created,closed\na,b,2019-03-04,\n":          "title is missing or repeated",
		header + ",2019-03-04,\n":                                "line 2: the title needs",
		header + "\u200b,2019-03-04,\n":                          "line 2: the title needs",
		header + strings.Repeat("a", 1001) + ",2019-03-04,\n":    "line 2: the title needs",
		header + "\"a\nb\",2019-03-04,\n":                        "line 3: the title has a control character",
		header + "a\x00b,2019-03-04,\n":                          "line 2: ",
		header + "a,04.03.2019,\n":                               "line 2: '04.03.2019' is not a date",
		header + "a,,\n":                                         "line 2: '' is not a date",
		header + "a,0001-01-01T00:00:00+14:00,\n":                "line 2: '0001-01-01T00:00:00+14:00' is not a date",
		header + "a,2019-03-04,2019-03-03\n":                     "line 2: it was closed",
		header + "\"a,2019-03-04,\n":                             "unexpected end of data",
		header + "\"a\" b,2019-03-04,\n":                         "line 2: ',' expected",
		header + "Gr\xfc\xdfe,2019-03-04,\n":                     "it is not UTF-8",
		header + "a,2019-03-04\n\"\",2019-03-04,\nc,2019-3-4,\n": "line 3: the title needs",
	} {
		file := filepath.Join(t.TempDir(), "issues.csv")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs strings.Builder
		cmd := exec.CommandContext(t.Context(), "python3", "../docs/csv2archive.py", file)
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err == nil || out.Len() > 0 || !strings.HasPrefix(errs.String(), file+": ") || !strings.Contains(errs.String(), want) || strings.Contains(errs.String(), "Traceback") {
			t.Errorf("%q: %v, %q, %q, want %q", content, err, out.String(), errs.String(), want)
		}
	}
}

// paste runs the commands of a page in one shell, and fails when an answer differs
// from the page or when a file is left behind.
func paste(t *testing.T, page, shell, store string) {
	blocks := commands(t, "../../"+page)
	if len(blocks) == 0 {
		t.Fatalf("%s has no commands", page)
	}
	token := newToken(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	dir := clone(t)
	follow(t, blocks, shell, dir, s.url, environment(t, "PROBLEMS_STORE="+store))
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range left {
		if file.Name() != "bin" && file.Name() != "app" {
			t.Errorf("%s leaves %s behind", page, file.Name())
		}
	}
}

// TestOperatorsPages runs the commands of the pages for operators beside a server. They call
// the installed program.
func TestOperatorsPages(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"operating.md", "upgrading.md"} {
		for _, shell := range []string{"bash", "zsh"} {
			need(t, shell)
			t.Run(page+"/"+shell, func(t *testing.T) {
				t.Parallel()
				blocks := commands(t, "../docs/"+page)
				if len(blocks) == 0 {
					t.Fatalf("%s has no commands", page)
				}
				store, dir := newFile(t), clone(t)
				s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+newToken(t))
				follow(t, blocks, shell, dir, s.url, environment(t, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
					"PROBLEMS_STORE="+store, "PROBLEMS_LISTEN="+strings.TrimPrefix(s.url, "http://")))
			})
		}
	}
}

// TestCommandsCanBePasted checks the commands of all pages, also of those without a test.
func TestCommandsCanBePasted(t *testing.T) {
	t.Parallel()
	checked := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", "bin", "node_modules"}, entry.Name()) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		checked++
		text, err := os.ReadFile(path)
		for _, complaint := range unpastable(string(text)) {
			t.Errorf("%s: %s", path, complaint)
		}
		return err
	})
	if err != nil || checked < 20 {
		t.Errorf("%d pages were checked: %v", checked, err)
	}
}

// unpastable returns a complaint for each line of commands that not every shell takes: one
// with a prompt, or with a comment behind a command, for which zsh needs an option.
func unpastable(page string) (complaints []string) {
	fence, indented, blank := "", false, true
	for n, line := range strings.Split(page, "\n") {
		indented = strings.HasPrefix(line, "    ") && (indented || blank)
		blank = strings.TrimSpace(line) == ""
		kind, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && fence == "":
			fence = cmp.Or(kind, "plain")
			continue
		case isFence:
			fence = ""
			continue
		case fence == "" && !indented, fence != "" && !slices.Contains([]string{"sh", "bash", "zsh", "shell", "console"}, fence):
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "$ ") || strings.Contains(line, " # ") {
			complaints = append(complaints, fmt.Sprintf("line %d cannot be pasted into every shell: %s", n+1, line))
		}
	}
	return complaints
}

func TestUnpastable(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]int{
		"```sh\nmake run\n```\n":                 0,
		"```sh\n$ make run\n```\n":               1,
		"```console\n$ make run\n```\n":          1,
		"```text\n$ make run\n```\n":             0,
		"Do:\n\n    make run # quickly\n":        1,
		"Do:\n\n    make a\n    $ make b\n\nx\n": 1,
		"- a list\n    $ of words\n":             0,
		"The price is $ 5 # or so\n":             0,
	} {
		if got := unpastable(page); len(got) != want {
			t.Errorf("%q: the complaints are %q, want %d", page, got, want)
		}
	}
}

// block is a block of commands in a page, with the answers below it.
type block struct {
	line     int // of the page, counted from 1
	commands string
	answers  []string // none: every command has to succeed
}

// commands returns the blocks "```sh" of a page. A block "```json" or "```text"
// that follows one at once has its answers.
func commands(t *testing.T, path string) []block {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return commandsOf(t, string(text))
}

func commandsOf(t *testing.T, text string) (blocks []block) {
	t.Helper()
	const outside, inCommands, inAnswers, inOther = 0, 1, 2, 3
	where, ended := outside, -1
	for n, line := range strings.Split(text, "\n") {
		switch {
		case where == outside && line == "```sh":
			where = inCommands
			blocks = append(blocks, block{line: n + 1})
		case where == outside && (line == "```json" || line == "```text") && n == ended+1:
			where = inAnswers
		case where == outside && strings.HasPrefix(line, "```"):
			where = inOther
		case line == "```":
			if where == inCommands {
				ended = n
			}
			where = outside
		case where == inCommands:
			b := &blocks[len(blocks)-1]
			b.commands += line + "\n"
		case where == inAnswers:
			b := &blocks[len(blocks)-1]
			b.answers = append(b.answers, line)
		}
	}
	return blocks
}

// follow runs blocks of commands in one shell, and compares the answers. The page
// shows the address of the default settings: the commands use the one given instead.
func follow(t *testing.T, blocks []block, shell, dir, url string, env []string) {
	t.Helper()
	const printed, mark = "http://127.0.0.1:8080", "--end of block"
	var script strings.Builder
	for n, b := range blocks {
		if b.answers == nil {
			script.WriteString("set -e\n")
		}
		script.WriteString(strings.ReplaceAll(b.commands, printed, url))
		fmt.Fprintf(&script, "set +e\necho; echo '%s %d'\n", mark, n)
	}
	command := exec.CommandContext(t.Context(), shell)
	command.Args = append(command.Args, map[string][]string{"bash": {"--norc"}, "zsh": {"-f"}}[shell]...)
	command.Dir, command.Env, command.Stdin = dir, env, strings.NewReader(script.String())
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("%v: a command without an answer in the page failed\n%s", err, output)
	}
	rest := strings.NewReplacer(url, printed, dir, "/srv", "\r", "").Replace(string(output))
	for n, b := range blocks {
		got, after, found := strings.Cut(rest, fmt.Sprintf("%s %d\n", mark, n))
		if !found {
			t.Errorf("the commands from line %d on did not end:\n%s", b.line, rest)
			return
		}
		rest = after
		if b.answers == nil {
			continue
		}
		lines := nonempty(strings.Split(got, "\n"))
		answers := nonempty(b.answers)
		for i := range max(len(lines), len(answers)) {
			if i >= len(lines) || i >= len(answers) || !alike(answers[i], lines[i]) {
				t.Errorf("the commands from line %d on answer\n%s\nand the page says\n%s", b.line, strings.Join(lines, "\n"), strings.Join(answers, "\n"))
				break
			}
		}
	}
}

// nonempty returns the lines that are not empty.
func nonempty(lines []string) (some []string) {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			some = append(some, line)
		}
	}
	return some
}

// dated is the form of an identifier or a time, which differ from day to day.
var dated = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)

// alike reports whether a line is as the page shows it: "…" stands for any text,
// an identifier for any identifier, and a time for any time.
func alike(shown, got string) bool {
	form := regexp.QuoteMeta(dated.ReplaceAllString(shown, "<dated>"))
	form = strings.ReplaceAll(form, "…", ".*")
	return regexp.MustCompile("^" + form + "$").MatchString(dated.ReplaceAllString(got, "<dated>"))
}

// TestAlike shows the comparison of a page with what the commands print.
func TestAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		shown, got string
		want       bool
	}{
		{`{"identifier":1}`, `{"identifier":1}`, true},
		{`{"identifier":1}`, `{"identifier":2}`, false},
		{`{"identifier":1}`, `{"identifier":1},`, false},
		{`{"identifier":1,…}`, `{"identifier":1,"title":"x"}`, true},
		{`{…"title":"x"…}`, `{"identifier":1,"title":"y"}`, false},
		{`"2026-01-02T03:04:05.006Z"`, `"2027-01-02T03:04:05.006Z"`, true},
		{`a.c`, `abc`, false},
	} {
		if got := alike(c.shown, c.got); got != c.want {
			t.Errorf("%s like %s: %t", c.got, c.shown, got)
		}
	}
}

// TestStoragePage follows the page on backup and restore: the commands before the
// restore run beside a server, which then writes more and is killed.
func TestStoragePage(t *testing.T) {
	t.Parallel()
	need(t, "cmp")
	text, err := os.ReadFile("../docs/storage.md")
	if err != nil {
		t.Fatal(err)
	}
	beside, after, found := strings.Cut(string(text), "\n## Restore\n")
	if !found {
		t.Fatal("the page has no section on restoring")
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
	env := environment(t, "PROBLEMS_STORE=sqlite:problems.db")
	follow(t, commandsOf(t, beside), "bash", dir, s.url, env)
	create(s.as(token), "after the backup")
	s.kill()
	key := []byte("of the webhooks")
	if err := os.WriteFile(filepath.Join(dir, "problems.db.webhook-key"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	follow(t, commandsOf(t, after), "bash", dir, s.url, env)
	if left, err := os.ReadFile(filepath.Join(dir, "problems.db.webhook-key")); err != nil || !bytes.Equal(left, key) {
		t.Errorf("the key of webhooks is another one: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "problems.db.webhook-key")); err != nil {
		t.Error(err)
	}
	c := serve(t, store).as(token)
	for number, want := range map[int]int{1: 200, 2: 200, 3: 404} {
		if status, body := c.do("GET", fmt.Sprintf("/problems/%d", number), ""); status != want {
			t.Errorf("problem %d of the backup is answered with %d %s, want %d", number, status, body, want)
		}
	}
	create(c, "after the restore")
}
