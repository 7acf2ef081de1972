package transfer

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// corrections checks that the corrections in the log lead to the comments as they are (D44).
// Texts are no matter: a redaction may have changed them (D45).
func (h *history) corrections(c *Checker) {
	corrected := make(map[ident.ID]problem.Comment) // after the entries so far
	for i, e := range c.current.Log {
		if e.Type != problem.CommentEdited && e.Type != problem.CommentDeleted {
			continue
		}
		before, _ := e.From.Comment()
		is, line := corrected[before.ID], c.first[KindLogEntry]+int64(i)
		switch {
		case is.Deleted:
			c.refuseAt(line, "/from/identifier", "must not be that of a comment that the log has deleted")
		case !before.Edited.Equal(is.Edited):
			c.refuseAt(line, "/from/editDate", "must be that of the comment's entry before in the log, or null in the first")
		case before.Editor != is.Editor:
			c.refuseAt(line, "/from/editor", "must be the author of the comment's entry before in the log, or null in the first")
		}
		if e.Type == problem.CommentEdited {
			corrected[before.ID] = problem.Comment{Edited: e.Created, Editor: e.Author}
		} else {
			corrected[before.ID] = problem.Comment{Deleted: true}
		}
	}
	for i, o := range c.current.Comments {
		is, line := corrected[o.ID], c.first[KindComment]+int64(i)
		switch {
		case o.Deleted != is.Deleted:
			c.refuseAt(line, "/deleted", "must be true exactly if the log has the deletion of the comment")
		case !o.Edited.Equal(is.Edited):
			c.refuseAt(line, "/editDate", "must be that of the comment's last edit in the log, or null without one")
		case o.Editor != is.Editor:
			c.refuseAt(line, "/editor", "must be the author of the comment's last edit in the log, or null without one")
		}
	}
}
