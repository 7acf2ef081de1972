package web

import (
	"net/url"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
)

// sessionsPage lists the sessions of all users, or of one.
type sessionsPage struct {
	layout
	Kinds []kindLink
	Rows  []userSessionRow
	// Users are the people to choose from; Chosen is the identifier of one, empty for all.
	Users  forms.Choice
	Chosen string
	// Limit is how many sessions are shown when there are more, else 0.
	Limit int
}

// userSessionRow is a session and its user.
type userSessionRow struct {
	sessionRow
	User string
}

// sessionsOnPage is how many sessions the page has.
const sessionsOnPage = 200

// showSessions lists the newest sessions first.
func showSessions(q *request) (answer, error) {
	who, err := q.chosenUser()
	if err != nil {
		return answer{}, err
	}
	sessions, more, err := q.Service.Sessions.List(q.context(), who, sessionsOnPage)
	if err != nil {
		return answer{}, err
	}
	c := sessions.Catalogue
	view := sessionsPage{layout: q.signedIn(q.say("kind.sessions"), c).in("administration"), Kinds: q.kindLinks("sessions"), Users: forms.ObjectChoice("user", metadata.Users, who, c)}
	if !who.IsNone() {
		view.Chosen = who.String()
	}
	if more {
		view.Limit = sessionsOnPage
	}
	for _, s := range sessions.Value {
		view.Rows = append(view.Rows, userSessionRow{q.sessionRow(s), c.Name(metadata.Users, s.User)})
	}
	return page("sessions", view), nil
}

// chosenUser returns the user in the address: by the identifier, or by the name that a list
// shows. There is none for everybody.
func (q *request) chosenUser() (ident.ID, error) {
	text := strings.TrimSpace(q.r.URL.Query().Get("user"))
	if text == "" {
		return ident.None, nil
	}
	states, err := q.Service.States().List(q.context())
	if err != nil {
		return ident.None, err
	}
	id, err := ident.Parse(text)
	if err != nil {
		id = forms.Named(metadata.Users, text, states.Catalogue)
	}
	if _, ok := states.Catalogue.User(id); !ok {
		return ident.None, fault.New(fault.NotFound, "there is no user with this name")
	}
	return id, nil
}

// endSessionOf ends a session of anybody, and leads back to the same list.
func endSessionOf(q *request) (answer, error) {
	list := "/administration/sessions"
	if who := q.form.Get("of"); who != "" {
		list += "?" + url.Values{"user": {who}}.Encode()
	}
	return q.endSession(list)
}
