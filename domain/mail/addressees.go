package mail

import (
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// Involved are the people of a problem.
type Involved struct {
	Originator ident.ID
	Assignee   ident.ID // None: nobody
	Watchers   []ident.ID
}

// Addressees returns the addressees of a mail about the group, in ascending order: all
// people involved, except the only author of its changes.
func (g Group) Addressees(in Involved, find func(ident.ID) (user.User, bool)) []ident.ID {
	own := append([]ident.ID{in.Originator, in.Assignee}, g.Named...)
	all := slices.Concat(own, in.Watchers)
	slices.SortFunc(all, ident.ID.Compare)
	return slices.DeleteFunc(slices.Compact(all), func(id ident.ID) bool {
		u, ok := find(id)
		byOthers := slices.ContainsFunc(g.Authors, func(author ident.ID) bool { return author != id })
		return !ok || !byOthers || !Wants(u, slices.Contains(own, id))
	})
}

// Wants reports whether a user gets mail. own is true if the user is the originator or
// assignee of the problem, or was the assignee.
func Wants(u user.User, own bool) bool {
	return !u.Inactive && user.CanGetMail(u.Email) && (u.Mail == user.MailEverything || u.Mail == user.MailMine && own)
}
