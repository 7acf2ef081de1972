package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/internal/cli"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// served returns the URL of a store that a service has seeded and given a user.
func served(t *testing.T) string {
	t.Helper()
	url := sqliteURL(t)
	start(t, nil, "--store="+url).end(t)
	must(t, nil, "user", "add", "--name=Ann", "--email=ann@example.org", "--store="+url)
	return url
}

// callWith runs the program with a standard input, and perhaps a person at
// standard error.
func callWith(ctx context.Context, stdin string, terminal bool, args ...string) result {
	var stdout, stderr output
	p := process(nil, args, &stdout, &stderr)
	p.Stdin, p.ErrTerminal = strings.NewReader(stdin), terminal
	code := cli.Run(ctx, p)
	return result{code, stdout.String(), stderr.String()}
}

// fails checks that a call has failed with an exit code and a message, and has
// printed nothing else.
func (r result) fails(t *testing.T, code int, message string) {
	t.Helper()
	if r.code != code || r.stdout != "" || !strings.Contains(r.stderr, message) {
		t.Errorf("exit code %d, printed %q and %q; want code %d and %q", r.code, r.stdout, r.stderr, code, message)
	}
}

// Standard output has no files, and says so beside it.
func TestExportLeavesFilesOut(t *testing.T) {
	t.Parallel()
	url := served(t)
	r := call(t, nil, "export", "--store="+url)
	if r.code != 0 || strings.Contains(r.stderr, "left out") {
		t.Errorf("without attachments: %+v", r)
	}
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: strings.TrimPrefix(url, "sqlite://")})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1, 0)
	change := store.Change{Batch: ident.ID{1}, At: at, Effects: []store.Effect{
		store.CreateProblem{Problem: problem.Problem{ID: 1, Created: at, Modified: at, Revision: 1}},
		store.PutAttachment{Problem: 1, Attachment: problem.Attachment{ID: ident.ID{2}, Name: "a", Created: at}},
	}}
	if _, err := s.Commit(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	s.Close()
	r = call(t, nil, "export", "--store="+url)
	if r.code != 0 || !strings.Contains(r.stderr, "The files of attachments were left out") || !strings.Contains(r.stdout, `"attachment"`) {
		t.Errorf("with an attachment: %+v", r)
	}
}

func TestExportToFile(t *testing.T) {
	t.Parallel()
	url, file := served(t), filepath.Join(t.TempDir(), "problems.jsonl")
	r := call(t, nil, "export", "--store="+url, "--to="+file)
	// 3 states, 4 priorities, 4 classifications, 2 users, 1 token, and for each its
	// entry in the audit log and its event
	if want := "Exported 0 problems, in 42 records.\n"; r.code != 0 || r.stdout != "" || r.stderr != want {
		t.Errorf("%+v, want code 0 and %q", r, want)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has the mode %v (%v), want 0600", info.Mode(), err)
	}
	if got := must(t, nil, "export", "--store="+url); got+"\n" != string(content) {
		t.Errorf("to standard output:\n%s\nto a file:\n%s", got, content)
	}
	call(t, nil, "export", "--store="+url, "--to="+file).fails(t, 1, "problems: export: "+file+" is there already: take another name, or --force to replace it\n")
	must(t, nil, "user", "add", "--name=Bo", "--email=bo@example.org", "--store="+url)
	must(t, nil, "export", "--store="+url, "--to="+file, "--force")
	if forced, err := os.ReadFile(file); err != nil || !strings.Contains(string(forced), `"bo@example.org"`) {
		t.Errorf("with --force the file has (%v)\n%s", err, forced)
	}
}

// A running service is no obstacle, and its tokens are not in the archive.
func TestExportBesideServer(t *testing.T) {
	t.Parallel()
	url := sqliteURL(t)
	s := start(t, nil, "--store="+url)
	text := must(t, nil, "export", "--store="+url)
	if !strings.Contains(text, `"admin@localhost"`) || strings.Contains(text, s.token(t)) {
		t.Errorf("exported, with or without what should be in it:\n%s", text)
	}
}

