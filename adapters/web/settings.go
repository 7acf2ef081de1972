package web

import (
	"strings"
	"time"

	"github.com/mileusna/useragent"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/user"
)

// settingsPage is a person's own page, with the sessions.
type settingsPage struct {
	layout
	Email    string
	Scope    access.Scope
	Sessions []sessionRow
	// Language is the tag of the language that does not follow the browser, or empty.
	Language string
	Columns  []columnChoice
	// Mails are the choices of e-mail; none if the service sends none.
	Mails []mailChoice
	// NoAddress is whether no mail can be sent to the person.
	NoAddress bool
}

type sessionRow struct {
	ID               string
	Agent            string // the header User-Agent
	Browser          string // in words
	Created, Expires time.Time
	Scope            access.Scope
	Current          bool
}

func showSettings(q *request) (answer, error) {
	sessions, err := q.Service.Sessions.Own(q.context(), q.caller)
	if err != nil {
		return answer{}, err
	}
	me, _ := sessions.Catalogue.User(q.caller.User)
	view := settingsPage{layout: q.signedIn(q.say("settings.title"), sessions.Catalogue).in("settings"), Email: me.Email, Scope: q.caller.Scope, Language: q.languagePreferred(), Columns: columnChoices(q.columnsOr(nil))}
	view.Mails, view.NoAddress = q.mailChoices(me), !user.CanGetMail(me.Email)
	for _, s := range sessions.Value {
		view.Sessions = append(view.Sessions, q.sessionRow(s))
	}
	return page("settings", view), nil
}

func (q *request) sessionRow(s access.Session) sessionRow {
	return sessionRow{s.ID.String(), s.Agent, q.browserOf(s.Agent), s.Created, s.Expires, s.Scope, s.ID == q.caller.Session}
}

// browserOf returns a browser and its system in words, if its header User-Agent names both.
// Otherwise it returns the header.
func (q *request) browserOf(agent string) string {
	of := useragent.Parse(agent)
	if of.Name == "" || of.OS == "" {
		return agent
	}
	name, _, _ := strings.Cut(of.Name+" "+of.Version, ".")
	return q.say("session.browser", name, of.OS)
}

func endSession(q *request) (answer, error) { return q.endSession("/settings") }

// endSession ends the session in the path, and leads back to its list.
func (q *request) endSession(list string) (answer, error) {
	id, err := q.objectID()
	if err == nil {
		err = q.Service.Sessions.End(q.context(), q.caller, id)
	}
	if err != nil {
		return answer{}, err
	}
	return q.redirect(list), nil
}
