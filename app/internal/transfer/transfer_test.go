package transfer_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/internal/transfer"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

// filled is the batch of the stores that are filled.
var filled = ident.ID{6: 0x70, 8: 0x80, 15: 1}

// adapters are all of them, each with a way to a new, empty store.
var adapters = []struct {
	name string
	open func(t *testing.T) (store.Store, error)
}{
	{"memory", func(t *testing.T) (store.Store, error) { return memory.Open(t.Context(), memory.Options{}) }},
	{"sqlite", func(t *testing.T) (store.Store, error) {
		return sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(t.TempDir(), "problems.db")})
	}},
	{"postgres", func(t *testing.T) (store.Store, error) {
		return postgres.Open(t.Context(), postgres.Options{URL: postgrestest.Schema(t), AutoMigrate: true})
	}},
}

func open(t *testing.T, adapter int) store.Store {
	t.Helper()
	s, err := adapters[adapter].open(t)
	if err != nil {
		t.Fatalf("%s: %v", adapters[adapter].name, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", adapters[adapter].name, err)
		}
	})
	return s
}

func service(s store.Store) *usecases.All {
	return usecases.New(tracker.Options{Store: s, Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits()}, nil)
}

// lived returns a store in memory in which a service has answered many requests,
// of every kind and at random.
func lived(t *testing.T) store.Store {
	t.Helper()
	s := open(t, 0)
	w := &world{t: t, All: service(s)}
	seed := mathrand.Uint64()
	w.Rand = mathrand.New(mathrand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)

	secret, err := w.NewSecret()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Seed(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	users, err := w.Users().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.callers = []tracker.Caller{{User: users.Value[0].ID, Scope: access.Admin}}
	for _, name := range []string{"Ann", "Bo", "Ce\u0301line"} {
		answer, err := w.Users().Create(t.Context(), w.caller(), admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(name + "@example.org")}})
		if err != nil {
			t.Fatal(err)
		}
		w.callers = append(w.callers, tracker.Caller{User: answer.Value.ID, Scope: access.Admin})
		token := admin.CreateToken{User: patch.Set[metadata.Partial](metadata.Members{"name": metadata.Text(name)}), Scope: patch.Set("write"), Expires: patch.Set(time.Now().Add(time.Hour))}
		for _, invitation := range []bool{false, true} {
			token.Invitation = patch.Set(invitation)
			if _, err := w.CreateToken(t.Context(), w.caller(), token); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 400 {
		w.act(t.Context())
	}
	ann, first := w.callers[1], w.problems[0]
	if _, err := w.AddWatcher(t.Context(), ann, first, tracker.AddWatcher{User: metadata.Members{"name": metadata.Text("Ann")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.StopWatching(t.Context(), ann, first, tracker.Write{}); err != nil {
		t.Fatal(err)
	}
	// Nobody is assigned or watches who has left, but what Bo did stays.
	if _, err := w.Users().Update(t.Context(), w.callers[0], w.callers[2].User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// world is a service with those who use it.
type world struct {
	t *testing.T
	*usecases.All
	*mathrand.Rand
	callers  []tracker.Caller
	problems []problem.ID
}

func (w *world) caller() tracker.Caller { return w.callers[w.IntN(len(w.callers))] }

func (w *world) problem() problem.ID { return w.problems[w.IntN(len(w.problems))] }

func (w *world) pick(names ...string) patch.Field[metadata.Partial] {
	name := names[w.IntN(len(names))]
	switch name {
	case "":
		return patch.Field[metadata.Partial]{}
	case "null":
		return patch.Null[metadata.Partial]()
	}
	return patch.Set[metadata.Partial](metadata.Members{"name": metadata.Text(name)})
}

func (w *world) text() string {
	return []string{"plain", "\"quoted\\\"", "e\u0301 \u2028 <b> \U0001f600", "two\r\n\tlines", "\ufeff\uffff"}[w.IntN(5)]
}

func (w *world) line() string { return strings.NewReplacer("\r\n\t", " ").Replace(w.text()) }

func (w *world) fields() tracker.ProblemPatch {
	return tracker.ProblemPatch{
		Priority:       w.pick("", "null", "Urgent", "Low"),
		Classification: w.pick("", "null", "Task"),
		Assignee:       w.pick("", "null", "Ann", "Bo"),
		Read:           []patch.Field[bool]{{}, patch.Set(true), patch.Set(false)}[w.IntN(3)],
	}
}

// act makes one request. What the rules refuse is part of life; nothing else is.
func (w *world) act(ctx context.Context) {
	var err error
	by := w.caller()
	if len(w.problems) < 3 {
		var answer tracker.Answer[snapshot.Snapshot]
		fields := w.fields()
		fields.Title = patch.Set("  " + w.line())
		answer, err = w.CreateProblem(ctx, by, tracker.CreateProblem{ProblemPatch: fields})
		w.problems = append(w.problems, answer.Value.ID)
	} else {
		err = w.change(ctx, by)
	}
	if kind := fault.KindOf(err); err != nil && (kind == fault.Internal || kind == fault.Unavailable) {
		w.t.Fatal(err)
	}
}

func (w *world) change(ctx context.Context, by tracker.Caller) (err error) {
	id := w.problem()
	types := relationship.Types()
	link := tracker.Relate{Type: patch.Set(string(types[w.IntN(len(types))])), Other: patch.Set(w.problem())}
	name := w.line()
	switch w.IntN(9) {
	case 0:
		fields := w.fields()
		fields.Title = patch.Set(w.line())
		var answer tracker.Answer[snapshot.Snapshot]
		if answer, err = w.CreateProblem(ctx, by, tracker.CreateProblem{ProblemPatch: fields}); err == nil {
			w.problems = append(w.problems, answer.Value.ID)
		}
	case 1:
		fields := w.fields()
		fields.State = w.pick("", "Open", "In Progress", "Closed")
		_, err = w.UpdateProblem(ctx, by, id, tracker.UpdateProblem{ProblemPatch: fields})
	case 2:
		_, err = w.UpdateProblem(ctx, by, id, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(w.line())}})
	case 3:
		_, err = w.AddComment(ctx, by, id, tracker.AddComment{Text: patch.Set(w.text()), HTML: []patch.Field[string]{{}, patch.Set(w.text())}[w.IntN(2)]})
	case 4:
		_, err = w.SetKeyword(ctx, by, id, tracker.SetKeyword{Name: name, Value: problem.NullText{Valid: w.IntN(2) == 0}})
	case 5:
		_, err = w.DeleteKeyword(ctx, by, id, tracker.DeleteKeyword{Name: name})
	case 6:
		if w.IntN(3) == 0 {
			_, err = w.DeleteRelationship(ctx, by, id, link)
		} else {
			_, err = w.AddRelationship(ctx, by, id, link)
		}
	case 7:
		_, err = w.AddWatcher(ctx, by, id, tracker.AddWatcher{User: metadata.Members{"name": metadata.Text([]string{"Ann", "Bo", "Administrator"}[w.IntN(3)])}})
	case 8:
		_, err = w.StopWatching(ctx, by, id, tracker.Write{})
	}
	return err
}

func export(t *testing.T, s store.Store) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := transfer.Export(t.Context(), s, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// From any adapter to any other, what comes out is what went in, to the byte, and
// the service goes on with it.
func TestExportImportExport(t *testing.T) {
	t.Parallel()
	original := lived(t)
	want := export(t, original)
	if !strings.Contains(want, `"WatcherRemoved"`) {
		t.Error("no log in the archive says that a watcher left")
	}
	for from := range adapters {
		for to := range adapters {
			t.Run(adapters[from].name+" to "+adapters[to].name, func(t *testing.T) {
				t.Parallel()
				first, second := open(t, from), open(t, to)
				summary, err := transfer.Import(t.Context(), strings.NewReader(want), first, filled)
				if err != nil {
					t.Fatal(err)
				}
				if lines := int64(strings.Count(want, "\n")); summary.Records != lines-2 || summary.Problems < 3 {
					t.Errorf("imported %+v of an archive of %d lines", summary, lines)
				}
				if _, err := transfer.Copy(t.Context(), first, second, filled, func(r io.Reader) io.Reader { return r }); err != nil {
					t.Fatal(err)
				}
				for i, s := range []store.Store{first, second} {
					if got := export(t, s); got != want {
						t.Errorf("export %d differs: %s", i+1, difference(got, want))
					}
				}
				goesOn(t, second, want)
			})
		}
	}
}

// difference shows the first line that differs.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			return fmt.Sprintf("line %d is\n%s\nwant\n%s", i+1, a[i], b[min(i, len(b)-1)])
		}
	}
	return fmt.Sprintf("it ends after line %d", len(a))
}

// goesOn checks that a service with the store works with the last problem of the
// archive that it was filled with, and gives the next one the next number.
func goesOn(t *testing.T, s store.Store, text string) {
	t.Helper()
	_, after, _ := strings.Cut(text[strings.LastIndex(text, "{\"counts\""):], `"nextIdentifier":`)
	number, _, _ := strings.Cut(after, ",")
	next, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	w := service(s)
	users, err := w.Users().List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	by := tracker.Caller{User: users.Value[0].ID, Scope: access.Write}
	if _, err := w.AddComment(t.Context(), by, problem.ID(next-1), tracker.AddComment{Text: patch.Set("new")}); err != nil {
		t.Errorf("a comment on the last problem: %v", err)
	}
	answer, err := w.CreateProblem(t.Context(), by, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set("new")}})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Value.ID != problem.ID(next) {
		t.Errorf("the next problem has the number %d, want %d", answer.Value.ID, next)
	}
	if _, err := transfer.Import(t.Context(), strings.NewReader(export(t, s)), open(t, 0), filled); err != nil {
		t.Errorf("what the service has made of the archive: %v", err)
	}
}

