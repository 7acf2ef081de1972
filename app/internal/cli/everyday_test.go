package cli_test

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/problemtracking/problems/app/internal/cli"
	"github.com/problemtracking/problems/domain/access"
)

// desk is a person or program that works on problems.
type desk struct {
	*testing.T
	env   variables
	stdin string
	// terminal makes it a person; typed is what the person answers without an echo, and the
	// editor is a function of the file.
	terminal bool
	typed    string
	editor   func(file string) error
}

// do runs a command.
func (d desk) do(args ...string) result {
	d.Helper()
	var stdout, stderr output
	p := process(d.env, args, &stdout, &stderr)
	p.Stdin, p.Terminal, p.InTerminal, p.Width = strings.NewReader(d.stdin), d.terminal, d.terminal, 50
	p.ReadSecret = func() (string, error) { return d.typed, nil }
	p.Start = func(_ context.Context, _ string, args ...string) error {
		if d.editor == nil || len(args) < 2 {
			return errors.New("no such program")
		}
		return d.editor(args[len(args)-1])
	}
	code := cli.Run(d.Context(), p)
	return result{code, stdout.String(), stderr.String()}
}

// is runs commands, each a line of words, and compares what each prints.
func (d desk) is(cases [][2]string) {
	d.Helper()
	for _, c := range cases {
		if r := d.do(split(c[0])...); r.code != 0 || strings.TrimSpace(r.stdout+r.stderr) != c[1] {
			d.Errorf("problems %s: exit code %d\n%s%swant\n%s", c[0], r.code, r.stdout, r.stderr, c[1])
		}
	}
}

// split divides a line into words; an underscore stands for a space.
func split(line string) []string {
	words := strings.Fields(line)
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "_", " ")
	}
	return words
}

// hired returns somebody with a login at a new service.
func hired(t *testing.T) (desk, *running) {
	t.Helper()
	s := start(t, nil, "--store=memory:")
	d := desk{T: t, env: variables{"XDG_CONFIG_HOME": t.TempDir()}, stdin: s.token(t) + "\n"}
	if r := d.do("login", s.url); r.code != 0 || r.stdout != "" || !strings.Contains(r.stderr, "as Administrator, with the scope admin") {
		t.Fatalf("login: exit code %d\n%s", r.code, r.stderr)
	}
	d.stdin = ""
	return d, s
}

