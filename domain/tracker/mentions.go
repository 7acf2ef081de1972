package tracker

import (
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/mention"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/user"
)

// partsForMentions returns the parts of a problem that a new comment needs.
func partsForMentions(comment patch.Field[string]) snapshot.Parts {
	if len(mention.Names(comment.Value)) > 0 {
		return snapshot.Watchers
	}
	return 0
}

// withMentions adds to a new comment the users whom it names, and who do not watch the problem yet.
// The problem has most watchers at most (D54).
func withMentions(comment problem.Comment, c *metadata.Catalogue, watchers []ident.ID, most int) changes.Comment {
	named := slices.DeleteFunc(mention.Users(comment.Text, c.Content().Users), func(u user.User) bool { return slices.Contains(watchers, u.ID) })
	return changes.Comment{Comment: comment, Named: named[:min(len(named), max(0, most-len(watchers)))]}
}
