package changes

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// clientFields are the fields set by clients.
var clientFields = problem.ClientFields()

// Keywords is a change of the keywords of a problem. Drop goes, and Put comes in the place of Old;
// each may be nil.
type Keywords struct{ Drop, Old, Put *problem.Keyword }

// Update sets the fields of a problem, changes its keywords, adds comments and, if sent, sets the
// author's read mark.
func (cb *Builder) Update(s *snapshot.Snapshot, c *metadata.Catalogue, fields problem.Fields, k Keywords, read patch.Field[bool], comments ...Comment) {
	old := s.Problem
	changed := fields != old.Fields || k.Drop != nil || k.Put != nil || len(comments) > 0
	if changed {
		s.Fields = fields
		cb.Significant(s)
		for _, comment := range comments {
			cb.AddComment(s, comment)
		}
		if fields != old.Fields {
			cb.LogChanges(s, old.Fields, c)
		}
		if k.Drop != nil {
			cb.DropKeyword(s, *k.Drop)
		}
		if k.Put != nil {
			cb.PutKeyword(s, k.Old, *k.Put)
		}
		cb.StoreProblem(s)
	}
	if read.Sent && read.Value != s.Read {
		if !changed {
			cb.ExpectProblem(s)
		}
		cb.MarkRead(s, read.Value)
	}
}

// Comment is a new comment.
type Comment struct {
	problem.Comment
	// Named are the users whom it makes watchers (D54).
	Named []user.User
}

// AddComment adds a new comment by the author, and logs it. The snapshot is already at its new
// revision.
func (cb *Builder) AddComment(s *snapshot.Snapshot, comment Comment) problem.Comment {
	comment.ID, comment.Author, comment.Via, comment.Created = cb.NextID(), cb.Author, cb.Via, cb.At
	cb.AddEffect(store.AddComment{Problem: s.ID, Comment: comment.Comment})
	s.Size += comment.Size()
	cb.AddLog(s, problem.CommentAdded, "comments", "", problem.LogText(comment.ID.String()))
	for _, u := range comment.Named {
		cb.Watch(s, u)
	}
	return comment.Comment
}

// AddAttachment adds the record of a stored file, and logs it. The snapshot is already at its new
// revision.
func (cb *Builder) AddAttachment(s *snapshot.Snapshot, a problem.Attachment) problem.Attachment {
	a.Author, a.Created = cb.Author, cb.At
	cb.AddEffect(store.PutAttachment{Problem: s.ID, Attachment: a})
	s.Size += a.Size()
	cb.AddLog(s, problem.AttachmentAdded, "attachments", "", a.Log())
	return a
}

// Watch makes a user a watcher, and logs it. The snapshot is already at its new revision.
func (cb *Builder) Watch(s *snapshot.Snapshot, u user.User) {
	cb.AddEffect(store.Watch{Problem: s.ID, User: u.ID})
	cb.AddLog(s, problem.WatcherAdded, "watchers", "", problem.LogRef(u.ID, u.Name))
	s.Watching = s.Watching || u.ID == cb.Author
}

// Resolve records the resolver and the time of the resolution: the latest move into a
// resolved state, also from another one (D1).
func (cb *Builder) Resolve(p *problem.Problem, moved bool, c *metadata.Catalogue) {
	state, _ := c.State(p.State)
	switch {
	case !state.Resolved:
		p.Resolver, p.Resolved = ident.None, time.Time{}
	case moved:
		p.Resolver, p.Resolved = cb.Author, cb.At
	}
}

// LogChanges stores a savepoint, and logs each field that differs. The snapshot has the new
// fields, and is already at its new revision. Resolving ends the claim (D49).
func (cb *Builder) LogChanges(s *snapshot.Snapshot, old problem.Fields, c *metadata.Catalogue) {
	cb.Resolve(&s.Problem, s.State != old.State, c)
	cb.StoreSavepoint(s)
	s.Size += s.TextSize() - old.TextSize()
	for _, f := range clientFields {
		if !f.Same(&old, &s.Fields) {
			cb.AddLog(s, problem.FieldChanged, f.Name, f.Log(&old, c.Name), f.Log(&s.Fields, c.Name))
		}
	}
	if s.State != old.State && !s.Resolver.IsNone() {
		cb.EndClaim(s, c)
	}
}

// LogFields returns the fields with a value, in the form of the log.
func LogFields(f problem.Fields, c *metadata.Catalogue) problem.LogValue {
	members := make([]problem.LogMember, 0, len(clientFields))
	for _, field := range clientFields {
		members = append(members, problem.LogMember{Name: field.Name, Value: field.Log(&f, c.Name)})
	}
	return problem.LogObject(members...)
}
