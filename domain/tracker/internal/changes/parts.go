package changes

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// The methods below change one part of a problem, log it, and count its size. The snapshot is
// already at its new revision; the caller stores the problem at the end.

// PutKeyword sets a keyword. old is the keyword before, or nil when it was not there.
func (cb *Builder) PutKeyword(s *snapshot.Snapshot, old *problem.Keyword, k problem.Keyword) {
	cb.AddEffect(store.PutKeyword{Problem: s.ID, Keyword: k})
	s.Size += k.Size()
	var from problem.LogValue
	if old != nil {
		from = problem.LogKeyword(*old)
		s.Size -= old.Size()
	}
	cb.AddLog(s, problem.KeywordSet, k.Name, from, problem.LogKeyword(k))
}

// DropKeyword deletes a keyword.
func (cb *Builder) DropKeyword(s *snapshot.Snapshot, old problem.Keyword) {
	cb.AddEffect(store.DropKeyword{Problem: s.ID, Name: old.Name})
	s.Size -= old.Size()
	cb.AddLog(s, problem.KeywordDeleted, old.Name, problem.LogKeyword(old), "")
}

// PutRelationship adds the side of a relationship that the problem owns.
func (cb *Builder) PutRelationship(s *snapshot.Snapshot, r relationship.Relationship) {
	cb.AddEffect(store.PutRelationship{Relationship: r})
	cb.AddLog(s, problem.RelationshipAdded, string(r.Type), "", problem.LogLink(r.Other))
}

// DropRelationship deletes the side of a relationship that the problem owns.
func (cb *Builder) DropRelationship(s *snapshot.Snapshot, r relationship.Relationship) {
	cb.AddEffect(store.DropRelationship{Owner: r.Owner, Type: r.Type, Other: r.Other})
	cb.AddLog(s, problem.RelationshipDeleted, string(r.Type), problem.LogLink(r.Other), "")
}

// ExpectSeen expects problems to be as a search for a cycle has seen them, unless the Change expects
// that already.
func (cb *Builder) ExpectSeen(problems []store.ProblemAt) {
	expected := map[store.Expectation]bool{}
	for _, e := range cb.Expect {
		expected[e] = true
	}
	for _, p := range problems {
		if !expected[p] {
			cb.AddExpect(p)
		}
	}
}

// EditComment stores the comment after an edit, with its time and author, and returns it.
func (cb *Builder) EditComment(s *snapshot.Snapshot, c *metadata.Catalogue, old, edited problem.Comment) problem.Comment {
	edited.Edited, edited.Editor = cb.At, cb.Author
	cb.AddEffect(store.PutComment{Problem: s.ID, Comment: edited})
	s.Size += edited.Size() - old.Size()
	cb.AddLog(s, problem.CommentEdited, "comments", problem.LogComment(old, logUser(c, old.Editor)), problem.LogText(old.ID.String()))
	return edited
}

// DeleteComment leaves the place of a comment alone.
func (cb *Builder) DeleteComment(s *snapshot.Snapshot, c *metadata.Catalogue, old problem.Comment) {
	cb.AddEffect(store.PutComment{Problem: s.ID, Comment: old.Place()})
	s.Size += old.Place().Size() - old.Size()
	cb.AddLog(s, problem.CommentDeleted, "comments", problem.LogDeletedComment(old, logUser(c, old.Author), logUser(c, old.Editor)), "")
}

// TakeClaim gives the problem a claim, in place of the one in the snapshot, if that is still
// there (D49).
func (cb *Builder) TakeClaim(s *snapshot.Snapshot, c *metadata.Catalogue, claim problem.Claim) {
	cb.ExpectClaim(s)
	cb.AddEffect(store.PutClaim{Problem: s.ID, Claim: claim})
	cb.AddLog(s, problem.ClaimTaken, "claim", s.Claim.Log(logUser(c, s.Claim.Holder)), claim.Log(logUser(c, claim.Holder)))
	s.Claim = claim
}

// ExpectClaim expects the claim in the snapshot, with its expiry.
func (cb *Builder) ExpectClaim(s *snapshot.Snapshot) {
	cb.AddExpect(store.ClaimAt{Problem: s.ID, Claim: s.Claim.ID, Expires: s.Claim.Expires})
}

// EndClaim ends the claim of the problem, if there is one. Others take a claim at another
// revision, so the expectation of the revision does.
func (cb *Builder) EndClaim(s *snapshot.Snapshot, c *metadata.Catalogue) {
	if s.Claim.ID.IsNone() {
		return
	}
	cb.AddEffect(store.PutClaim{Problem: s.ID})
	cb.AddLog(s, problem.ClaimEnded, "claim", s.Claim.Log(logUser(c, s.Claim.Holder)), "")
	s.Claim = problem.Claim{}
}

// logUser returns a user in the form of the log, or null.
func logUser(c *metadata.Catalogue, id ident.ID) problem.LogValue {
	return problem.LogRef(id, c.Name(metadata.Users, id))
}
