package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// serving is setup for the store of a server.
func serving(t *testing.T) *bench {
	t.Helper()
	b := setup(t)
	b.must(b.Close())
	b.Store = b.open(Options{Exclusive: true})
	return b
}

// duplicate copies a file, as cp does, with or without its log.
func (b *bench) duplicate(suffixes ...string) *bench {
	b.Helper()
	to := &bench{T: b.T, path: filepath.Join(b.TempDir(), "copy.db")}
	for _, suffix := range suffixes {
		content, err := os.ReadFile(b.path + suffix)
		b.must(err)
		b.must(os.WriteFile(to.path+suffix, content, 0o600))
	}
	return to
}

// lacksLog checks that nobody opens the file, and that the error is about the log.
func lacksLog(b *bench) {
	b.Helper()
	for _, o := range []Options{{Exclusive: true}, {}, {Existing: true}} {
		o.Path = b.path
		if s, err := Open(b.Context(), o); err == nil {
			_ = s.Close()
			b.Fatalf("%+v is opened", o)
		} else if !strings.Contains(err.Error(), "write-ahead log") || !strings.Contains(err.Error(), b.path) {
			b.Errorf("the error is %v", err)
		}
	}
	_, migrateErr := Migrate(b.Context(), Options{Path: b.path})
	_, statusErr := Status(b.Context(), Options{Path: b.path})
	for _, err := range []error{migrateErr, statusErr} {
		if err == nil || !strings.Contains(err.Error(), "write-ahead log") {
			b.Errorf("the error is %v", err)
		}
	}
}

// holds checks which problems a file has, once it is opened with o.
func (b *bench) holds(o Options, want ...bool) {
	b.Helper()
	o.Path = b.path
	s, err := Open(b.Context(), o)
	b.must(err)
	b.Store = s
	for i, want := range want {
		if id := int64(i + 1); b.exists(problem.ID(id)) != want {
			b.Errorf("problem %d: exists is %t, want %t", id, !want, want)
		}
	}
	b.must(s.Close())
}

// What was acknowledged is in the log until SQLite moves it into the file. A copy of
// the file alone is an old state, and must not pass for the store.
func TestCopyWithoutLog(t *testing.T) {
	t.Parallel()
	b := serving(t)
	b.commit(b.create(1, "acknowledged"))
	lacksLog(b.duplicate(""))
	b.duplicate("", "-wal").holds(Options{Existing: true}, true)
	beside := b.open(Options{Existing: true})
	b.must(b.Close())
	lacksLog(b.duplicate("")) // a command still has it open
	b.must(beside.Close())
	b.duplicate("").holds(Options{Existing: true}, true)
}

// The command line does so beside a server that has written nothing yet.
func TestCopyBesideAnIdleServer(t *testing.T) {
	t.Parallel()
	b := serving(t)
	beside := b.open(Options{Existing: true})
	_, err := beside.Commit(t.Context(), b.create(1, "acknowledged"))
	b.must(err)
	lacksLog(b.duplicate(""))
}

// A server of an earlier version knows no marks, and removes the log when it ends. What
// commands of this version do beside it must not look like a lost log then.
func TestCommandsBesideAnEarlierServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	earlier, err := sql.Open("sqlite", b.path)
	b.must(err)
	var problems int
	b.must(earlier.QueryRow("SELECT count(*) FROM problems").Scan(&problems))
	b.commit(b.create(1, "by a command"))
	b.must(b.Close())
	b.must(earlier.Close())
	if _, err := os.Stat(b.path + "-wal"); !os.IsNotExist(err) {
		t.Fatalf("the earlier server leaves its log: %v", err)
	}
	b.holds(Options{Exclusive: true}, true)
}

// Whoever knows what is lost can go on, once and for all.
func TestGoOnWithoutLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "in the file"))
	b.must(b.Close())
	b.Store = b.open(Options{Exclusive: true})
	b.commit(b.create(2, "in the log"))
	c := b.duplicate("")
	lacksLog(c)
	_, err := Migrate(t.Context(), Options{Path: c.path, WithoutLog: true})
	b.must(err)
	c.holds(Options{Existing: true}, true, false)
}