func TestEveryday(t *testing.T) {
	t.Parallel()
	d, s := hired(t)
	d.is([][2]string{
		{"new The lamp is dark PRIORITY=x priority=high assignee=me -k floor=kitchen", "1"},
		{"set 1 title=The_lamp_is_dark due=2030-12-01", "Problem 1: title The lamp is dark PRIORITY=x → The lamp is dark\nProblem 1: due 2030-12-01"},
		{"new The fuse blows -c It_was_old. --key blown", "2"},
		{"new The fuse blows -c It_was_old. --key blown", "2"},
		{"list -f identifier,title", "2\tThe fuse blows\n1\tThe lamp is dark"},
		{"list --mine -s open -p HIGH -p low -k floor=kitchen -f identifier", "1"},
		{"list -s open -s closed -k floor -k nosuch", "No problem matches."},
		{"list -a none -q title_=_'x'_OR_identifier_>_1 -f identifier", "2"},
		{"list -a admin@localhost -k floor --sort identifier -n 1 -f title,keywords,due", "The lamp is dark\tfloor=kitchen\t2030-12-01"},
		{"list -s closed", "No problem matches."},
		{"search OLD -f identifier", "2"},
		{"set 1 2 priority=low state=in_progress", "Problem 1: state Open → In Progress\nProblem 1: priority High → Low\nProblem 2: state Open → In Progress\nProblem 2: priority Low"},
		{"set 1 priority= due= --dry-run", "Problem 1: priority Low →\nProblem 1: due 2030-12-01 →"},
		{"set 1 priority=Low", "Problem 1 was like this before."},
		{"comment #1 It was the fuse.", "Problem 1 has the comment."},
		{"keyword 1 flaky build=4711", ""},
		{"keyword 1 -d flaky", ""},
		{"keyword 1", "build\t4711\nfloor\tkitchen"},
		{"relate 1 caused-by 2", ""},
		{"relate 2", "CauseOf\t1\tIn Progress\tThe lamp is dark"},
		{"relate 2 causeof 1 -d", ""},
		{"relate 1", ""},
		{"watch 1", "Administrator watches problem 1."},
		{"open 1", s.url + "/problems/1"},
		{"done 1 2 Mended.", "Problem 1 is Closed.\nProblem 2 is Closed."},
		{"done 1", "Problem 1 was Closed before."},
		{"show 1 -f state.name,title", "Closed\nThe lamp is dark"},
		{"show 1 --as-of 1 -f state.name", "Open"},
		{"show 1 -f state.name --json", "{\n  \"state\": {\n    \"name\": \"Closed\"\n  }\n}"},
		{"login --list", s.url + "\tAdministrator"},
		{"complete -- set 1 priority=", "priority=Urgent\tUrgent\npriority=High\tHigh\npriority=Normal\tNormal\npriority=Low\tLow"},
		{"complete -- list --state in", "In Progress\tIn Progress"},
		{"complete -- tok", "token\tCreate, list and revoke API tokens."},
		{"complete -- show --as", "--as-of\tShow the problem at a revision, or at a time such as 2026-10-31T12:00:00Z."},
	})
	shown := d.do("show", "1", "--log")
	for _, want := range []string{"1  The lamp is dark\n", "keywords         build=4711, floor=kitchen\n", "It was the fuse.\n", "Mended.\n", "state In Progress → Closed\n"} {
		if !strings.Contains(shown.stdout, want) {
			t.Errorf("%q is missing in\n%s", want, shown.stdout)
		}
	}
	all := decode[struct {
		Identifier    int
		Comments      []struct{ Text string }
		Relationships []any
	}](t, d.do("show", "2", "--json").stdout)
	if all.Identifier != 2 || len(all.Comments) != 2 || all.Comments[0].Text != "It was old." {
		t.Errorf("problem 2 is %+v", all)
	}
	d.stdin = "From a\npipe.\n"
	d.is([][2]string{{"comment 2", "Problem 2 has the comment."}, {"new Piped -c -", "3"}})
	if piped := d.do("show", "3"); !strings.HasSuffix(piped.stdout, "\nFrom a\npipe.\n") {
		t.Errorf("problem 3 is\n%s", piped.stdout)
	}
	d.is([][2]string{
		{"set 3 --revision 1 title=Late", "Problem 3: title Piped → Late"},
		{"comment 3 --key k It -- --help", "Problem 3 has the comment."},
		{"done 3 -s Closed It was.", "Problem 3 is Closed."},
		{"list -us closed -n 1 -f title,state.name", "No problem matches."},
		{"new Last", "4"},
	})
	claimed := strings.Split(d.do("claim").stdout, "\t")
	if len(claimed) != 3 || claimed[0] != "4" || claimed[2] != "Last\n" {
		t.Fatalf("the next problem is %q", claimed)
	}
	d.is([][2]string{
		{"claim 4 --end", "Problem 4 has no claim."},
	})
	claimed = strings.Split(d.do("claim", "4").stdout, "\t")
	d.is([][2]string{
		{"done 4 --claim " + claimed[1] + " Fixed.", "Problem 4 is Closed."},
		{"new Red --once build=main -c One.", "5"},
		{"new Red --once build=main -c Two.", "5"},
	})
	if red := d.do("show", "5").stdout; !strings.Contains(red, "One.") || !strings.Contains(red, "Two.") {
		t.Errorf("problem 5 is\n%s", red)
	}
}