// A store that was refused an archive is as empty as before, wherever the damage
// is, and takes the next archive.
func TestImportIsAllOrNothing(t *testing.T) {
	t.Parallel()
	good := export(t, lived(t))
	lines := strings.SplitAfter(good, "\n")
	for i := range adapters {
		t.Run(adapters[i].name, func(t *testing.T) {
			t.Parallel()
			s := open(t, i)
			empty := export(t, s)
			for name, c := range map[string]struct{ text, want string }{
				"cut off":      {strings.Join(lines[:len(lines)-2], ""), fmt.Sprintf("import: line %d: is missing: the archive ends without its manifest; nothing was imported", len(lines)-1)},
				"more":         {good + "{}\n", fmt.Sprintf("import: line %d: comes after the manifest: an archive ends with it; nothing was imported", len(lines))},
				"a wrong line": {strings.Join(lines[:20], "") + "{}\n", "import: line 21, /kind: is missing; nothing was imported"},
			} {
				_, err := transfer.Import(t.Context(), strings.NewReader(c.text), s, filled)
				if err == nil || err.Error() != c.want {
					t.Errorf("%s: %v, want %s", name, err, c.want)
				}
				if got := export(t, s); got != empty {
					t.Errorf("%s: the store is not empty any more: %s", name, difference(got, empty))
				}
			}
			if _, err := transfer.Import(t.Context(), strings.NewReader(good), s, filled); err != nil {
				t.Fatal(err)
			}
			_, err := transfer.Import(t.Context(), strings.NewReader(good), s, filled)
			if want := `import: the store is not empty: only an empty one is filled, before the first "problems serve"; nothing was imported`; err == nil || err.Error() != want {
				t.Errorf("a second import: %v, want %s", err, want)
			}
			if got := export(t, s); got != good {
				t.Errorf("after the second import the store differs: %s", difference(got, good))
			}
		})
	}
}

