package web

import (
	"net/http"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// prefer takes the preferences of the caller (D58). What this browser has chosen comes before them.
func (q *request) prefer() {
	q.preferred = q.caller.Preferences.Choices()
	if language, ok := texts.Find(q.preferred.Language); ok && !q.chosen {
		q.language = language
	}
}

// zone returns the preferred time zone; nil for that of the browser.
func (q *request) zone() *time.Location {
	if zone, err := time.LoadLocation(q.preferred.TimeZone); err == nil && q.preferred.TimeZone != "" {
		return zone
	}
	return nil
}

// choosePreferences sets the caller's preferences. This browser forgets its own language and keys, so
// that they hold here, too.
func choosePreferences(q *request) (answer, error) {
	cmd := admin.SetPreferences{Density: patch.Set(q.form.Get("density")), Keys: patch.Set(q.form.Get("keys") == "on")}
	for field, value := range map[*patch.Field[string]]string{
		&cmd.Columns: storedColumns(q.form["columns"]), &cmd.Language: q.form.Get("lang"), &cmd.TimeZone: q.form.Get("timeZone"),
	} {
		if value != "" {
			*field = patch.Set(value)
		}
	}
	if cmd.Columns.Value == storedColumns(usualColumns) {
		cmd.Columns = patch.Null[string]()
	}
	if _, err := q.Service.SetPreferences(q.context(), q.caller, cmd); err != nil {
		return answer{}, err
	}
	for _, c := range []http.Cookie{q.languageCookie(), q.keysCookie()} {
		c.MaxAge = -1
		http.SetCookie(q.w, &c)
	}
	return q.redirect("/settings"), nil
}

// columnsOr returns the columns of a list: those asked for, or else the preferred ones, or the usual
// ones.
func (q *request) columnsOr(asked []string) []string {
	for _, some := range [][]string{asked, shownColumns(q.preferred.Columns)} {
		if len(some) > 0 {
			return some
		}
	}
	return usualColumns
}

// languagePreferred is the tag of the language that a person sees whatever the browser asks for.
func (q *request) languagePreferred() string {
	if q.chosen {
		return q.language.Tag
	}
	return q.preferred.Language
}
