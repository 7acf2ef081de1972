// Genarchive writes an archive of any size to standard output, to try "problems
// import", the stores and searches with: each problem has one comment, two keywords
// and the log entries of those; four of five are closed, one of five is planned for
// a milestone, one of ten is blocked by the one before it, one of twenty has a title
// in another script. The same arguments give the same archive.
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
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
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

// tracker is a store that is made up as it is read, from its first problem to its
// last.
type tracker struct {
	problems problem.ID
	content  metadata.Content
	token    access.Token
	ids      ident.Sequence
	blocking ident.ID // the batch that relates the latest problem to the next one
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
	for n := range 10 {
		t.content.Components = append(t.content.Components, metadata.Component{ID: t.ids.Next(), Name: fmt.Sprintf("Component %d", n)})
	}
	for n := range 50 {
		name := "Next"
		if n > 0 {
			name = fmt.Sprintf("Milestone %d", n)
		}
		t.content.Milestones = append(t.content.Milestones, metadata.Milestone{ID: t.ids.Next(), Name: name, Created: start})
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

// SavedQueries implements transfer.Reader.
func (t *tracker) SavedQueries(context.Context, ident.ID) ([]query.Saved, error) { return nil, nil }

// Audit implements transfer.Reader.
func (t *tracker) Audit(context.Context, int, int) ([]audit.Entry, error) { return nil, nil }

// Dossiers implements transfer.Reader.
func (t *tracker) Dossiers(_ context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	var all []store.Dossier
	for id := after + 1; id <= t.problems && len(all) < limit; id++ {
		all = append(all, t.dossier(id))
	}
	return all, nil
}
