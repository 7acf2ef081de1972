package expected

import (
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/user"
)

var (
	ann, bob       = ident.ID{15: 1}, ident.ID{15: 2}
	created        = ident.ID{15: 11} // an entry
	changed        = ident.ID{15: 12} // another
	batch, another = ident.ID{15: 21}, ident.ID{15: 22}
	noon           = time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)
	hourAgo        = noon.Add(-time.Hour)
)

var catalogue = metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{Users: []user.User{
	{ID: ann, Name: "Ann", Email: "ann@example.org"},
	{ID: bob, Name: "Bob", Email: "bob@example.org"},
}})

// newSnapshot returns a resolved problem.
func newSnapshot() snapshot.Snapshot {
	return snapshot.Snapshot{
		Problem: problem.Problem{
			ID: 7, Originator: ann, Created: hourAgo, Modifier: ann, Modified: noon,
			Resolver: bob, Resolved: noon, Revision: 3,
		},
		Watching: true,
		Keywords: []problem.Keyword{{Name: "café", Value: problem.Text("é")}, {Name: "build"}},
		Log: []problem.LogEntry{
			{ID: created, Type: problem.ProblemCreated, Created: hourAgo, Author: ann, Batch: batch, To: `{"title":"T","order":1}`},
			{ID: changed, Type: problem.FieldChanged, Created: noon, Author: ann, Batch: another, Field: "title", From: `"T"`, To: `"U"`},
		},
	}
}

func by(member, value string) Value[metadata.Partial] {
	return Of[metadata.Partial](metadata.Members{member: metadata.Text(value)})
}

