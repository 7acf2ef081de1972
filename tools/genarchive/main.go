// Genarchive writes an archive of any size to standard output, to try "problems
// import" and the stores with: each problem has one comment, two keywords and the
// log entries of those. The same arguments give the same archive.
//
// In tools, which is outside of the workspace:
//
//	GOWORK=off go run ./genarchive -problems 1000000 | problems import
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("genarchive: ")
	problems := flag.Int64("problems", 10_000, "how many problems to write")
	flag.Parse()
	if flag.NArg() > 0 || *problems < 0 {
		flag.Usage()
		os.Exit(2)
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	if _, err := archive.Write(context.Background(), out, newTracker(problem.ID(*problems))); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// tracker is a store that is made up as it is read.
type tracker struct {
	problems problem.ID
	content  metadata.Content
	token    access.Token
	ids      ident.Sequence
}

// start is when the first problem was created; the others follow by the second.
var start = time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)

func newTracker(problems problem.ID) *tracker {
	t := &tracker{problems: problems, ids: ident.NewSequence(start, [10]byte{})}
	open := metadata.State{ID: t.ids.Next(), Name: "Open", Initial: true, Order: 1}
	done := metadata.State{ID: t.ids.Next(), Name: "Closed", Resolved: true, Order: 2, Next: []ident.ID{open.ID}}
	open.Next = []ident.ID{done.ID}
	t.content.States = []metadata.State{open, done}
	for order, name := range []string{"Urgent", "High", "Normal", "Low"} {
		t.content.Priorities = append(t.content.Priorities, metadata.Priority{ID: t.ids.Next(), Name: name, Order: order + 1})
	}
	for n := range 100 {
		name := "Administrator"
		email := "admin@localhost"
		if n > 0 {
			name = fmt.Sprintf("User %d", n)
			email = fmt.Sprintf("user%d@example.org", n)
		}
		t.content.Users = append(t.content.Users, user.User{ID: t.ids.Next(), Name: name, Email: email})
	}
	t.token = access.Token{ID: t.ids.Next(), User: t.content.Users[0].ID, Scope: access.Admin, Digest: sha256.Sum256(nil), Created: start}
	return t
}

// Catalogue implements transfer.Reader.
func (t *tracker) Catalogue(context.Context) (*metadata.Catalogue, error) {
	return metadata.NewCatalogue(1, t.content), nil
}

// Tokens implements transfer.Reader.
func (t *tracker) Tokens(context.Context) ([]access.Token, error) {
	return []access.Token{t.token}, nil
}

// Dossiers implements transfer.Reader.
func (t *tracker) Dossiers(_ context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	var all []store.Dossier
	for id := after + 1; id <= t.problems && len(all) < limit; id++ {
		all = append(all, t.dossier(id))
	}
	return all, nil
}

// dossier makes up a problem by its number: who has to do with it, and when.
func (t *tracker) dossier(id problem.ID) store.Dossier {
	author := t.content.Users[int(id)%len(t.content.Users)]
	assignee := t.content.Users[int(id/7)%len(t.content.Users)]
	priority := t.content.Priorities[int(id)%len(t.content.Priorities)]
	state := t.content.States[0]
	at := start.Add(time.Duration(id) * time.Second)
	p := problem.Problem{
		ID: id,
		Fields: problem.Fields{
			Title: fmt.Sprintf("Problem %d, as somebody would describe it in a line", id),
			State: state.ID, Priority: priority.ID, Assignee: assignee.ID,
		},
		Originator: author.ID, Created: at, Modifier: author.ID, Modified: at, Revision: 1,
	}
	d := store.Dossier{Watchers: []ident.ID{author.ID}, Readers: []ident.ID{author.ID}}
	record := func(entry problem.LogEntry) {
		entry.ID, entry.Batch, entry.Problem, entry.Author, entry.Created, entry.Revision = t.ids.Next(), t.ids.Next(), id, author.ID, p.Modified, p.Revision
		d.Log = append(d.Log, entry)
	}
	record(problem.LogEntry{Type: problem.ProblemCreated, To: problem.LogObject(
		problem.LogMember{Name: "title", Value: problem.LogText(p.Title)},
		problem.LogMember{Name: "state", Value: problem.LogRef(state.ID, state.Name)},
		problem.LogMember{Name: "priority", Value: problem.LogRef(priority.ID, priority.Name)},
		problem.LogMember{Name: "assignee", Value: problem.LogRef(assignee.ID, assignee.Name)},
	)})
	d.Savepoints = []store.Savepoint{{Batch: d.Log[0].Batch, Problem: p}}
	next := func() {
		p.Revision++
		p.Modified = p.Modified.Add(time.Minute)
	}
	next()
	comment := problem.Comment{ID: t.ids.Next(), Author: author.ID, Created: p.Modified,
		Text: fmt.Sprintf("What was found out about problem %d, in a sentence or two. It goes on for a while, as comments do.", id)}
	d.Comments = []problem.Comment{comment}
	record(problem.LogEntry{Type: problem.CommentAdded, Field: "comments", To: problem.LogText(comment.ID.String())})
	for _, k := range []problem.Keyword{
		{Name: "build", Value: problem.Text(fmt.Sprintf("1.%d", id%50))},
		{Name: "team", Value: problem.Text(fmt.Sprintf("team %d", id%20))},
	} {
		next()
		d.Keywords = append(d.Keywords, k)
		record(problem.LogEntry{Type: problem.KeywordSet, Field: k.Name, To: problem.LogText(k.Value.String)})
	}
	d.Problem = p
	return d
}
