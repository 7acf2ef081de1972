package conformance

import (
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// The contract does not say what a store does with everything that can be written
// down: with a comment on a problem that does not exist, say. Steps keep to what
// it does say something about.

func (s commits) within(of *past) (step, bool) {
	d := newDraft(of.model.now, s.change)
	var effects []store.Effect
	for _, e := range s.change.Effects {
		if d.takes(e) {
			effects = append(effects, e)
		}
	}
	var entries []problem.LogEntry
	for _, entry := range s.change.Log {
		if d.there[entry.Problem] && d.first(entry.ID) {
			entries = append(entries, entry)
		}
	}
	s.change.Effects, s.change.Log = effects, entries
	return s, !s.change.Empty() && of.decided(s.change)
}

func (s repeats) within(of *past) (step, bool) {
	change, ok := of.sent[s.batch]
	if !ok || of.model.batches[s.batch].stored {
		return s, ok
	}
	// It is carried out, or refused, like any other.
	left, ok := commits{change}.within(of)
	whole := left.(commits).change
	return s, ok && len(whole.Effects) == len(change.Effects) && len(whole.Log) == len(change.Log)
}

func (s asks) within(*past) (step, bool)     { return s, true }
func (s reserves) within(*past) (step, bool) { return s, true }
func (s reopens) within(*past) (step, bool)  { return s, true }

// within makes the parts of the Archive agree with each other. Except at the
// beginning, an Archive is there to be refused.
func (s restores) within(of *past) (step, bool) {
	h := s.holdings.clone()
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
	objects := len(putAll(h.Metadata))
	if objects == 0 {
		h.Versions.Catalogue = ident.Version{}
	}
	empty := of.model.now.expect(store.StoreEmpty{}) == nil
	return restores{h}, objects+len(h.Tokens)+len(h.Queries)+len(h.Audit)+len(h.Dossiers) > 0 && (of.steps == 0 || !empty)
}

// decided reports whether the contract names one answer to the Change: it does
// not say which of two reasons to refuse it comes first.
func (of *past) decided(change store.Change) bool {
	settled, known := of.model.batches[change.Batch]
	if settled.stored {
		return true
	}
	plain := change
	plain.Effects = slices.DeleteFunc(slices.Clone(change.Effects), func(e store.Effect) bool { return e == unknownEffect{} })
	plain.Expect = slices.DeleteFunc(slices.Clone(change.Expect), func(e store.Expectation) bool { return e == unknownExpectation{} })
	unknown := len(plain.Effects) < len(change.Effects) || len(plain.Expect) < len(change.Expect)
	if known && unknown {
		return false
	}
	return !known && !unknown || !of.conflicts(plain)
}

// conflicts reports whether the model refuses the Change for what it holds.
func (of *past) conflicts(change store.Change) bool {
	for _, e := range change.Expect {
		if of.model.now.expect(e) != nil {
			return true
		}
	}
	return of.model.now.clone().run(change) != nil
}

// draft is a Change as far as it was gone through.
type draft struct {
	change  store.Change
	there   map[problem.ID]bool        // problems
	used    map[ident.ID]bool          // identifiers of comments, log and audit entries
	digests map[access.Digest]ident.ID // whose they are
	replies map[replyKey]bool          // kept
}

func newDraft(now *world, change store.Change) *draft {
	d := &draft{
		change:  change,
		there:   make(map[problem.ID]bool),
		used:    make(map[ident.ID]bool),
		digests: make(map[access.Digest]ident.ID),
		replies: make(map[replyKey]bool),
	}
	for id := range now.problems {
		d.there[id] = true
	}
	for _, c := range now.comments {
		d.used[c.Comment.ID] = true
	}
	for _, entry := range now.log {
		d.used[entry.ID] = true
	}
	for _, entry := range now.audit {
		d.used[entry.ID] = true
	}
	for _, t := range now.tokens {
		d.digests[t.Digest] = t.ID
	}
	for key := range now.replies {
		d.replies[key] = !expectsUnused(change, key)
	}
	return d
}

// expectsUnused reports whether the Change makes sure that a reply may be replaced.
func expectsUnused(change store.Change, key replyKey) bool {
	return slices.ContainsFunc(change.Expect, func(e store.Expectation) bool {
		unused, ok := e.(store.KeyUnused)
		return ok && key == replyKey{unused.User, unused.Key}
	})
}

// first reports whether an identifier was not used before.
func (d *draft) first(id ident.ID) bool {
	used := d.used[id]
	d.used[id] = true
	return !used
}

// takes reports whether the contract says what the next effect does.
func (d *draft) takes(effect store.Effect) bool {
	switch e := effect.(type) {
	case store.CreateProblem:
		d.there[e.Problem.ID] = true
	case store.PutSavepoint:
		return d.there[e.Problem.ID]
	case store.AddComment:
		return d.there[e.Problem] && d.first(e.Comment.ID)
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
		return d.first(e.Entry.ID)
	case store.KeepReply:
		key := replyKey{e.Reply.User, e.Reply.Key}
		kept := d.replies[key]
		d.replies[key] = true
		return !kept
	case store.Expire:
		return !e.Before.After(d.change.At)
	}
	return true
}
