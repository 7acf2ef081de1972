package archive_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/column"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// What is read is what stands there, to the byte: the values are those of body.
func TestReadValues(t *testing.T) {
	t.Parallel()
	w, err := load(whole(body, 8))
	if err != nil {
		t.Fatal(err)
	}
	d := w.dossiers[0]
	for what, c := range map[string]struct{ got, want any }{
		"order":         {w.Metadata.States[1].Order, -2},
		"name":          {w.Metadata.Classifications[0].Name, `Bug "soft\hard" <é> 😀`},
		"creation date": {w.Metadata.Milestones[0].Created, time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)},
		"start date":    {w.Metadata.Milestones[0].Start, time.Time{}},
		"hash":          {w.Archive.Tokens[0].Digest[31], byte(0xff)},
		"number":        {d.ID, problem.ID(3)},
		"comment":       {d.Comments[0].Text, "It\twas\r\nthe fuse. \""},
		"no HTML":       {d.Comments[0].HTML, problem.NullText{}},
		"HTML":          {d.Comments[1].HTML, problem.Text("<b>")},
		"no value":      {d.Keywords[0].Value, problem.NullText{}},
		"empty value":   {d.Keywords[1].Value, problem.Text("")},
		"log value":     {d.Log[1].To, problem.LogValue(`{"problemIdentifier":7}`)},
		"no log value":  {d.Log[1].From, problem.LogValue("")},
		"parts":         {[4]int{len(d.Savepoints), len(d.Relationships), len(d.Watchers), len(d.Readers)}, [4]int{1, 1, 1, 1}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", what, c.got, c.want)
		}
	}
}

func TestWriteIsCanonical(t *testing.T) {
	t.Parallel()
	w, err := load(whole(body, 8))
	if err != nil {
		t.Fatal(err)
	}
	got := w.text(t)
	if want := canonical(); got != want {
		t.Errorf("written:\n%s\nwant:\n%s", got, want)
	}
	for line := range strings.Lines(got) {
		v := jsontext.Value(strings.TrimSuffix(line, "\n"))
		if err := v.Canonicalize(); err != nil || string(v)+"\n" != line {
			t.Errorf("in canonical form it is %s: %s (%v)", v, line, err)
		}
	}
}

// Saved queries and the audit log come out as they went in.
func TestUse(t *testing.T) {
	t.Parallel()
	lines := inUse()
	lines[20] = strings.Replace(lines[20], `\u0022`, `\"`, 1)
	want := whole(lines, 8)
	w, err := load(want)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct{ got, want any }{
		"predicate": {w.Archive.Queries[0].Predicate, "title CONTAINS 'é'\n"},
		"order":     {w.Archive.Queries[0].Sort, "-identifier"},
		"no order":  {w.Archive.Queries[1].Sort, ""},
		"columns":   {w.Archive.Queries[0].Columns, column.List("due,state")},
		"shared":    {w.Archive.Queries[0].Shared, true},
		"author":    {w.Archive.Audit[0].Author, ident.None},
		"object":    {w.Archive.Audit[0].To, problem.LogValue(`{"name":"Beta","component":{"identifier":"01900000-0000-7000-8000-000000000031","name":"Engine"}}`)},
		"number":    {w.Archive.Audit[1].From, problem.LogValue("-1")},
		"kind":      {w.Archive.Audit[2].Kind, audit.Token},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", what, c.got, c.want)
		}
	}
	if got := w.text(t); got != want {
		t.Errorf("written:\n%s\nwant:\n%s", got, want)
	}
}

// The feed keeps its numbers, and the values of its lines byte for byte.
func TestReadFeed(t *testing.T) {
	t.Parallel()
	w, err := load(whole(inUse(), 8))
	if err != nil {
		t.Fatal(err)
	}
	if len(w.feed) != 3 || w.feed[0].Number != 41 || w.feed[2].Number != 43 || len(w.feed[1].Events) != 2 {
		t.Fatalf("the feed is %+v, want the entries 41, 42 with two events, and 43", w.feed)
	}
	lamp := w.feed[1].Events[0]
	if lamp.Type != event.ProblemChanged || lamp.Problem != 3 || lamp.Title != "Leak" || lamp.Revision != 2 || len(lamp.Lines) != 2 || lamp.Lines[1].From != `"é"` {
		t.Errorf("the first event of entry 42 is %+v", lamp)
	}
}

// An archive without problems can have a feed.
func TestReadFeedWithoutProblems(t *testing.T) {
	t.Parallel()
	text := whole(slices.Concat(body[:11], []string{events[0]}), 1)
	w, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.dossiers) != 0 || len(w.feed) != 1 || w.feed[0].Number != 41 {
		t.Errorf("read %d problems and the feed %+v, want none and entry 41", len(w.dossiers), w.feed)
	}
	if got := w.text(t); got != text {
		t.Errorf("written:\n%s\nwant:\n%s", got, text)
	}
}

func TestWriteNothing(t *testing.T) {
	t.Parallel()
	got := world{}.text(t)
	if want := whole([]string{`{"catalogueVersion":0,"kind":"header","version":10}`}, 1); got != want {
		t.Errorf("written:\n%s\nwant:\n%s", got, want)
	}
	if _, err := load(got); err != nil {
		t.Error(err)
	}
}

// Others need not write canonical form.
func TestReadTakesAnyForm(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSuffix(canonical(), "\n"), "\n")
	loose := append([]string(nil), body...)
	loose[0] = ` { "version" : 10 , "\u006bind" : "header", "catalogueVersion" :6} `
	loose[17] = `{"value":null,"problem":3,"name":"f\u006coor ","kind":"keyword"}`
	w, err := load(whole(loose, 8))
	if err != nil {
		t.Fatal(err)
	}
	if got := w.text(t); got != strings.Join(lines, "\n")+"\n" {
		t.Errorf("written again:\n%s", got)
	}
}

func TestWriteRefusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := problem.Problem{ID: 1 << 53}
	for want, d := range map[string]store.Dossier{
		"/identifier: 9007199254740992 is beyond the integers": {Problem: p},
		"has at most 67108864 bytes":                           {Problem: problem.Problem{ID: 1}, Comments: []problem.Comment{{Text: strings.Repeat("x", 64<<20)}}},
	} {
		_, err := archive.Write(t.Context(), io.Discard, world{dossiers: []store.Dossier{d}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

func TestErrorsOfReadersAndWriters(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	source := archive.NewReader(io.MultiReader(strings.NewReader(body[0]+"\n"), iotest.ErrReader(broken)))
	if _, err := transfer.Load(source, ident.None); !errors.Is(err, broken) {
		t.Errorf("a broken source: %v", err)
	}
	r, w := io.Pipe()
	if err := r.CloseWithError(broken); err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Write(context.Background(), w, world{}); !errors.Is(err, broken) {
		t.Errorf("a broken target: %v", err)
	}
}