func TestInterruption(t *testing.T) {
	t.Parallel()
	s := lived(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := transfer.Export(ctx, s, io.Discard); err == nil || err.Error() != "export: interrupted" {
		t.Errorf("an export that is interrupted: %v", err)
	}
	if _, err := transfer.Import(ctx, strings.NewReader(export(t, s)), open(t, 0), filled); err == nil || err.Error() != "import: interrupted; nothing was imported" {
		t.Errorf("an import that is interrupted: %v", err)
	}
	if _, err := transfer.Copy(ctx, s, open(t, 0), filled, func(r io.Reader) io.Reader { return r }); err == nil || err.Error() != "copy: interrupted; nothing was copied" {
		t.Errorf("a copy that is interrupted: %v", err)
	}
}

func TestCopyTellsWhichSideFailed(t *testing.T) {
	t.Parallel()
	s := lived(t)
	same := func(r io.Reader) io.Reader { return r }
	if _, err := transfer.Copy(t.Context(), s, s, filled, same); err == nil || !strings.HasPrefix(err.Error(), "copy: the store is not empty") {
		t.Errorf("a copy into a store that is not empty: %v", err)
	}
	broken := errors.New("broken")
	if _, err := transfer.Copy(t.Context(), blind{s, broken}, open(t, 0), filled, same); err == nil || err.Error() != "copy: broken; nothing was copied" {
		t.Errorf("a copy of a store that cannot be read: %v", err)
	}
	breaking := func(io.Reader) io.Reader { return iotest.ErrReader(broken) }
	if _, err := transfer.Copy(t.Context(), s, open(t, 0), filled, breaking); err == nil || err.Error() != "copy: line 1 cannot be read: broken; nothing was copied" {
		t.Errorf("a copy that does not arrive: %v", err)
	}
}

// blind is a store that cannot be read.
type blind struct {
	store.Store
	err error
}

func (b blind) View(context.Context, func(store.Reader) error) error { return b.err }

// What the service has made passes every check: nothing that can happen to a
// problem may keep a store from being moved.
func TestEveryLifeCanBeMoved(t *testing.T) {
	t.Parallel()
	for range 20 {
		text := export(t, lived(t))
		if _, err := transfer.Import(t.Context(), strings.NewReader(text), open(t, 0), filled); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
	}
}