// The mark stays as long as anybody can write to the log, and no longer.
func TestLastOneClearsTheMark(t *testing.T) {
	t.Parallel()
	b := serving(t)
	other := b.open(Options{})
	b.commit(b.create(1, "by one"))
	b.must(b.Close())
	b.Store = other
	b.commit(b.create(2, "by the other"))
	lacksLog(b.duplicate(""))
	b.must(other.Close())
	if _, err := os.Stat(b.path + "-wal"); !os.IsNotExist(err) {
		t.Errorf("the log is still there: %v", err)
	}
	b.duplicate("").holds(Options{Existing: true}, true, true)
}

// A process that was killed leaves the file with its log. Any command that opens and
// closes the file takes the log in, and with it the mark.
func TestMarkAfterKill(t *testing.T) {
	t.Parallel()
	b := serving(t)
	b.commit(b.create(1, "acknowledged"))
	for name, use := range map[string]func(path string) error{
		"a server":       func(path string) error { return opened(t, Options{Path: path, Exclusive: true}) },
		"a command":      func(path string) error { return opened(t, Options{Path: path, Existing: true}) },
		"the migrations": func(path string) error { _, err := Migrate(t.Context(), Options{Path: path}); return err },
	} {
		killed := b.duplicate("", "-wal")
		_, err := Status(t.Context(), Options{Path: killed.path})
		b.must(err)
		b.must(use(killed.path))
		if _, err := os.Stat(killed.path + "-wal"); !os.IsNotExist(err) {
			t.Errorf("%s: the log is still there: %v", name, err)
		}
		killed.duplicate("").holds(Options{Existing: true}, true)
	}
}

func opened(t *testing.T, o Options) error {
	s, err := Open(t.Context(), o)
	if err != nil {
		return err
	}
	return s.Close()
}

// A connection that is replaced marks the file again.
func TestMarkOfAnotherConnection(t *testing.T) {
	t.Parallel()
	b := serving(t)
	b.commit(b.create(1, "before"))
	b.writer.drop() // nobody else uses it at the moment
	b.must(opened(t, Options{Path: b.path}))
	b.commit(b.create(2, "after"))
	lacksLog(b.duplicate(""))
}

// Versions before this one have written the schema to the log, and so have left
// copies with nothing in them.
func TestEmptyCopyOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "problems.db")
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE bun_migrations (name)"); err != nil {
		t.Fatal(err)
	}
	lacksLog((&bench{T: t, path: path}).duplicate(""))
}

// A file has its schema from its first moment: a copy of a new store is one.
func TestNewStoreIsComplete(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.duplicate("")
	all, err := Status(t.Context(), Options{Path: c.path, Existing: true})
	b.must(err)
	for _, step := range all {
		if !step.Applied {
			t.Errorf("%s is to do", step.Name)
		}
	}
	c.holds(Options{Existing: true}, false)
}

// Who only looks makes no store, in no file.
func TestExisting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	none, empty, without := filepath.Join(dir, "none.db"), filepath.Join(dir, "empty.db"), filepath.Join(dir, "without.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", without+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("PRAGMA user_version = 0"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{none, empty, without} {
		if err := opened(t, Options{Path: path, Existing: true}); err == nil || !strings.Contains(err.Error(), "there is no store") || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(none); !os.IsNotExist(err) {
		t.Errorf("there is a file now: %v", err)
	}
	if info, err := os.Stat(empty); err != nil || info.Size() > 0 {
		t.Errorf("the file was filled: %v", err)
	}
	if err := opened(t, Options{Path: empty}); err != nil {
		t.Errorf("a server does not fill it: %v", err)
	}
}

// A file that has lost its pages is not filled anew beside its log.
func TestEmptyFileWithLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "acknowledged"))
	c := b.duplicate("", "-wal")
	b.must(os.Truncate(c.path, 0))
	if err := opened(t, Options{Path: c.path}); err == nil || !strings.Contains(err.Error(), "is empty, but its write-ahead log") {
		t.Errorf("it is opened: %v", err)
	}
	if info, err := os.Stat(c.path + "-wal"); err != nil || info.Size() == 0 {
		t.Errorf("the log is gone: %v", err)
	}
}

