package tracker

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/tracker/internal/views"
)

// large gives the problem comments, and keywords that are set anew, of so many bytes.
func (s service) large(t *testing.T, id problem.ID, bytes int) {
	t.Helper()
	for n := 0; n < bytes; n += 64 << 10 {
		text := strings.Repeat(string(rune('a'+n/(64<<10)%26)), 32<<10)
		_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set(text)})
		kit.NoError(t, err)
		_, err = s.SetKeyword(t.Context(), s.admin, id, SetKeyword{Name: "x", Value: problem.Text(text)})
		kit.NoError(t, err)
	}
}

// A large problem is loaded without its log and comments; they come in portions, each of
// which is bounded, and are those of the revision that was shown.
func TestPortions(t *testing.T) {
	t.Parallel()
	s := newStocked()
	id := s.create(t, "T")
	s.large(t, id, 1<<20)
	a, err := s.As(s.admin).Problem(t.Context(), id, shown)
	kit.NoError(t, err)
	if len(a.Value.Keywords) != 1 || a.Value.Log != nil || a.Value.Comments != nil || a.Value.Size < 1<<20 {
		t.Fatalf("a problem of %d bytes was loaded with %d keywords, %d entries and %d comments", a.Value.Size, len(a.Value.Keywords), len(a.Value.Log), len(a.Value.Comments))
	}
	var all snapshot.Snapshot
	kit.NoError(t, s.memory.View(t.Context(), func(r store.Reader) (err error) {
		all, err = r.Problem(t.Context(), id, ident.None, snapshot.Log|snapshot.Comments)
		return err
	}))
	for _, c := range []struct{ skip, limit int }{{0, 1000}, {3, 1000}, {3, 9}, {0, 1}, {1000, 10}} {
		var log []problem.LogEntry
		for portion, err := range s.As(s.admin).Log(t.Context(), a.Value, c.skip, c.limit) {
			kit.NoError(t, err)
			if n := problem.Size(problem.Fields{}, nil, nil, nil, portion); n > portionText+(64<<10)+problem.Overhead {
				t.Errorf("a portion has %d bytes", n)
			}
			if len(log) == 0 { // meanwhile
				_, err := s.AddComment(t.Context(), s.admin, id, AddComment{Text: patch.Set("later")})
				kit.NoError(t, err)
			}
			log = append(log, portion...)
		}
		from := min(c.skip, len(all.Log))
		kit.Equal(t, "log", log, append([]problem.LogEntry(nil), all.Log[from:min(from+c.limit, len(all.Log))]...))
		var comments []problem.Comment
		for portion, err := range s.As(s.admin).Comments(t.Context(), a.Value, c.skip, min(c.limit, len(all.Comments)-min(c.skip, len(all.Comments)))) {
			kit.NoError(t, err)
			comments = append(comments, portion...)
		}
		from = min(c.skip, len(all.Comments))
		kit.Equal(t, "comments", comments, append([]problem.Comment(nil), all.Comments[from:min(from+c.limit, len(all.Comments))]...))
	}
}

// The lengths of the log and of the comments are those of the shown revision.
func TestLengths(t *testing.T) {
	t.Parallel()
	s := newStocked()
	id := s.create(t, "T")
	for before := range 3 {
		s.large(t, id, before*(64<<10))
		a, err := s.As(s.admin).Problem(t.Context(), id, shown)
		kit.NoError(t, err)
		var all snapshot.Snapshot
		kit.NoError(t, s.memory.View(t.Context(), func(r store.Reader) (err error) {
			all, err = r.Problem(t.Context(), id, ident.None, snapshot.Log|snapshot.Comments)
			return err
		}))
		s.large(t, id, 128<<10) // meanwhile
		entries, comments, err := s.As(s.admin).Lengths(t.Context(), a.Value)
		kit.NoError(t, err)
		kit.Equal(t, "entries", entries, len(all.Log))
		kit.Equal(t, "comments", comments, len(all.Comments))
	}
}

// What needs all of a large problem waits for memory, outside of any View, and fails when
// there is none in time, with nothing stored. What is small does not wait.
func TestRoom(t *testing.T) {
	t.Parallel()
	s := newStocked()
	s.core.Views = views.New(s.memory, 1, DefaultLimits().Relationships)
	id, small := s.create(t, "T"), s.create(t, "T")
	s.large(t, id, 1<<20)
	b := budget.New(4 << 20)
	other := b.Open(nil)
	other.For(kit.ID(77))
	kit.NoError(t, other.Reserve(t.Context(), 2<<20))
	other.Add(2 << 20)

	open := func() *budget.Account { a := b.Open(nil); a.For(s.admin.User); return a }
	mine := open()
	ctx := budget.With(t.Context(), mine)
	_, err := s.As(s.admin).Problem(ctx, id, snapshot.Keywords|snapshot.Log)
	kit.WantFault(t, err, fault.Unavailable)
	_, err = s.As(s.admin).ProblemAsOf(ctx, id, snapshot.Log, AsOf{Revision: 3})
	kit.WantFault(t, err, fault.Unavailable)
	_, err = s.SetKeyword(ctx, s.admin, id, SetKeyword{Name: "y", Value: problem.Text("refused")})
	kit.WantFault(t, err, fault.Unavailable)
	_, err = s.As(s.admin).Problem(ctx, id, snapshot.Log) // which is read in portions
	kit.NoError(t, err)
	_, err = s.AddComment(ctx, s.admin, id, AddComment{Text: patch.Set("needs no part")})
	kit.NoError(t, err)
	_, err = s.SetKeyword(ctx, s.admin, small, SetKeyword{Name: "y", Value: problem.Text("stored")})
	kit.NoError(t, err)

	other.Close()
	a, err := s.As(s.admin).Problem(ctx, id, snapshot.Keywords|snapshot.Log)
	kit.NoError(t, err)
	kit.Equal(t, "keywords", len(a.Value.Keywords), 1)
	if held, _ := b.Held(); held < 32<<10 || held > 64<<10 {
		t.Errorf("%d bytes are held for one keyword", held)
	}
	past, err := s.As(s.admin).ProblemAsOf(ctx, id, snapshot.Log, AsOf{Revision: 3})
	kit.NoError(t, err)
	kit.Equal(t, "entries", len(past.Value.Log), 3)
	mine.Close()
	if held, _ := b.Held(); held != 0 {
		t.Errorf("%d bytes are held by nobody", held)
	}
}

// Two large problems are loaded for one write: what the first has reserved and not needed
// must not be given back before the second has what it needs, or both would be loaded
// again for ever.
func TestRoomForTwo(t *testing.T) {
	t.Parallel()
	s := newStocked()
	one, two := s.create(t, "T"), s.create(t, "T")
	s.large(t, one, 128<<10)
	s.large(t, two, 128<<10)
	b := budget.New(64 << 20)
	account := b.Open(nil)
	account.For(s.admin.User)
	ctx, cancel := context.WithTimeout(budget.With(t.Context(), account), time.Minute)
	defer cancel()
	_, err := s.AddRelationship(ctx, s.admin, one, relate(relationship.RelatedTo, two))
	kit.NoError(t, err)
	if held, _ := b.Held(); held > 8<<10 {
		t.Errorf("%d bytes are held for two problems without relationships", held)
	}
}
