package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// path returns the file of a URL.
func path(url string) string { return strings.TrimPrefix(url, "sqlite://") }

// duplicate copies a file, as cp does.
func duplicate(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A file that was copied without its log is not the store, for no command.
func TestCopyWithoutLog(t *testing.T) {
	t.Parallel()
	from, lone := sqliteURL(t), sqliteURL(t)
	start(t, nil, "--store="+from)
	duplicate(t, path(from), path(lone))
	for _, args := range [][]string{
		{"serve", "--listen=127.0.0.1:0"}, {"migrate"}, {"migrate", "--status"}, {"migrate", "--dry-run"},
		{"export"}, {"backup", "--to=" + filepath.Join(t.TempDir(), "backup.db")}, {"user", "list"}, {"token", "list"},
	} {
		call(t, nil, append(args, "--store="+lone)...).fails(t, 1, "write-ahead log "+path(lone)+"-wal is missing")
	}
	call(t, nil, "copy", "--from="+lone, "--to="+sqliteURL(t)).fails(t, 1, "is missing")
	duplicate(t, path(from)+"-wal", path(lone)+"-wal")
	if a, b := must(t, nil, "export", "--store="+from), must(t, nil, "export", "--store="+lone); a != b {
		t.Errorf("the copy is\n%s\nof\n%s", b, a)
	}
	duplicate(t, path(from), path(lone))
	call(t, nil, "export", "--store="+lone).fails(t, 1, "problems migrate --without-log")
	must(t, nil, "migrate", "--without-log", "--store="+lone)
	must(t, nil, "export", "--store="+lone)
	call(t, nil, "migrate", "--without-log", "--store=postgres://db").fails(t, 1, "--without-log is for SQLite")
}

// Commands that only look make no store.
func TestLookingMakesNoStore(t *testing.T) {
	t.Parallel()
	for name, content := range map[string][]byte{"none": nil, "empty": {}} {
		url := sqliteURL(t)
		if content != nil {
			if err := os.WriteFile(path(url), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"export"}, {"backup", "--to=" + filepath.Join(t.TempDir(), "backup.db")}, {"user", "list"}, {"token", "list"}} {
			call(t, nil, append(args, "--store="+url)...).fails(t, 1, "there is no store")
		}
		call(t, nil, "copy", "--from="+url, "--to="+sqliteURL(t)).fails(t, 1, "there is no store")
		must(t, nil, "migrate", "--status", "--store="+url)
		must(t, nil, "config", "--store="+url)
		entries, err := os.ReadDir(filepath.Dir(path(url)))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if info, err := e.Info(); content == nil || err != nil || info.Size() > 0 {
				t.Errorf("%s: there is %s now", name, e.Name())
			}
		}
	}
}

// A backup is a store of its own, with all that the running service has acknowledged.
func TestBackup(t *testing.T) {
	t.Parallel()
	url, dir := sqliteURL(t), t.TempDir()
	s := start(t, nil, "--store="+url)
	to := filepath.Join(dir, "backup.db")
	r := call(t, nil, "backup", "--store="+url, "--to="+to)
	if want := "Backed up 0 problems from " + path(url) + " to " + to + ".\n"; r.code != 0 || r.stdout != "" || r.stderr != want {
		t.Errorf("%+v, want code 0 and %q", r, want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("there is %v (%v), want the backup alone", entries, err)
	}
	if info, err := os.Stat(to); err != nil || info.Mode() != 0o600 {
		t.Errorf("the backup has the mode %v (%v), want 0600", info.Mode(), err)
	}
	call(t, nil, "backup", "--store="+url, "--to="+to).fails(t, 1, "problems: backup: "+to+" is there already: take another name\n")
	call(t, nil, "backup", "--store="+url, "--to="+path(url)).fails(t, 1, "is there already")
	if a, b := must(t, nil, "export", "--store="+url), must(t, nil, "export", "--store=sqlite://"+to); a != b {
		t.Errorf("the backup is\n%s\nof\n%s", b, a)
	}
	token := s.token(t)
	s.end(t)
	s = start(t, nil, "--store=sqlite://"+to)
	if status := s.get(t, token, "/api/20151105/me"); status != 200 {
		t.Errorf("the token is answered with %d, want 200", status)
	}
}

// A directory gets one copy after the other. What a killed backup left there goes.
func TestBackupToADirectory(t *testing.T) {
	t.Parallel()
	url, dir := served(t), t.TempDir()
	killed, foreign := filepath.Join(dir, ".2020-01-01T00:00:00.000Z.db.1"), filepath.Join(dir, "mine.db")
	for _, name := range []string{killed, foreign} {
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chtimes(name, time.Time{}, time.Unix(1, 0))); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if r := call(t, variables{"PROBLEMS_BACKUP_DIRECTORY": dir}, "backup", "--store="+url); r.code != 0 || !strings.Contains(r.stderr, " to "+dir+"/20") {
			t.Errorf("%+v, want the path of a copy", r)
		}
	}
	copies, err := filepath.Glob(filepath.Join(dir, "20*Z.db"))
	if err != nil || len(copies) != 2 {
		t.Fatalf("the copies are %v (%v), want two", copies, err)
	}
	if a, b := must(t, nil, "export", "--store="+url), must(t, nil, "export", "--store=sqlite://"+copies[1]); a != b {
		t.Errorf("the backup is\n%s\nof\n%s", b, a)
	}
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("the file of a killed backup is still there: %v", err)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
	must(t, variables{"PROBLEMS_BACKUP_DIRECTORY": dir}, "backup", "--store="+url, "--to="+filepath.Join(t.TempDir(), "one.db"))
	call(t, nil, "backup", "--store="+url, "--backup-directory="+foreign).fails(t, 1, "is no directory for backups")
	call(t, nil, "backup", "--store=postgres://db", "--backup-directory="+dir).fails(t, 1, "pg_dump")
}

func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	to := "--to=" + filepath.Join(t.TempDir(), "backup.db")
	call(t, nil, "backup", "--store=memory:", to).fails(t, 1, "problems: backup: a store in memory is only within its server: ")
	call(t, nil, "compact", "--store=memory:").fails(t, 1, "problems: compact: a store in memory is only within its server: ")
	for _, tool := range []string{"pg_dump", "pg_basebackup", "problems export"} {
		call(t, nil, "backup", "--store=postgres://db", to).fails(t, 1, tool)
	}
	call(t, nil, "backup", "--store="+sqliteURL(t)).fails(t, 2, "--to")
	call(t, nil, "backup", "--store="+sqliteURL(t), to, "--backup-directory="+t.TempDir()).fails(t, 2, "two places for one copy")
	url := served(t)
	call(t, nil, "backup", "--store="+url, "--to="+filepath.Join(t.TempDir(), "none", "x")).fails(t, 1, "cannot be written")
	call(t, nil, "backup", "--store="+url, "--to="+t.TempDir()).fails(t, 1, "is there already")
	call(t, nil, "backup", "--store="+url, "--to=-").fails(t, 1, "a backup is a file")
}