// D11: members that only the service writes are ignored, but not in silence: those that are
// not as the problem has them are named.
func TestIgnored(t *testing.T) {
	t.Parallel()
	abroad := time.FixedZone("", 3600)
	entry := func(change func(*Entry)) Value[[]Entry] {
		e := Entry{
			ID: created, Type: Of(problem.ProblemCreated), Created: Of(hourAgo), Author: by("identifier", ann.String()), Batch: Of(batch),
			Significant: Of(true), Field: Null[string](), From: Null[problem.LogValue](), To: Of(problem.LogValue(`{"order":1,"title":"T"}`)),
		}
		change(&e)
		return Of([]Entry{e})
	}
	decomposed := problem.Keyword{Name: "cafe\u0301", Value: problem.Text("e\u0301")}
	for _, c := range []struct {
		rule string
		sent Problem
		want string // the ignored member
	}{
		{"nothing", Problem{}, ""},
		{"null is nothing", Problem{Watching: Null[bool]()}, ""},
		{"watching", Problem{Watching: Of(true)}, ""},
		{"not watching", Problem{Watching: Of(false)}, "watching"},
		{"watching, of another type", Problem{Watching: Other[bool]()}, "watching"},
		{"read by the assignee", Problem{ReadByAssignee: Of(true)}, "readByAssignee"},
		{"not read by the assignee", Problem{ReadByAssignee: Of(false)}, ""},
		{"the modifier, renamed since", Problem{Modifier: Of[metadata.Partial](metadata.Members{"identifier": metadata.Text(ann.String()), "name": metadata.Text("Anna")})}, ""},
		{"another modifier", Problem{Modifier: by("identifier", bob.String())}, "modifier"},
		{"the time of the latest change", Problem{Modified: Of(noon.In(abroad))}, ""},
		{"another time", Problem{Modified: Of(noon.Add(time.Millisecond))}, "modificationDate"},
		{"the identifier", Problem{Identifier: Of[problem.ID](7)}, ""},
		{"another identifier", Problem{Identifier: Of[problem.ID](8)}, "identifier"},
		{"the revision", Problem{Revision: Of[int64](3)}, ""},
		{"another revision", Problem{Revision: Of[int64](4)}, "revision"},
		{"the originator", Problem{Originator: by("email", "ann@example.org")}, ""},
		{"another originator", Problem{Originator: by("email", "bob@example.org")}, "originator"},
		{"an originator that is nobody", Problem{Originator: by("name", "Zoe")}, "originator"},
		{"the creation date", Problem{Created: Of(hourAgo)}, ""},
		{"another creation date", Problem{Created: Of(noon)}, "creationDate"},
		{"the resolver", Problem{Resolver: by("name", "Bob")}, ""},
		{"the resolve date", Problem{Resolved: Of(noon)}, ""},
		{"the keywords in another order, decomposed", Problem{Keywords: Of([]problem.Keyword{{Name: "build"}, decomposed})}, ""},
		{"a keyword twice instead of another", Problem{Keywords: Of([]problem.Keyword{decomposed, decomposed})}, "keywords"},
		{"a keyword less", Problem{Keywords: Of([]problem.Keyword{decomposed})}, "keywords"},
		{"an empty log", Problem{Log: Of([]Entry{})}, ""},
		{"a part of the log", Problem{Log: Of([]Entry{{ID: changed, Field: Of("title"), From: Of(problem.LogValue(`"T"`))}})}, ""},
		{"an entry", Problem{Log: entry(func(*Entry) {})}, ""},
		{"an unknown entry", Problem{Log: entry(func(e *Entry) { e.ID = batch })}, "logs"},
		{"an entry with another author", Problem{Log: entry(func(e *Entry) { e.Author = by("identifier", bob.String()) })}, "logs"},
		{"an entry of another type", Problem{Log: entry(func(e *Entry) { e.Type = Of(problem.CommentAdded) })}, "logs"},
		{"an entry of another time", Problem{Log: entry(func(e *Entry) { e.Created = Of(noon) })}, "logs"},
		{"an entry of another batch", Problem{Log: entry(func(e *Entry) { e.Batch = Of(another) })}, "logs"},
		{"an entry of another weight", Problem{Log: entry(func(e *Entry) { e.Significant = Of(false) })}, "logs"},
		{"an entry about a field", Problem{Log: entry(func(e *Entry) { e.Field = Of("title") })}, "logs"},
		{"an entry that came from something", Problem{Log: entry(func(e *Entry) { e.From = Of(problem.LogValue(`"x"`)) })}, "logs"},
		{"an entry that led to something else", Problem{Log: entry(func(e *Entry) { e.To = Of(problem.LogValue(`{"order":2,"title":"T"}`)) })}, "logs"},
		{"a log that is none", Problem{Log: Other[[]Entry]()}, "logs"},
	} {
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if got := c.sent.All(newSnapshot(), catalogue).Ignored(); !slices.Equal(got, want) {
			t.Errorf("%s: ignored are %q, want %q", c.rule, got, want)
		}
	}
	several := Problem{Watching: Of(false), Log: Other[[]Entry](), Modifier: Other[metadata.Partial](), Revision: Null[int64](), Identifier: Of[problem.ID](7)}
	if got, want := several.All(newSnapshot(), catalogue).Ignored(), []string{"logs", "modifier", "watching"}; !slices.Equal(got, want) {
		t.Errorf("several: ignored are %q, want %q, sorted", got, want)
	}
}

// A null is refused where the member has a value, although it is never named as ignored. The
// members that change by themselves do not count.
func TestRefuse(t *testing.T) {
	t.Parallel()
	var faults fault.List
	Problem{Created: Null[time.Time](), Resolved: Of(noon), Revision: Of[int64](9)}.Binding(newSnapshot(), catalogue).Refuse(&faults)
	if len(faults) != 1 || !faults.Covers(fault.At("creationDate")) {
		t.Errorf("faults: %v", faults)
	}
}

// A kind without a member has no value that equals one.
func TestObject(t *testing.T) {
	t.Parallel()
	sent := Object{Identifier: Of(ann), FullName: Of("cafe\u0301"), Created: Of(noon)}
	if got := sent.All(ann, "café", noon).Ignored(); got != nil {
		t.Errorf("equal members: ignored are %q", got)
	}
	sent.FullName = Of("")
	if got, want := sent.All(bob, "", time.Time{}).Ignored(), []string{"creationDate", "fullName", "identifier"}; !slices.Equal(got, want) {
		t.Errorf("a kind without members: ignored are %q, want %q", got, want)
	}
}
