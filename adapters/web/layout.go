package web

import (
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/metadata"
)

// layout is the common part of all pages.
type layout struct {
	Title string
	// User is the name of the signed-in person; empty: there is none.
	User string
	// Writer and Administrator select the forms and links of the page.
	Writer, Administrator bool
	// Section is the part of the navigation around the page.
	Section string
	// At is the address of the page below the base path; empty: there is no way back to it.
	At string
	// Again is the identifier of the form to send again with a language, on an answer to a form.
	Again string
	// Languages are those to choose from.
	Languages []languageChoice
	// KeysOff is true when the keys are off in this browser.
	KeysOff bool
	// Compact has rows take less room.
	Compact bool
	// Zone is the name of the preferred time zone; empty: that of the browser.
	Zone string
}

// layout returns the common part of a page for anybody.
func (q *request) layout(title string) layout {
	return layout{Title: title, At: q.at(), Languages: q.languages(), KeysOff: q.keysOff(), Compact: q.preferred.Compact, Zone: q.preferred.TimeZone}
}

// signedIn returns the common part of a page for the caller.
func (q *request) signedIn(title string, c *metadata.Catalogue) layout {
	me, _ := c.User(q.caller.User)
	l := q.layout(title)
	l.User, l.Writer, l.Administrator = me.Name, q.caller.Scope.Covers(access.Write), q.caller.Scope.Covers(access.Admin)
	return l
}

// in returns the layout with its place in the navigation.
func (l layout) in(section string) layout {
	l.Section = section
	return l
}
