package simulate

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// start is the common beginning of all runs: an administrator, a user and a priority for
// each client, and some problems.
type start struct {
	log        []entry
	admin      string   // the credential
	priorities []string // by client, the identifiers
}

// base returns the common beginning of all runs. It is made once.
var base = sync.OnceValue(func() start {
	inner, err := memory.Open(context.Background(), memory.Options{})
	if err != nil {
		panic(err)
	}
	recorded := &recorder{Store: inner}
	// The bubbles' time begins with this century.
	now := time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)
	var random io.Reader = rand.NewChaCha8([32]byte{})
	s := usecases.New(tracker.Options{Store: recorded, Now: func() time.Time { return now }, Random: random, Limits: tracker.DefaultLimits()}, nil)
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			panic("simulate: no base: " + err.Error())
		}
	}
	secret := access.NewSecret([32]byte{1})
	_, err = s.Seed(ctx, secret)
	must(err)
	caller, err := s.Authenticate(ctx, secret)
	must(err)
	b := start{admin: secret.Reveal()}
	for i := range clientsMost {
		user := admin.UserPatch{Name: patch.Set(fmt.Sprintf("Client %d", i)), Email: patch.Set(userOf(i))}
		_, err := s.Users().Create(ctx, caller, admin.CreateObject[admin.UserPatch]{Patch: user})
		must(err)
		p, err := s.Priorities().Create(ctx, caller, admin.CreateObject[admin.PriorityPatch]{Patch: admin.PriorityPatch{Name: patch.Set(fmt.Sprintf("Priority of %d", i))}})
		must(err)
		b.priorities = append(b.priorities, p.Value.ID.String())
	}
	for i := range problems {
		_, err := s.CreateProblem(ctx, caller, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(firstTitle(i))}})
		must(err)
	}
	b.log = recorded.log
	return b
})

// userOf returns the e-mail address of a client's user.
func userOf(client int) string { return fmt.Sprintf("client-%d@example.org", client) }

// firstTitle returns the title of a problem at the start.
func firstTitle(i int) string { return fmt.Sprintf("first-%d.", i) }

// recorder is a store with a log of its Commits.
type recorder struct {
	store.Store
	log []entry
}

// Commit implements store.Store.
func (r *recorder) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	receipt, err := r.Store.Commit(ctx, change)
	if err == nil {
		r.log = append(r.log, entry{change: change})
	}
	return receipt, err
}
