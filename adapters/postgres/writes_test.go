package postgres_test

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// write is a kind of Change as the service makes them.
type write struct {
	name string
	// change returns one that fits what the store shows, of which the first two
	// problems may be changed, and the third one expected. Each statement of it has the same
	// text and the same length every time, as long as the store shows the same.
	change func(from *source, seen scene, next problem.ID) store.Change
}

// key is of the one reply that writes keep.
var key = replyKey{ident.ID{6: 0x70, 8: 0x80, 15: 1}, "key"}

// object is the identifier of the one metadata object of each kind, and token.
var object = ident.ID{6: 0x70, 8: 0x80, 15: 2}

// writes has every kind of effect and expectation.
func writes() []write {
	return []write{
		{"create", func(from *source, seen scene, next problem.ID) store.Change {
			p := from.problem(next)
			change := from.change(store.CreateProblem{Problem: p}, store.PutSavepoint{Problem: p}, store.MarkRead{Problem: p.ID, User: p.Originator, Read: true})
			change.Expect = []store.Expectation{store.CatalogueAt{Version: seen.versions.Catalogue}}
			change.Log = []problem.LogEntry{from.entry(change.Batch, p, problem.ProblemCreated)}
			return change
		}},
		{"update", func(from *source, seen scene, _ problem.ID) store.Change {
			change, p := from.revise(seen.problems[0].Problem, problem.FieldChanged)
			change.Expect = append(change.Expect, store.CatalogueAt{Version: seen.versions.Catalogue})
			change.Effects = append(change.Effects, store.PutSavepoint{Problem: p}, store.ForgetReads{Problem: p.ID, But: p.Modifier},
				store.MarkRead{Problem: p.ID, User: p.Modifier, Read: true})
			return change
		}},
		{"comment", func(from *source, seen scene, _ problem.ID) store.Change {
			change, p := from.revise(seen.problems[0].Problem, problem.CommentAdded)
			change.Effects = append(change.Effects, store.AddComment{Problem: p.ID, Comment: from.comment()})
			return change
		}},
		{"comment with a key", func(from *source, seen scene, _ problem.ID) store.Change {
			change, p := from.revise(seen.problems[0].Problem, problem.CommentAdded)
			change.Expect = append(change.Expect, store.KeyUnused{User: key.user, Key: key.key, Since: change.At})
			change.Effects = append(change.Effects, store.AddComment{Problem: p.ID, Comment: from.comment()}, store.KeepReply{Reply: from.reply(change.At)})
			return change
		}},
		{"keywords", func(from *source, seen scene, _ problem.ID) store.Change {
			d := seen.problems[0]
			change, p := from.revise(d.Problem, problem.KeywordSet)
			change.Effects = append(change.Effects,
				store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: from.id().String(), Value: problem.Text(from.id().String())}},
				store.DropKeyword{Problem: p.ID, Name: d.Keywords[0].Name})
			return change
		}},
		{"relationships", func(from *source, seen scene, _ problem.ID) store.Change {
			one, other := seen.problems[0], seen.problems[1]
			change, p := from.revise(one.Problem, problem.RelationshipAdded)
			second, q := from.revise(other.Problem, problem.RelationshipAdded)
			put, drop := relationship.BlockerOf, relationship.CauseOf
			if count(one.Relationships, func(r relationship.Relationship) bool { return r.Type == put }) > 0 {
				put, drop = drop, put
			}
			r := relationship.Relationship{Owner: p.ID, Type: put, Other: q.ID, Created: change.At, Author: change.Author}
			change.Expect = append(append(change.Expect, second.Expect...), seen.at(seen.problems[2].ID))
			change.Effects = append(append(change.Effects, second.Effects...),
				store.PutRelationship{Relationship: r}, store.PutRelationship{Relationship: r.Mirror()})
			if len(one.Relationships) > 0 {
				change.Effects = append(change.Effects, store.DropRelationship{Owner: p.ID, Type: drop, Other: q.ID},
					store.DropRelationship{Owner: q.ID, Type: drop.Mirror(), Other: p.ID})
			}
			change.Log = append(change.Log, from.entry(change.Batch, q, problem.RelationshipAdded))
			from.note(change) // which stores both
			return change
		}},
		{"watchers", func(from *source, seen scene, _ problem.ID) store.Change {
			d := seen.problems[0]
			change, p := from.revise(d.Problem, problem.WatcherAdded)
			change.Effects = append(change.Effects, store.Watch{Problem: p.ID, User: from.id()}, store.Unwatch{Problem: p.ID, User: d.Watchers[0]})
			return change
		}},
		{"read marks", func(from *source, seen scene, _ problem.ID) store.Change {
			d := seen.problems[0]
			change := from.change(store.MarkRead{Problem: d.ID, User: from.id(), Read: true}, store.MarkRead{Problem: d.ID, User: d.Readers[0]})
			change.Expect = []store.Expectation{seen.at(d.ID)}
			return change
		}},
		{"metadata", func(from *source, seen scene, _ problem.ID) store.Change {
			name := from.id().String()
			change := from.change(
				store.PutState{State: metadata.State{ID: object, Name: name, Next: []ident.ID{from.id()}}},
				store.PutPriority{Priority: metadata.Priority{ID: object, Name: name}},
				store.PutClassification{Classification: metadata.Classification{ID: object, Name: name}},
				store.PutComponent{Component: metadata.Component{ID: object, Name: name}},
				store.PutMilestone{Milestone: metadata.Milestone{ID: object, Name: name, Created: from.time()}},
				store.PutUser{User: user.User{ID: object, Name: name, Email: name}})
			change.Expect = []store.Expectation{store.CatalogueAt{Version: seen.versions.Catalogue}}
			return change
		}},
		{"token", func(from *source, seen scene, _ problem.ID) store.Change {
			token := access.Token{ID: object, User: object, Scope: access.Read, Created: from.time(), Expires: from.time()}
			id := from.id()
			copy(token.Digest[:], id[:])
			change := from.change(store.PutToken{Token: token})
			change.Expect = []store.Expectation{store.AccessAt{Version: seen.versions.Access}}
			return change
		}},
		{"housekeeping", func(from *source, _ scene, _ problem.ID) store.Change {
			change := from.change()
			change.Effects = []store.Effect{store.Expire{Before: change.At}}
			return change
		}},
	}
}

// revise returns a Change with what every change of a problem has, and the problem
// as it leaves it.
func (s *source) revise(p problem.Problem, t problem.LogType) (store.Change, problem.Problem) {
	at := s.at(p)
	p = s.changed(p)
	change := s.change(store.UpdateProblem{Problem: p})
	change.Expect = []store.Expectation{at}
	change.Log = []problem.LogEntry{s.entry(change.Batch, p, t)}
	return change, p
}

func (s *source) reply(at time.Time) store.Reply {
	id := s.id()
	r := store.Reply{User: key.user, Key: key.key, Created: at, Body: []byte("body")}
	copy(r.Fingerprint[:], id[:])
	return r
}