// While a store is filled beside another user, all of it is in the log.
func TestCopyWhileFilled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	beside := b.open(Options{})
	var during *bench
	archive := store.Archive{Batch: b.id(), Problems: func(func(store.Dossier, error) bool) { during = b.duplicate("") }}
	b.must(b.Restore(t.Context(), archive))
	if during == nil {
		t.Fatal("nothing was copied")
	}
	lacksLog(during)
	b.must(beside.Close())
	b.must(b.Close())
	b.duplicate("").holds(Options{Existing: true}, false)
}

// A store is filled without a log when nobody else uses it. When the process is killed,
// the journal makes it empty again. Without its journal, such a file is no store.
func TestKillWhileFilled(t *testing.T) {
	t.Parallel()
	b := serving(t)
	b.must(b.Close()) // the mark of a server that was killed is cleared, too
	b.Store = b.open(Options{Exclusive: true})
	killed := b.duplicate("", "-wal")
	killed.Store = killed.open(Options{})
	text := strings.Repeat("x", 1<<20)
	var begun, during, alone *bench
	archive := store.Archive{Batch: b.id(), Problems: func(yield func(store.Dossier, error) bool) {
		begun = killed.duplicate("")
		for id := range problem.ID(32) { // more than the cache takes
			p := b.create(id+1, "of many").Effects[0].(store.CreateProblem).Problem
			yield(store.Dossier{Problem: p, Comments: []problem.Comment{{ID: b.id(), Author: b.id(), Created: start, Text: text}}}, nil)
		}
		log, logErr := size(killed.path + "-wal")
		journal, journalErr := size(killed.path + "-journal")
		if log >= 0 || journal <= 0 || logErr != nil || journalErr != nil {
			t.Errorf("the log has %d bytes, and the journal %d (%v, %v)", log, journal, logErr, journalErr)
			return
		}
		during, alone = killed.duplicate("", "-journal"), killed.duplicate("")
		if err := opened(t, Options{Path: killed.path}); err == nil || !strings.Contains(err.Error(), "other processes keep the file busy") {
			t.Errorf("another process opens it: %v", err)
		}
	}}
	b.must(killed.Restore(t.Context(), archive))
	if during == nil {
		t.FailNow()
	}
	begun.holds(Options{Existing: true}, false)
	for name, err := range map[string]error{
		"Open":   opened(t, Options{Path: alone.path}),
		"Status": func() error { _, err := Status(t.Context(), Options{Path: alone.path}); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "copied during an import") {
			t.Errorf("%s without the journal: %v", name, err)
		}
	}
	findings, err := Examine(t.Context(), Options{Path: during.path})
	if err != nil || len(findings) == 0 || !strings.HasSuffix(findings[len(findings)-1].What, "is under way, or was cut off") {
		t.Errorf("beside the journal, an examination finds %v, %v", findings, err)
	}
	during.holds(Options{Existing: true}, false)
	during.Store = during.open(Options{})
	during.commit(b.create(2, "afterwards"))
	if !killed.exists(1) || !killed.exists(32) {
		t.Error("what was restored is not there")
	}
	killed.commit(b.create(33, "afterwards"))
	killed.duplicate("", "-wal").holds(Options{Existing: true}, true)
}

// What a store was filled with is in its file alone, for somebody else to take over.
func TestFilledStoreIsOneFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must(b.Restore(t.Context(), store.Archive{Batch: b.id(), Problems: func(func(store.Dossier, error) bool) {}}))
	b.must(b.View(t.Context(), func(r store.Reader) error { _, err := r.Versions(t.Context()); return err }))
	b.must(b.Close())
	for _, beside := range []string{"-shm", "-wal", "-journal"} {
		if bytes, err := size(b.path + beside); bytes >= 0 || err != nil {
			t.Errorf("%s has %d bytes (%v)", beside, bytes, err)
		}
	}
}

