package mail

import (
	"slices"

	"github.com/problemtracking/problems/domain/ident"
)

// Draft names the content of the next mail to a person: the changes of one problem, or those
// of several in a digest.
type Draft struct {
	User  ident.ID
	Items []Item
	// More counts the problems of a digest beyond the Items.
	More int
}

// Digest reports whether the mail is a digest.
func (d Draft) Digest() bool { return len(d.Items) > 1 || d.More > 0 }

// of returns the item of the draft that a tray has as i. The one in the tray may have
// further changes.
func (d Draft) of(i Item) (told Item, ok bool) {
	at := slices.IndexFunc(d.Items, func(told Item) bool { return told.Problem == i.Problem && told.From == i.From })
	if at < 0 {
		return Item{}, false
	}
	return d.Items[at], true
}
