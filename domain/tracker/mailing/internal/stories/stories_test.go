package stories

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

var (
	open     = ident.ID{15: 1}
	ann, bob = user.User{ID: ident.ID{15: 2}, Name: "Ann"}, user.User{ID: ident.ID{15: 3}, Name: "Bob"}
)

var catalogue = metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{
	States: []metadata.State{{ID: open, Name: "Open"}}, Users: []user.User{ann, bob},
})

// dossier is a reader of one problem. Each read returns two entries or comments at most.
type dossier struct {
	store.Reader
	log      []problem.LogEntry
	comments []problem.Comment
	reads    *int // comments read; nil: they are not counted
}

func (d dossier) Problem(_ context.Context, id problem.ID, _ ident.ID, _ snapshot.Parts) (snapshot.Snapshot, error) {
	if id != 7 {
		return snapshot.Snapshot{}, fault.New(fault.ProblemNotFound, "none")
	}
	return snapshot.Snapshot{Problem: problem.Problem{ID: id, Fields: problem.Fields{Title: "Lamp", State: open}, Revision: int64(len(d.log))}}, nil
}

func (d dossier) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) (all []snapshot.Snapshot, err error) {
	for _, id := range ids {
		if s, err := d.Problem(ctx, id, as, parts); err == nil {
			all = append(all, s)
		}
	}
	return all, nil
}

func (d dossier) Log(_ context.Context, _ problem.ID, skip, _ int, _ int64) ([]problem.LogEntry, error) {
	return two(d.log, skip), nil
}

func (d dossier) Comments(_ context.Context, _ problem.ID, skip, _ int, _ int64) ([]problem.Comment, error) {
	part := two(d.comments, skip)
	if d.reads != nil {
		*d.reads += len(part)
	}
	return part, nil
}

func two[T any](all []T, skip int) []T {
	rest := all[min(max(skip, 0), len(all)):]
	return rest[:min(2, len(rest))]
}

// A story has the significant changes of others between two revisions, and the texts of
// comments.
func TestOf(t *testing.T) {
	t.Parallel()
	said, gone := problem.Comment{ID: ident.ID{15: 9}, Text: "It is dark"}, problem.Comment{ID: ident.ID{15: 10}, Deleted: true}
	entry := func(revision int64, of problem.LogType, by user.User, to problem.LogValue) problem.LogEntry {
		return problem.LogEntry{ID: ident.ID{14: byte(revision)}, Revision: revision, Type: of, Author: by.ID, Field: "x", To: to}
	}
	d := dossier{
		log: []problem.LogEntry{
			entry(1, problem.ProblemCreated, bob, ""),
			entry(2, problem.FieldChanged, bob, problem.LogText("a")),
			entry(3, problem.FieldChanged, ann, problem.LogText("b")),
			entry(4, problem.WatcherAdded, bob, ""),
			entry(5, problem.CommentAdded, bob, problem.LogText(said.ID.String())),
			entry(6, problem.FieldChanged, bob, problem.LogText("c")),
			entry(7, problem.CommentEdited, bob, problem.LogText(said.ID.String())),
			entry(8, problem.CommentAdded, bob, problem.LogText(gone.ID.String())),
			entry(9, problem.CommentDeleted, bob, ""),
		},
		comments: []problem.Comment{{ID: ident.ID{15: 8}}, {ID: ident.ID{15: 7}}, said, gone},
	}
	for _, c := range []struct {
		rule string
		log  []problem.LogEntry
		item mail.Item
		want string
	}{
		{"some revisions", d.log, mail.Item{Problem: 7, From: 2, Through: 5}, `7 Lamp Open [2 Bob "a"][5 Bob It is dark]`},
		{"an imported log without the first revisions", d.log[4:], mail.Item{Problem: 7, From: 5, Through: 9}, `7 Lamp Open [5 Bob It is dark][6 Bob "c"]`},
		{"no correction of a comment, and no deleted one (D44)", d.log, mail.Item{Problem: 7, From: 7, Through: 9}, "7 Lamp Open "},
		{"revisions of the user alone", d.log, mail.Item{Problem: 7, From: 3, Through: 3}, "7 Lamp Open "},
		{"a missing problem", d.log, mail.Item{Problem: 8, From: 1, Through: 9}, "0   "},
	} {
		s, err := Of(t.Context(), dossier{log: c.log, comments: d.comments}, catalogue, ann, c.item)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d %s %s ", s.Problem, s.Title, s.State)
		for _, e := range s.Entries {
			what := e.Comment
			if e.Type != problem.CommentAdded {
				what = string(e.To)
			}
			got += fmt.Sprintf("[%d %s %s]", e.ID[14], e.Author, what)
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.rule, got, c.want)
		}
	}
}

// A problem can have many comments. A letter reads those that it tells of, and few others.
func TestOfReadsFewComments(t *testing.T) {
	t.Parallel()
	const all = 2000
	reads := 0
	d := dossier{reads: &reads}
	for n := range all {
		id, at := ident.ID{13: 1, 14: byte(n >> 8), 15: byte(n)}, time.UnixMilli(int64(n)).UTC()
		d.comments = append(d.comments, problem.Comment{ID: id, Created: at, Text: fmt.Sprint(n)})
		d.log = append(d.log, problem.LogEntry{ID: id, Revision: int64(n + 1), Created: at, Type: problem.CommentAdded, Author: bob.ID, To: problem.LogText(id.String())})
	}
	for _, c := range []struct{ from, through, left, most int }{
		{all, all, 0, 50}, {1001, 1002, 0, 50}, {1, 1, 0, 50}, {1, all, all - mail.MostEntries, 150},
	} {
		reads = 0
		s, err := Of(t.Context(), d, catalogue, ann, mail.Item{Problem: 7, From: int64(c.from), Through: int64(c.through)})
		if err != nil || s.Left != c.left || len(s.Entries) != c.through-c.from+1-c.left {
			t.Fatalf("%d to %d: %d entries and %d left, %v", c.from, c.through, len(s.Entries), s.Left, err)
		}
		for i, e := range s.Entries {
			if want := fmt.Sprint(c.from - 1 + c.left + i); e.Comment != want {
				t.Errorf("%d to %d: a comment is %q, want %q", c.from, c.through, e.Comment, want)
			}
		}
		if reads > c.most {
			t.Errorf("%d to %d: %d comments are read", c.from, c.through, reads)
		}
	}
}

// A digest has the headings of the problems that are there, each once. It counts the others.
func TestDigest(t *testing.T) {
	t.Parallel()
	all, left, err := Digest(t.Context(), dossier{}, catalogue, []mail.Item{{Problem: 8}, {Problem: 7, Through: 3}, {Problem: 7, From: 4}})
	if err != nil || len(all) != 1 || left != 1 || all[0].Problem != 7 || all[0].Title != "Lamp" || all[0].State != "Open" {
		t.Errorf("got %+v and %d (%v)", all, left, err)
	}
}
