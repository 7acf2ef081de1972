package sequence

import (
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// The contract leaves some combinations open: a comment on a missing problem, for
// example. Steps keep to the defined ones.

func (s Commits) within(of *past) (Step, bool) {
	d := newDraft(of.model.Now, s.Change)
	var effects []store.Effect
	for _, e := range s.Change.Effects {
		if d.takes(e) {
			effects = append(effects, e)
		}
	}
	var entries []problem.LogEntry
	for _, entry := range s.Change.Log {
		if d.there[entry.Problem] && d.First(entry.ID) {
			entries = append(entries, entry)
		}
	}
	s.Change.Effects, s.Change.Log = effects, entries
	return s, !s.Change.Empty() && of.decided(s.Change)
}

func (s Repeats) within(of *past) (Step, bool) {
	change, ok := of.sent[s.Batch]
	if !ok || of.model.Batches[s.Batch].Stored {
		return s, ok
	}
	// It is carried out, or refused, like any other.
	left, ok := Commits{change}.within(of)
	whole := left.(Commits).Change
	return s, ok && len(whole.Effects) == len(change.Effects) && len(whole.Log) == len(change.Log)
}

func (s Asks) within(*past) (Step, bool)     { return s, true }
func (s Reserves) within(*past) (Step, bool) { return s, true }
func (s Reopens) within(*past) (Step, bool)  { return s, true }

// within makes the parts of the Archive agree with each other. Except at the
// beginning, an Archive is there to be refused.
func (s Restores) within(of *past) (Step, bool) {
	h := s.Holdings.Clone()
	sides := make(map[relationship.Relationship]bool)
	there := make(map[problem.ID]bool)
	for _, d := range h.Dossiers {
		there[d.ID] = true
		for _, side := range d.Relationships {
			sides[side] = true
		}
	}
	for i := range h.Dossiers {
		h.Dossiers[i].Relationships = slices.DeleteFunc(h.Dossiers[i].Relationships, func(side relationship.Relationship) bool {
			return !there[side.Other] || !sides[side.Mirror()]
		})
	}
	objects := len(bench.PutAll(h.Metadata))
	if objects == 0 {
		h.Versions.Catalogue = ident.Version{}
	}
	empty := of.model.Now.Expect(store.StoreEmpty{}) == nil
	return Restores{h}, objects+len(h.Tokens)+len(h.Queries)+len(h.Webhooks)+len(h.Audit)+len(h.Feed)+len(h.Dossiers) > 0 && (of.steps == 0 || !empty)
}

// decided reports whether the contract names one answer to the Change. It does not rank
// two reasons for a refusal.
func (of *past) decided(change store.Change) bool {
	settled, known := of.model.Batches[change.Batch]
	if settled.Stored {
		return true
	}
	plain := change
	plain.Effects = slices.DeleteFunc(slices.Clone(change.Effects), func(e store.Effect) bool { return e == bench.UnknownEffect{} })
	plain.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { return e == bench.UnknownExpectation{} })
	unknown := len(plain.Effects) < len(change.Effects) || len(plain.Expect) < len(change.Expect)
	if known && unknown {
		return false
	}
	return !known && !unknown || !of.conflicts(plain)
}

// conflicts reports whether the model refuses the Change because of its content.
func (of *past) conflicts(change store.Change) bool {
	for _, e := range change.Expect {
		if of.model.Now.Expect(e) != nil {
			return true
		}
	}
	return of.model.Now.Clone().Run(change) != nil
}

// draft is a Change as far as it was gone through.
type draft struct {
	change  store.Change
	there   map[problem.ID]bool        // problems
	used    map[ident.ID]bool          // identifiers of comments, log and audit entries
	digests map[access.Digest]ident.ID // their owners
	replies map[bench.ReplyKey]bool    // kept
}

func newDraft(now *model.World, change store.Change) *draft {
	d := &draft{
		change:  change,
		there:   make(map[problem.ID]bool),
		used:    make(map[ident.ID]bool),
		digests: make(map[access.Digest]ident.ID),
		replies: make(map[bench.ReplyKey]bool),
	}
	for id := range now.AllProblems {
		d.there[id] = true
	}
	for _, c := range now.AllComments {
		d.used[c.Comment.ID] = true
	}
	for _, entry := range now.Logs {
		d.used[entry.ID] = true
	}
	for _, entry := range now.AuditLog {
		d.used[entry.ID] = true
	}
	for _, t := range now.AllTokens {
		d.digests[t.Digest] = t.ID
	}
	for key := range now.Replies {
		d.replies[key] = !expectsUnused(change, key)
	}
	return d
}

// expectsUnused reports whether the Change allows a reply to be replaced.
func expectsUnused(change store.Change, key bench.ReplyKey) bool {
	return slices.ContainsFunc(change.Expect, func(e store.Expectation) bool {
		unused, ok := e.(store.KeyUnused)
		return ok && key == bench.ReplyKey{User: unused.User, Key: unused.Key}
	})
}

// First reports whether an identifier was not used before.
func (d *draft) First(id ident.ID) bool {
	used := d.used[id]
	d.used[id] = true
	return !used
}

// takes reports whether the contract defines the next effect.
func (d *draft) takes(effect store.Effect) bool {
	switch e := effect.(type) {
	case store.CreateProblem:
		d.there[e.Problem.ID] = true
	case store.PutSavepoint:
		return d.there[e.Problem.ID]
	case store.AddComment:
		return d.there[e.Problem] && d.First(e.Comment.ID)
	case store.PutAttachment:
		return d.there[e.Problem]
	case store.PutKeyword:
		return d.there[e.Problem]
	case store.DropKeyword:
		return d.there[e.Problem]
	case store.PutRelationship:
		side := e.Relationship
		return d.there[side.Owner] && d.there[side.Other] && side.Owner != side.Other
	case store.DropRelationship:
		return d.there[e.Owner]
	case store.Watch:
		return d.there[e.Problem]
	case store.Unwatch:
		return d.there[e.Problem]
	case store.MarkRead:
		return d.there[e.Problem]
	case store.ForgetReads:
		return d.there[e.Problem]
	case store.PutToken:
		owner, taken := d.digests[e.Token.Digest]
		d.digests[e.Token.Digest] = e.Token.ID
		return !taken || owner == e.Token.ID
	case store.AppendAudit:
		return d.First(e.Entry.ID)
	case store.KeepReply:
		key := bench.ReplyKey{User: e.Reply.User, Key: e.Reply.Key}
		kept := d.replies[key]
		d.replies[key] = true
		return !kept
	case store.Expire:
		return !e.Before.After(d.change.At)
	}
	return true
}