func TestExportRefuses(t *testing.T) {
	t.Parallel()
	call(t, nil, "export", "--store=memory:").fails(t, 1, "problems: export: a store in memory is only within its server\n")
	call(t, nil, "export", "--store="+sqliteURL(t)).fails(t, 1, "problems: export: there is no store at ")
	call(t, nil, "export", "--store=tape:1").fails(t, 2, "no store has the scheme tape")
	dir, from := t.TempDir(), served(t)
	call(t, nil, "export", "--store="+from, "--to="+filepath.Join(dir, "none", "x")).fails(t, 1, "cannot be written")
	call(t, nil, "export", "--store="+from, "--to="+dir, "--force").fails(t, 1, "problems: export: "+dir+" is not a regular file: write to standard output and redirect it\n")
}

// The files of a store are never those of its archive, and never those of another store.
func TestFilesOfAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	url := "sqlite://" + filepath.Join(dir, "problems.db")
	s := start(t, nil, "--store="+url)
	s.attach(t, s.token(t))
	s.end(t)
	own, archive := filepath.Join(dir, "problems-files"), filepath.Join(dir, "all.jsonl")
	call(t, nil, "export", "--store="+url, "--to="+filepath.Join(dir, "problems.jsonl")).fails(t, 1, own+" has the files of the store itself")
	must(t, nil, "export", "--store="+url, "--to="+archive)
	call(t, nil, "import", "--store="+sqliteURL(t), "--files=file://"+own, "--from="+archive).fails(t, 1, "belongs to another store")
	must(t, nil, "import", "--store="+sqliteURL(t), "--from="+archive)
}

// A server beside another one does not get the files of that. The next server of the store does.
func TestFolderOfAnotherServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("this system has no lock for a folder")
	}
	own, folder := "--store="+sqliteURL(t), "--files=file://"+filepath.Join(t.TempDir(), "files")
	first := start(t, nil, own, folder)
	token := first.token(t)
	first.attach(t, token)
	other := start(t, nil, "--store="+sqliteURL(t), folder)
	for !strings.Contains(other.stderr.String(), "another server uses the folder of attachments") {
		time.Sleep(time.Millisecond)
	}
	other.end(t)
	first.end(t)
	start(t, nil, own, folder).attach(t, token)
}

