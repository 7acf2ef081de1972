package postgres_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// scene is what a store shows at one moment of the problems from one number on, and
// of everything that is not a problem's.
type scene struct {
	problems  []store.Dossier
	batches   map[problem.ID]ident.ID // of the problems' revisions
	catalogue *metadata.Catalogue
	tokens    []access.Token
	versions  store.Versions
	reply     *store.Reply // of the key that was asked for
}

// look returns the scene of the problems from first on.
func look(ctx context.Context, s store.Store, first problem.ID, key replyKey) (seen scene, err error) {
	seen.batches = make(map[problem.ID]ident.ID)
	err = s.View(ctx, func(r store.Reader) (err error) {
		const most = 1000
		if seen.problems, err = r.Dossiers(ctx, first-1, most); err != nil {
			return err
		}
		ids := make([]problem.ID, len(seen.problems))
		for i, d := range seen.problems {
			ids[i] = d.ID
		}
		revisions, err := r.Problems(ctx, ids, ident.None, 0)
		if err != nil {
			return err
		}
		for _, s := range revisions {
			seen.batches[s.ID] = s.Batch
		}
		if seen.catalogue, err = r.Catalogue(ctx); err != nil {
			return err
		}
		if seen.tokens, err = r.Tokens(ctx); err != nil {
			return err
		}
		if seen.versions, err = r.Versions(ctx); err != nil {
			return err
		}
		reply, ok, err := r.Reply(ctx, key.user, key.key)
		if ok {
			seen.reply = &reply
		}
		return err
	})
	return seen, err
}

type replyKey struct {
	user ident.ID
	key  string
}

// at returns the expectation that a problem is as it was shown.
func (s scene) at(id problem.ID) store.ProblemAt {
	return store.ProblemAt{ID: id, Revision: s.problem(id).Revision, Batch: s.batches[id]}
}

func (s scene) problem(id problem.ID) store.Dossier {
	for _, d := range s.problems {
		if d.ID == id {
			return d
		}
	}
	return store.Dossier{}
}

// rows is how much there is of what is only ever added.
func (s scene) rows() (n int) {
	for _, d := range s.problems {
		n += 1 + len(d.Log) + len(d.Comments) + len(d.Savepoints)
	}
	return n
}

// additions is by how much the Change raises rows.
func additions(change store.Change) int {
	n := len(change.Log)
	for _, effect := range change.Effects {
		switch effect.(type) {
		case store.CreateProblem, store.AddComment, store.PutSavepoint:
			n++
		}
	}
	return n
}

// times returns how many times the scene shows each part of the Change, which came
// after the scene before. Before it was made, each was there 0 times.
func (s scene) times(change store.Change, before scene) []int {
	var all []int
	for _, effect := range change.Effects {
		all = append(all, s.timesOf(effect, change.Batch, before))
	}
	for _, entry := range change.Log {
		all = append(all, count(s.problem(entry.Problem).Log, func(e problem.LogEntry) bool { return e.ID == entry.ID }))
	}
	catalogue, access := change.Raises()
	if catalogue {
		all = append(all, raised(s.versions.Catalogue, before.versions.Catalogue, change.Batch))
	}
	if access {
		all = append(all, raised(s.versions.Access, before.versions.Access, change.Batch))
	}
	return all
}

func (s scene) timesOf(effect store.Effect, batch ident.ID, before scene) int {
	switch e := effect.(type) {
	case store.CreateProblem:
		return count(s.problems, func(d store.Dossier) bool { return d.ID == e.Problem.ID })
	case store.UpdateProblem:
		return once(s.problem(e.Problem.ID).Problem == e.Problem && s.batches[e.Problem.ID] == batch)
	case store.PutSavepoint:
		return count(s.problem(e.Problem.ID).Savepoints, func(p snapshot.Savepoint) bool { return p.Batch == batch && p.Problem == e.Problem })
	case store.AddComment:
		return count(s.problem(e.Problem).Comments, func(c problem.Comment) bool { return c.ID == e.Comment.ID })
	case store.PutKeyword:
		return count(s.problem(e.Problem).Keywords, func(k problem.Keyword) bool { return k == e.Keyword })
	case store.DropKeyword:
		return once(!slices.ContainsFunc(s.problem(e.Problem).Keywords, func(k problem.Keyword) bool { return k.Name == e.Name }))
	case store.PutRelationship:
		return count(s.problem(e.Relationship.Owner).Relationships, func(r relationship.Relationship) bool { return r == e.Relationship })
	case store.DropRelationship:
		return once(!slices.ContainsFunc(s.problem(e.Owner).Relationships, func(r relationship.Relationship) bool { return r.Type == e.Type && r.Other == e.Other }))
	case store.Watch:
		return count(s.problem(e.Problem).Watchers, func(id ident.ID) bool { return id == e.User })
	case store.Unwatch:
		return once(!slices.Contains(s.problem(e.Problem).Watchers, e.User))
	case store.MarkRead:
		return once(slices.Contains(s.problem(e.Problem).Readers, e.User) == e.Read)
	case store.ForgetReads:
		return once(!slices.ContainsFunc(s.problem(e.Problem).Readers, func(id ident.ID) bool { return id != e.But }))
	case store.PutState:
		state, _ := s.catalogue.State(e.State.ID)
		return once(state.Name == e.State.Name && slices.Equal(state.Next, e.State.Next))
	case store.PutPriority:
		priority, _ := s.catalogue.Priority(e.Priority.ID)
		return once(priority == e.Priority)
	case store.PutClassification:
		classification, _ := s.catalogue.Classification(e.Classification.ID)
		return once(classification == e.Classification)
	case store.PutComponent:
		component, _ := s.catalogue.Component(e.Component.ID)
		return once(component == e.Component)
	case store.PutMilestone:
		milestone, _ := s.catalogue.Milestone(e.Milestone.ID)
		return once(milestone == e.Milestone)
	case store.PutUser:
		user, _ := s.catalogue.User(e.User.ID)
		return once(user == e.User)
	case store.PutToken:
		return count(s.tokens, func(t access.Token) bool { return t == e.Token })
	case store.KeepReply:
		return once(s.reply != nil && s.reply.Fingerprint == e.Reply.Fingerprint)
	case store.Expire:
		return once(s.reply == nil)
	}
	panic(fmt.Sprintf("no test knows how to look for %T", effect))
}

// raised returns how many times the batch has raised a version; -1 when the version
// is another batch's.
func raised(now, before ident.Version, batch ident.ID) int {
	if now != before && now.Batch != batch {
		return -1
	}
	return int(now.Number - before.Number)
}

func count[T any](all []T, is func(T) bool) (n int) {
	for _, x := range all {
		if is(x) {
			n++
		}
	}
	return n
}

func once(is bool) int {
	if is {
		return 1
	}
	return 0
}