// shortLog makes the writer take a log of a mebibyte for a long one. It returns a text that
// fills a quarter of it.
func (b *bench) shortLog() string {
	b.must(b.submit(b.Context(), func(*transaction) error {
		b.writer.long = 1 << 20
		return nil
	}))
	return strings.Repeat("x", 256<<10)
}

// While a View shows an earlier moment, SQLite cannot begin the log anew. Views that overlap
// leave no other time.
func TestLongLogIsEmptied(t *testing.T) {
	t.Parallel()
	b := serving(t)
	b.commit(b.create(1, "with long comments"))
	text := b.shortLog()
	for length, attempt := int64(0), 0; attempt < 3; attempt++ { // one View may last too long
		begun, end := make(chan struct{}), make(chan struct{})
		go func() {
			b.check(b.View(b.Context(), func(r store.Reader) error {
				_, err := r.Versions(b.Context())
				close(begun)
				<-end
				return err
			}))
		}()
		<-begun
		for before := length; length <= max(2*before, b.writer.long); {
			b.commit(b.change(store.AddComment{Problem: 1, Comment: problem.Comment{ID: b.id(), Author: b.id(), Created: start, Text: text}}))
			var err error
			length, err = size(b.path + "-wal")
			b.must(err)
		}
		close(end)
		b.must(b.submit(b.Context(), func(*transaction) error { return nil })) // waits for the writer
		var err error
		if length, err = size(b.path + "-wal"); err != nil || length == 0 {
			b.must(err)
			return
		}
	}
	t.Error("the log was not emptied")
}

// The writer does not wait again for a long View that it has waited for in vain, such as that
// of an export.
func TestLongViewIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	b := setup(t)
	b.must(b.Close())
	b.Store = b.open(Options{Exclusive: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	b.commit(b.create(1, "with long comments"))
	text := b.shortLog()
	grow := func() {
		b.commit(b.change(store.AddComment{Problem: 1, Comment: problem.Comment{ID: b.id(), Author: b.id(), Created: start, Text: text}}))
	}
	inWriter := func(fn func()) {
		b.must(b.submit(b.Context(), func(*transaction) error { fn(); return nil }))
	}
	waits := func() (n int) {
		inWriter(func() { n = strings.Count(log.String(), "keeps the write-ahead log from being emptied") })
		return n
	}
	b.must(b.View(b.Context(), func(r store.Reader) error {
		if _, err := r.Versions(b.Context()); err != nil {
			return err
		}
		for length := int64(0); length <= b.writer.long; {
			grow()
			var err error
			if length, err = size(b.path + "-wal"); err != nil {
				return err
			}
		}
		if n := waits(); n != 1 {
			t.Errorf("beside the View there were %d vain waits; want 1", n)
		}
		inWriter(func() { b.writer.kept = 0 }) // as if the log had grown to twice its length
		grow()
		if n := waits(); n != 1 {
			t.Errorf("beside the same View there were %d vain waits; want 1", n)
		}
		return nil
	}))
	inWriter(func() { b.writer.kept = 0 })
	grow()
	inWriter(func() {})
	if length, err := size(b.path + "-wal"); err != nil || length > 0 {
		t.Errorf("after the View, the log has %d bytes, %v", length, err)
	}
}

// A Commit whose time ends while the writer waits for Views says that the store is busy, not
// away.
func TestCommitBesideTheWaitForViews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	release := b.occupy()
	defer release()
	for _, waits := range []bool{false, true} {
		b.writer.waits.Store(waits)
		hasty, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := b.Commit(hasty, b.create(2, "beside the wait")); !fault.Is(err, fault.Unavailable) || errors.Is(err, store.ErrBusy) != waits {
			t.Errorf("while the writer waits for Views, %t: %v", waits, err)
		}
	}
}