// Files go to a problem and come back as they were.
func TestEverydayFiles(t *testing.T) {
	t.Parallel()
	d, _ := hired(t)
	here := t.TempDir()
	shot, empty, saved := filepath.Join(here, "shot 1.png"), filepath.Join(here, "empty"), filepath.Join(here, "saved")
	for path, content := range map[string]string{shot: "\x89PNG", empty: ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.is([][2]string{{"new a", "1"}})
	if r := d.do("attach", "1", shot, empty); r.code != 0 || r.stderr != "Problem 1 has the file shot 1.png (4 B).\nProblem 1 has the file empty (0 B).\n" {
		t.Errorf("attach: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	d.stdin = "From a pipe.\n"
	d.is([][2]string{{"attach 1 - --name test.log", "Problem 1 has the file test.log (13 B)."}, {"attach 1 - --name test.log", "Problem 1 has the file test.log (13 B)."}})
	all := decode[[]struct{ Identifier, Name, MediaType string }](t, d.do("attach", "1", "--json").stdout)
	if len(all) != 4 || all[0].MediaType != "image/png" || all[1].MediaType != "application/octet-stream" {
		t.Fatalf("the files are %+v", all)
	}
	d.is([][2]string{
		{"attach 1 -g shot_1.png -o " + saved, saved + " is saved (4 B)."},
		{"attach 1 -g " + all[2].Identifier + " -o -", "From a pipe."},
		{"attach 1 -d " + all[2].Identifier + " empty", ""},
		{"attach 1", all[0].Identifier + "\t4 B\tAdministrator\tshot 1.png\n" + all[3].Identifier + "\t13 B\tAdministrator\ttest.log"},
		{"complete -- attach 1 -g t", "test.log\t13 B"},
		{"complete -- attach 1 " + filepath.Join(here, "s"), saved + "\t\n" + shot},
	})
	if content, err := os.ReadFile(saved); err != nil || string(content) != "\x89PNG" {
		t.Errorf("the saved file is %q, %v", content, err)
	}
	if r := d.do("show", "1"); !strings.Contains(r.stdout, "file             shot 1.png (4 B)\n") {
		t.Errorf("problem 1 is\n%s", r.stdout)
	}
	d.is([][2]string{{"attach 1 - --name test.log", "Problem 1 has the file test.log (13 B)."}})
	for line, want := range map[string]struct {
		code int
		text string
	}{
		"attach 1 -":                         {2, "add --name NAME"},
		"attach 1 " + here:                   {2, "is no file"},
		"attach 1 " + saved + ".not":         {1, "no such file"},
		"attach 1 -g nosuch":                 {3, `no file "nosuch"`},
		"attach 1 -d test.log":               {2, "several files have the name"},
		"attach 1 -g shot_1.png -o " + saved: {2, "exists"},
		"attach 1 -g":                        {2, "name the files"},
		"attach 1 -o x a":                    {2, "--to is for"},
		"attach 9 " + saved:                  {3, "there is no problem"},
	} {
		if r := d.do(split(line)...); r.code != want.code || !strings.Contains(r.stderr, want.text) {
			t.Errorf("problems %s: exit code %d, want %d with %q\n%s%s", line, r.code, want.code, want.text, r.stdout, r.stderr)
		}
	}
}

// Scripts decide by the exit code, and people by the sentence.
func TestEverydayRefused(t *testing.T) {
	t.Parallel()
	d, s := hired(t)
	d.is([][2]string{{"new a", "1"}, {"new b", "2"}})
	away := maps.Clone(d.env)
	away["PROBLEMS_URL"], away["PROBLEMS_TOKEN"] = "http://127.0.0.1:1", s.token(t)
	strange := variables{"PROBLEMS_URL": s.url, "PROBLEMS_TOKEN": access.NewSecret([32]byte{1}).Reveal()}
	token := variables{"XDG_CONFIG_HOME": d.env["XDG_CONFIG_HOME"], "PROBLEMS_URL": "http://127.0.0.1:1"}
	for _, c := range []struct {
		env  variables
		line string
		code int
		want string
	}{
		{nil, "show 9", 3, "there is no problem with this identifier"},
		{nil, "show x", 2, `"x" is no identifier of a problem`},
		{nil, "set 1 priority=hgih", 1, `there is no priority "hgih": choose from Urgent, High, Normal, Low`},
		{nil, "set 1 colour=red", 2, `"colour=red" is no assignment`},
		{nil, "set 1", 2, "there is nothing to set"},
		{nil, "new a --once build", 2, "--once needs the keyword with its value"},
		{nil, "claim -q FALSEPREDICATE", 3, "there is no problem to claim"},
		{nil, "set 1 title=c --revision 7", 4, "the problem is at revision 1 by now"},
		{nil, "set 1 9 title=c", 3, "problem 9: there is no problem"},
		{nil, "done 1 --state nope", 1, `from "Open" there is no move to such a resolved state; moves are possible to In Progress, Closed`},
		{nil, "relate 1 blocked-by 1", 1, "itself"},
		{nil, "list -c nope", 1, `there is no component "nope"`},
		{nil, "list -q titel_=_'x'", 2, "did you mean title? (line 1, column 1)"},
		{nil, "list -q 1_=_1)_OR_(state.resolved_=_YES", 2, "has an unbalanced bracket"},
		{nil, "set 1 title=", 1, "a problem needs its title"},
		{nil, "done 1 --claim x", 2, "Claim"},
		{nil, "new", 2, "a problem needs a title"},
		{nil, "comment 1 caf\xe9", 2, "is not UTF-8"},
		{nil, "claim 1 -w 5s", 2, "are for the next problem"},
		{nil, "done 1 2 --key k a", 2, "are for one problem"},
		{nil, "new c -c a\x1b", 1, "comment: must not contain control characters"},
		{nil, "list -f title,nosuch", 2, "name 2 is none, choose from assignee, claim, "},
		{nil, "show 1 -f state.nosuch", 2, "name 1 is none, choose from state.identifier, state.initial, state.name, "},
		{nil, "show 1 --json -f title.nosuch", 2, "name 1 is none, choose from title"},
		{nil, "keyword 1 a=1 =v", 2, "must not be empty"},
		{nil, "keyword 1 a=1 ..", 2, "must not be"},
		{nil, "keyword 1 -d .", 2, "must not be"},
		{nil, "keyword 1 -d", 2, "--delete needs"},
		{nil, "new c -k ..", 2, "must not be"},
		{nil, "new c --key a\x01b", 2, "visible ASCII characters"},
		{nil, "comment 1 c --key a_b", 2, "visible ASCII characters"},
		{nil, "set 1 title=c title=d", 2, "title is set twice"},
		{nil, "new c assignee=me assignee=none", 2, "assignee is set twice"},
		{nil, "new c title=d", 2, "the title is given twice"},
		{nil, "new c priorty=high", 2, `"priorty=high" looks like the field priority`},
		{nil, "watch 1 nosuch", 1, `there is no user "nosuch"`},
		{nil, "relate 2 -d", 2, "--delete needs a type"},
		{nil, "comment 1", 1, "the comment is empty"},
		{nil, "list --nope", 2, "unknown flag"},
		{away, "list", 6, "http://127.0.0.1:1 does not answer"},
		{strange, "list", 5, ""},
		{token, "list", 5, "there is no token for the server"},
		{variables{"HOME": t.TempDir()}, "list", 5, `use "problems login"`},
	} {
		who := d
		if c.env != nil {
			who.env = c.env
		}
		if r := who.do(split(c.line)...); r.code != c.code || r.stdout != "" || !strings.Contains(r.stderr, c.want) {
			t.Errorf("problems %s: exit code %d, want %d with %q\n%s%s", c.line, r.code, c.code, c.want, r.stdout, r.stderr)
		}
	}
	for _, c := range [][3]string{
		{"comment 1", "\xff\xfe", "not UTF-8"},
		{"done 1 -", "caf\xe9", "not UTF-8"},
		{"new c -c -", "caf\xe9", "not UTF-8"},
	} {
		d.stdin = c[1]
		if r := d.do(split(c[0])...); r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, c[2]) {
			t.Errorf("problems %s: exit code %d, want 2 with %q\n%s%.200s", c[0], r.code, c[2], r.stdout, r.stderr)
		}
	}
	d.is([][2]string{{"list -s all -f identifier", "1\n2"}, {"keyword 1", ""}, {"show 1 -f revision", "2"}}) // "set 1 9" alone stored something
}

// A person gets tables with colours, and writes long texts in an editor.
func TestEverydayAtATerminal(t *testing.T) {
	t.Parallel()
	d, s := hired(t)
	d.terminal = true
	d.editor = func(file string) error {
		return os.WriteFile(file, []byte("The lamp is dark, and nobody knows for how long\n\nIt went out.\n<!-- The first line is the title, and the rest a comment. An empty file creates nothing. -->\n"), 0o600)
	}
	if r := d.do("new"); r.code != 0 || r.stdout != "1  "+s.url+"/problems/1\n" {
		t.Errorf("from the editor: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	if r := d.do("list", "-f", "identifier,state.name,title"); r.stdout != "\x1b[2m#\x1b[0m  \x1b[2mSTATE\x1b[0m  \x1b[2mTITLE\x1b[0m\n\x1b[36m1\x1b[0m  Open   The lamp is dark, and nobody knows for …\n" {
		t.Errorf("the table is %q", r.stdout)
	}
	d.env["NO_COLOR"] = "1"
	_ = d.do("new", "a\u202eb\u2028c", "-c", "d\u2066e")
	for _, c := range [][2]string{{"list", "a<U+202E>b<U+2028>c"}, {"show 2", "d<U+2066>e"}, {"set 2 title=f", "a<U+202E>b<U+2028>c"}} {
		if r := d.do(split(c[0])...); !strings.Contains(r.stdout+r.stderr, c[1]) || strings.ContainsAny(r.stdout+r.stderr, "\u202e\u2028\u2066") {
			t.Errorf("problems %s: %q", c[0], r.stdout+r.stderr)
		}
	}
	if r := d.do("show", "1"); strings.Contains(r.stdout, "\x1b") || !strings.Contains(r.stdout, "Administrator via a token now\nIt went out.\n") {
		t.Errorf("without colours it is %q", r.stdout)
	}
	if r := d.do("list"); strings.Contains(r.stdout, "CLAIMED BY") {
		t.Errorf("nothing is claimed, and the table is %q", r.stdout)
	}
	_ = d.do("claim", "2")
	for line, want := range map[string]string{"list": "CLAIMED BY     TITLE", "show 2": "claimed by       Administrator via a token until "} {
		if r := d.do(split(line)...); !strings.Contains(r.stdout, want) {
			t.Errorf("problems %s, of a claimed problem: %q", line, r.stdout)
		}
	}
	var draft string
	d.editor = func(file string) error { draft = file; return os.WriteFile(file, []byte("Unsent."), 0o600) }
	r := d.do("comment", "9")
	kept, err := os.ReadFile(draft)
	if r.code != 3 || !strings.Contains(r.stderr, draft) || err != nil || string(kept) != "Unsent." {
		t.Errorf("a refused comment: exit code %d, %s, %v, %q", r.code, r.stderr, err, kept)
	}
	_ = os.Remove(draft)
	d.editor = func(string) error { return nil }
	if r := d.do("comment", "1"); r.code != 1 || !strings.Contains(r.stderr, "nothing was sent") {
		t.Errorf("an empty comment: exit code %d, %s", r.code, r.stderr)
	}
}

// Each server has its login, and only its owner can read the file.
func TestLogins(t *testing.T) {
	t.Parallel()
	d, first := hired(t)
	second := start(t, nil, "--store=memory:")
	d.is([][2]string{{"new first", "1"}})
	d.terminal, d.typed = true, " "+second.token(t)+"\n"
	if r := d.do("login", strings.TrimPrefix(second.url, "http://")); r.code != 0 || strings.Contains(r.stdout+r.stderr, second.token(t)) || !strings.Contains(r.stderr, second.url+"/me/tokens") {
		t.Errorf("login: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	d.terminal = false
	d.is([][2]string{
		{"list", "No problem matches."},
		{"list -f title --url " + first.url, "first"},
		{"list -f title --url " + strings.TrimPrefix(first.url, "http://"), "first"},
		{"login --list", second.url + "\tAdministrator\n" + first.url + "\tAdministrator"},
		{"login --forget " + second.url, ""},
		{"list -f title", "first"},
	})
	file := filepath.Join(d.env["XDG_CONFIG_HOME"], "problems", "logins.json")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of logins: %v, %v", info, err)
	}
	d.stdin = "hunter2"
	if r := d.do("login", first.url); r.code != 1 || strings.Contains(r.stderr, "hunter2") {
		t.Errorf("with no token: exit code %d, %s", r.code, r.stderr)
	}
	// A token of the environment goes to the local server, and never to that of a login.
	d.env["PROBLEMS_TOKEN"] = second.token(t)
	if r := d.do("open", "1"); r.stdout != "http://127.0.0.1:8080/problems/1\n" {
		t.Errorf("the page is %q", r.stdout)
	}
}

// The guide for programs names only commands that exist.
func TestAgent(t *testing.T) {
	t.Parallel()
	guide := must(t, nil, "agent")
	if tokens := len(guide) / 3; tokens > 1000 { // no tokenizer needs a token for less than three bytes of English
		t.Errorf("the guide has about %d tokens", tokens)
	}
	var commands int
	for line := range strings.Lines(guide) {
		if command, ok := strings.CutPrefix(line, "    problems "); ok {
			commands++
			if help := must(t, nil, strings.Fields(command)[0], "--help"); !strings.Contains(help, "Usage: problems ") {
				t.Errorf("%s", line)
			}
		}
	}
	if commands < 10 {
		t.Errorf("the guide has %d commands", commands)
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if script := must(t, nil, "completion", shell); !strings.Contains(script, " complete -- ") {
			t.Errorf("the completion of %s is\n%s", shell, script)
		}
	}
}