// A tar has the archive with its files, and import makes the same store of it, also when it was
// unpacked. A damaged file is left out. Of a tar that is cut, nothing is imported.
func TestTar(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, moved, unpacked := "sqlite://"+filepath.Join(dir, "problems.db"), sqliteURL(t), sqliteURL(t)
	s := start(t, nil, "--store="+first)
	s.attach(t, s.token(t))
	s.end(t)
	packed, again := filepath.Join(dir, "first.tar"), filepath.Join(dir, "again.tar")
	must(t, nil, "export", "--store="+first, "--to="+packed)
	text, err := os.ReadFile(packed)
	if err != nil {
		t.Fatal(err)
	}
	must(t, nil, "import", "--store="+moved, "--from="+packed)
	must(t, nil, "export", "--store="+moved, "--to="+again)
	if got, err := os.ReadFile(again); err != nil || string(got) != string(text) {
		t.Errorf("exported again: %d bytes, %v, not the same as %d", len(got), err, len(text))
	}
	if out, err := exec.Command("tar", "-xf", packed, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r := call(t, nil, "import", "--store="+unpacked, "--from="+filepath.Join(dir, "archive.jsonl"))
	if r.code != 0 || !strings.Contains(r.stderr, "Copied 1 files") {
		t.Errorf("unpacked: %+v", r)
	}

	cut, nowhere := filepath.Join(dir, "cut.tar"), sqliteURL(t)
	if err := os.WriteFile(cut, text[:len(text)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	call(t, nil, "import", "--store="+nowhere, "--from="+cut).fails(t, 1, "problems: import: "+cut+" is cut off")
	if _, err := os.Stat(strings.TrimPrefix(nowhere, "sqlite://")); err == nil {
		t.Error("a cut tar has made a store")
	}

	files, err := filepath.Glob(filepath.Join(dir, "problems-files", "1", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	call(t, nil, "export", "--store="+first, "--to="+packed, "--force").fails(t, 1, "1 files are damaged")
	r = call(t, nil, "import", "--store="+sqliteURL(t), "--from="+packed)
	if r.code != 0 || !strings.Contains(r.stderr, "1 files are missing") {
		t.Errorf("without the damaged file: %+v", r)
	}
}

// No command takes a place for files that does not fit the store, or makes a store for it.
func TestFilesThatDoNotFit(t *testing.T) {
	t.Parallel()
	url := sqliteURL(t)
	for _, args := range [][]string{
		{"serve", "--listen=127.0.0.1:0", "--store=" + url, "--files=memory:"},
		{"export", "--store=" + url, "--files=memory:"},
		{"import", "--store=" + url, "--files=memory:"},
		{"copy", "--from=sqlite:other.db", "--to=" + url, "--to-files=memory:"},
		{"copy", "--from=sqlite:other.db", "--to=" + url, "--from-files=postgres:"},
		{"serve", "--listen=127.0.0.1:0", "--store=memory:", "--files=postgres:"},
	} {
		if r := call(t, nil, args...); r.code == 0 || !strings.Contains(r.stderr, "files cannot be ") || !strings.Contains(r.stderr, "or choose file:///folder") {
			t.Errorf("%q: exit code %d, %q", args, r.code, r.stderr)
		}
	}
	if _, err := os.Stat(strings.TrimPrefix(url, "sqlite://")); err == nil {
		t.Error("there is a store")
	}
}

// The archive of the store has what import needs, and import makes the same store
// of it, whose tokens work.
func TestImport(t *testing.T) {
	t.Parallel()
	from, to := sqliteURL(t), sqliteURL(t)
	s := start(t, nil, "--store="+from)
	token := s.token(t)
	s.end(t)
	text := must(t, nil, "export", "--store="+from) + "\n"
	file := filepath.Join(t.TempDir(), "problems.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	// What is set for the service's own database is nothing to this store.
	r := call(t, variables{"PROBLEMS_STORE_CONNECTIONS": "8", "PROBLEMS_AUTO_MIGRATE": "false"}, "import", "--store="+to, "--from="+file)
	if want := "Imported 0 problems, in 39 records.\n"; r.code != 0 || r.stdout != "" || r.stderr != want {
		t.Errorf("%+v, want code 0 and %q", r, want)
	}
	if again := must(t, nil, "export", "--store="+to); again+"\n" != text {
		t.Errorf("exported again:\n%s\nwant:\n%s", again, text)
	}
	s = start(t, nil, "--store="+to)
	if status := s.get(t, token, "/api/20151105/me"); status != 200 {
		t.Errorf("the token is answered with %d, want 200", status)
	}
	call(t, nil, "import", "--store="+to, "--from="+file).fails(t, 1,
		`problems: import: the store is not empty: only an empty one is filled, before the first "problems serve"; nothing was imported`)
}

func TestImportFromStandardInput(t *testing.T) {
	t.Parallel()
	text := must(t, nil, "export", "--store="+served(t)) + "\n"
	to := sqliteURL(t)
	if r := callWith(t.Context(), text, false, "import", "--store="+to); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if again := must(t, nil, "export", "--store="+to); again+"\n" != text {
		t.Errorf("exported again:\n%s\nwant:\n%s", again, text)
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	text := must(t, nil, "export", "--store="+served(t)) + "\n"
	to := "--store=" + sqliteURL(t)
	callWith(t.Context(), "", false, "import", to).fails(t, 1, "problems: import: line 1: is missing: an archive begins with a header; nothing was imported\n")
	callWith(t.Context(), text[:len(text)-1], false, "import", to).fails(t, 1, "problems: import: line 44: ends without a line feed: the archive was cut off; nothing was imported\n")
	callWith(t.Context(), strings.Replace(text, `"Urgent"`, `""`, 1), false, "import", to).fails(t, 1, "/name: must not be empty; nothing was imported\n")
	callWith(t.Context(), "\x28\xb5\x2f\xfd\x04\x58", false, "import", to).fails(t, 1, "problems: import: line 1: is compressed: zstd -dc FILE | problems import; nothing was imported\n")
	call(t, nil, "import", to, "--from="+filepath.Join(t.TempDir(), "none")).fails(t, 1, "problems: import: stat ")
	call(t, nil, "import", "--store=memory:", "--from="+os.DevNull).fails(t, 1, "problems: import: a store in memory is only within its server\n")
	if r := callWith(t.Context(), text, false, "import", to); r.code != 0 {
		t.Errorf("after all that, the store is not empty: %+v", r)
	}
}

// Whoever waits for standard input can be interrupted.
func TestImportIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var stdout, stderr output
	p := process(nil, []string{"import", "--store=" + sqliteURL(t)}, &stdout, &stderr)
	p.Stdin = waiting{read: cancel, until: t.Context()}
	if code := cli.Run(ctx, p); code != 1 || stderr.String() != "problems: import: interrupted; nothing was imported\n" {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

// So can a program that waits for a named pipe.
func TestImportFromPipeIsInterrupted(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the reader
		if err == nil {
			defer f.Close()
		}
		opened <- err
		cancel()
		<-t.Context().Done()
	}()
	var stdout, stderr output
	code := cli.Run(ctx, process(nil, []string{"import", "--store=" + sqliteURL(t), "--from=" + pipe}, &stdout, &stderr))
	if err := <-opened; err != nil || code != 1 || stderr.String() != "problems: import: interrupted; nothing was imported\n" {
		t.Errorf("%v, exit code %d, %q", err, code, stderr.String())
	}
}

// waiting is an input that never comes.
type waiting struct {
	read  func()
	until context.Context
}

func (w waiting) Read([]byte) (int, error) {
	w.read()
	<-w.until.Done()
	return 0, w.until.Err()
}

func TestProgressIsForTerminals(t *testing.T) {
	t.Parallel()
	from := served(t)
	file := filepath.Join(t.TempDir(), "problems.jsonl")
	must(t, nil, "export", "--store="+from, "--to="+file)
	for _, terminal := range []bool{false, true} {
		r := callWith(t.Context(), "", terminal, "import", "--store="+sqliteURL(t), "--from="+file)
		if r.code != 0 || strings.Contains(r.stderr, "100 % of") != terminal {
			t.Errorf("on a terminal %v: %+v", terminal, r)
		}
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	from, to := served(t), sqliteURL(t)
	r := call(t, variables{"PROBLEMS_STORE": "memory:", "PROBLEMS_STORE_PASSWORD": "wrong"}, "copy", "--from="+from, "--to="+to)
	if want := "Copied 0 problems, in 42 records.\n"; r.code != 0 || r.stdout != "" || r.stderr != want {
		t.Errorf("%+v, want code 0 and %q", r, want)
	}
	if a, b := must(t, nil, "export", "--store="+from), must(t, nil, "export", "--store="+to); a != b {
		t.Errorf("the copy is\n%s\nof\n%s", b, a)
	}
	call(t, nil, "copy", "--from="+from, "--to="+to).fails(t, 1, "problems: copy: the store is not empty")
	const same = "problems: copy: --from and --to are the same store: give an empty one for --to"
	call(t, nil, "copy", "--from="+from, "--to="+from).fails(t, 1, same)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(strings.TrimPrefix(from, "sqlite://"), link); err != nil {
		t.Fatal(err)
	}
	call(t, nil, "copy", "--from="+from, "--to=sqlite://"+link).fails(t, 1, same)
	database := "--from=postgres://ann@127.0.0.1:1/problems"
	call(t, nil, "copy", database, strings.Replace(database, "from", "to", 1)).fails(t, 1, same)
}

func TestCopyRefuses(t *testing.T) {
	t.Parallel()
	from := served(t)
	call(t, nil, "copy", "--from="+from).fails(t, 2, "--to")
	call(t, nil, "copy", "--from="+from, "--to=memory:").fails(t, 1, "problems: copy: --to: a store in memory is only within its server\n")
	call(t, nil, "copy", "--from="+from, "--to=memory:", "--from-password-file=secret").fails(t, 2, "--from-password-file is for PostgreSQL: the store is sqlite://")
	call(t, nil, "copy", "--from="+from, "--to=memory:", "--to-accept-loss").fails(t, 2, "--to-accept-loss is for PostgreSQL: the store is memory:")
	call(t, nil, "copy", "--from=memory:", "--to="+from, "--to-direct=postgres://db").fails(t, 2, "--to-direct is for PostgreSQL: the store is sqlite://")
	call(t, nil, "copy", "--from=memory:", "--to=postgres://db", "--to-direct=memory:").fails(t, 2, "--to-direct has to be another URL of the database of --to")
	call(t, nil, "copy", "--from=postgres://db", "--to=memory:", "--from-timeout=0s").fails(t, 2, "--from-timeout has to be at least 1ms")
	call(t, nil, "copy", "--from="+from, "--to=postgres://ann@127.0.0.1:1/problems", "--to-password-file="+os.DevNull).fails(t, 1, "problems: copy: --to: the password of the database cannot be read: "+os.DevNull+" is empty\n")
	call(t, nil, "copy", "--from=memory:", "--to="+from).fails(t, 1, "problems: copy: --from: a store in memory is only within its server\n")
	call(t, nil, "copy", "--from="+sqliteURL(t), "--to="+sqliteURL(t)).fails(t, 1, "problems: copy: --from: there is no store at ")
}
