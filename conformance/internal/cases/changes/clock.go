package changes

import (
	"fmt"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Clock returns the cases about clocks that step back, and about times before 1970.
func Clock() []bench.Case {
	return []bench.Case{{
		ID:   "COM-003/clock-back",
		Rule: "A Change counts by its Commit, not by its time: it also replaces values with later times.",
		Run:  clockBack,
	}, {
		ID:   "COM-004/clock-back",
		Rule: "Concurrent writers of one problem never overwrite each other, even if their clocks step back.",
		Run:  writersClockBack,
	}, {
		ID:   "READ-013/before-1970",
		Rule: "Oldest and Expire compare times before 1970 like all others.",
		Run:  before1970,
	}}
}

// clockBack replaces everything that can be replaced, each time an hour earlier.
func clockBack(b *bench.Bench) {
	p := b.Create()
	objects, token, saved, who := b.Objects(), b.Token(), b.Query(b.ID()), b.ID()
	now := b.Now()
	for step := range 6 {
		at := now.Add(-time.Duration(step) * time.Hour)
		text, on := fmt.Sprintf("Step %d", step), step%2 == 0
		p.Title, p.Modified, p.Revision = text, at, p.Revision+1
		objects.States[0].Name, objects.Users[0].Name, objects.Milestones[0].Created = text, text, at
		token.Created, token.Expires, token.Scope = at, at, []access.Scope{access.Read, access.Admin}[step%2]
		saved.Name, saved.Created = text, at
		change := b.Change(
			store.UpdateProblem{Problem: p},
			store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "step", Value: problem.Text(text)}},
			store.PutState{State: objects.States[0]}, store.PutUser{User: objects.Users[0]}, store.PutMilestone{Milestone: objects.Milestones[0]},
			store.PutToken{Token: token}, store.PutQuery{Query: saved},
			store.MarkRead{Problem: p.ID, User: who, Read: on},
		)
		if on {
			change.Effects = append(change.Effects, store.Watch{Problem: p.ID, User: who})
		} else {
			change.Effects = append(change.Effects, store.Unwatch{Problem: p.ID, User: who})
		}
		change.At = at
		b.Commit(change)
		s := b.LoadAs(p.ID, who, snapshot.Keywords)
		b.Equal("the problem after "+text, p, s.Problem)
		b.Equal("the list of keywords after "+text, []problem.Keyword{{Name: "step", Value: problem.Text(text)}}, s.Keywords)
		b.Equal("whether the user watches after "+text, on, s.Watching)
		b.Equal("whether the user has read after "+text, on, s.Read)
		seen := b.Image()
		b.Equal("the list of states after "+text, objects.States, seen.Content.States)
		b.Equal("the list of users after "+text, objects.Users, seen.Content.Users)
		b.Equal("the list of milestones after "+text, objects.Milestones, seen.Content.Milestones)
		b.Equal("the list of tokens after "+text, []access.Token{token}, seen.Tokens)
		b.Equal("the saved query after "+text, saved, seen.Queries[0])
	}
}

// writersClockBack has each writer set the time of the problem back by an hour.
func writersClockBack(b *bench.Bench) {
	const rounds = 10
	p := b.Create()
	b.Together(bench.Writers, func(int) error {
		for range rounds {
			if err := stepBack(b, p.ID); err != nil {
				return err
			}
		}
		return nil
	})
	got := b.Load(p.ID, 0)
	p.Revision += bench.Writers * rounds
	p.Modified = p.Modified.Add(-bench.Writers * rounds * time.Hour)
	b.Equal("the problem after all steps", p, got.Problem)
}

// stepBack raises the revision of a problem by one and sets its time back by an hour. On
// a conflict it tries again.
func stepBack(b *bench.Bench, id problem.ID) error {
	for {
		if err := b.Going(); err != nil {
			return err
		}
		var s snapshot.Snapshot
		if err := b.Store.View(b.Ctx, func(r store.Reader) (err error) {
			s, err = r.Problem(b.Ctx, id, ident.None, 0)
			return err
		}); err != nil {
			return fmt.Errorf("View: %w", err)
		}
		next := s.Problem
		next.Revision++
		next.Modified = next.Modified.Add(-time.Hour)
		change := b.Change(store.UpdateProblem{Problem: next})
		change.At = next.Modified
		change.Expect = []store.Expectation{store.ProblemAt{ID: id, Revision: s.Revision, Batch: s.Batch}}
		_, err := b.Store.Commit(b.Ctx, change)
		if err == nil {
			return nil
		}
		if err := bench.Failure("Commit", fault.Conflict, err); err != nil {
			return err
		}
	}
}

// before1970 has a ruling, a batch and a reply on each side of 1970.
func before1970(b *bench.Bench) {
	p, epoch := b.Create(), time.Unix(0, 0).UTC()
	b.Do(store.Expire{Before: b.Now()}) // the batch of the problem
	times := []time.Time{
		time.Date(1, time.January, 1, 0, 0, 0, 1e6, time.UTC),
		time.Date(1901, time.December, 13, 20, 45, 51, 999e6, time.UTC), // before the range of 32 bits
		epoch.Add(-24 * time.Hour), epoch.Add(-time.Millisecond), epoch, epoch.Add(time.Millisecond), epoch.Add(24 * time.Hour),
	}
	who := b.ID()
	var batches []store.Change
	ruled := make([]ident.ID, len(times))
	for i := range times {
		// Neither rising nor falling, so that the order of writing says nothing.
		i := (i*3 + 2) % len(times)
		change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("once")},
			store.KeepReply{Reply: store.Reply{User: who, Key: times[i].String(), Created: times[i], Body: []byte("body")}})
		change.At = times[i]
		b.Commit(change)
		batches = append(batches, change)
		ruled[i] = b.ID()
		_, _, err := b.Store.Outcome(b.Ctx, ruled[i], times[i])
		b.Must("Outcome", err)
	}
	for i, at := range times {
		b.Do(store.Expire{Before: at})
		shown, ok := steps.Oldest(b)
		b.Equal("whether there is an oldest", true, ok)
		b.Equal(fmt.Sprintf("the time of the oldest after an Expire from before %s", at), at, shown)
		for j, other := range times {
			_, there := b.Image().Replies[bench.ReplyKey{User: who, Key: other.String()}]
			b.Equal(fmt.Sprintf("whether there is the reply of %s after an Expire from before %s", other, at), j >= i, there)
		}
		for _, change := range batches {
			if !change.At.Before(at) {
				before := len(b.Load(p.ID, snapshot.Comments).Comments)
				b.Commit(change)
				b.Equal("the number of comments after a batch that is not forgotten came again", before, len(b.Load(p.ID, snapshot.Comments).Comments))
			}
		}
		never := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("never")})
		never.Batch = ruled[i]
		b.Refuse("a batch that was ruled out", fault.Abandoned, never)
	}
	b.Do(store.Expire{Before: epoch.Add(48 * time.Hour)})
	before := len(b.Load(p.ID, snapshot.Comments).Comments)
	b.Commit(batches[0])
	b.Equal("the number of comments after a forgotten batch came again", before+1, len(b.Load(p.ID, snapshot.Comments).Comments))
}
