package web

import (
	"html/template"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/markdown"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/mailing"
	"github.com/problemtracking/problems/domain/user"
)

// unsubscribePath is the path of the link to unsubscribe in each e-mail. Only a POST
// unsubscribes, as scanners of links follow it with GET. The POST needs no session, so mail
// programs can send it (RFC 8058).
const unsubscribePath = "/unsubscribe"

// unsubscribePage asks whether to end e-mail, or says that it has ended.
type unsubscribePage struct {
	layout
	Token string
	Done  bool
}

func showUnsubscribe(q *request) (answer, error) {
	token := q.r.URL.Query().Get("token")
	if err := q.Service.Mailing.CheckUnsubscribe(q.context(), token); err != nil {
		return answer{}, err
	}
	return page("unsubscribe", unsubscribePage{layout: q.layout(q.say("unsubscribe.title")), Token: token}), nil
}

// unsubscribe ends the e-mail to the user with the token. The body does not count.
func unsubscribe(q *request) (answer, error) {
	if err := q.Service.Mailing.Unsubscribe(q.context(), q.r.URL.Query().Get("token")); err != nil {
		return answer{}, err
	}
	return page("unsubscribe", unsubscribePage{layout: q.layout(q.say("unsubscribe.title")), Done: true}), nil
}

// mailChoice is a choice of e-mail in the settings.
type mailChoice struct {
	Name    string
	Current bool
}

// mailChoices returns the choices of e-mail; none if the service sends none.
func (q *request) mailChoices(of user.User) (all []mailChoice) {
	if !q.Mail {
		return nil
	}
	for _, m := range []user.Mail{user.MailEverything, user.MailMine, user.MailNone} {
		all = append(all, mailChoice{m.String(), m == of.Mail})
	}
	return all
}

func chooseMail(q *request) (answer, error) {
	if _, err := q.Service.Mailing.Set(q.context(), q.caller, mailing.Set{Mail: patch.Set(q.form.Get("mail"))}); err != nil {
		return answer{}, err
	}
	return q.redirect("/settings"), nil
}

// NewSafeHTML returns a function that makes safe HTML of a comment, as pages show it: of its
// HTML, or else of its text. References to problems and people are plain text. The function
// may be called from many goroutines.
func NewSafeHTML() func(text, html string) template.HTML {
	renderer := markdown.New()
	return func(text, html string) template.HTML {
		if strings.TrimSpace(html) != "" {
			if safe, ok := renderer.RenderHTML(html); ok {
				return safe
			}
		}
		safe, _ := renderer.Render(text, nil)
		return safe
	}
}
