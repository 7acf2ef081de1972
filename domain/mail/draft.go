package mail

import (
	"fmt"
	"slices"

	"github.com/problemtracking/problems/domain/ident"
)

// Draft names the content of the next mail to a person: the changes of one problem, or those
// of several in a digest.
type Draft struct {
	User  ident.ID
	Items []Item
	More  Excess // of a digest
}

// Digest reports whether the mail is a digest.
func (d Draft) Digest() bool { return len(d.Items) > 1 || d.More.Count > 0 }

// First returns the first item. A mail without items has one without a problem.
func (d Draft) First() Item {
	if len(d.Items) == 0 {
		return Item{From: millis(d.More.Since), Through: millis(d.More.Since), Tries: d.More.Tries}
	}
	return d.Items[0]
}

// ID is the same in every attempt to send a digest, and in no other digest to its user.
func (d Draft) ID() string {
	last := d.First()
	if n := len(d.Items); n > 0 {
		last = d.Items[n-1]
	}
	return fmt.Sprintf("%d.%d.%d.%d", last.Problem, last.Through, len(d.Items), d.More.Count)
}

// of returns the item of the draft that a tray has as i. The one in the tray may have
// further changes.
func (d Draft) of(i Item) (told Item, ok bool) {
	at := slices.IndexFunc(d.Items, func(told Item) bool { return told.Problem == i.Problem && told.From == i.From })
	if at < 0 {
		return Item{}, false
	}
	return d.Items[at], true
}
