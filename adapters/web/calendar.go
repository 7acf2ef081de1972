package web

import (
	"net/url"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// calendar reads and shows the days that people set. A day is a whole day in the zone (D9).
type calendar struct{ zone *time.Location }

// start returns the beginning of a day in a form.
func (c calendar) start(form url.Values, name string, faults *fault.List) patch.Field[time.Time] {
	return c.day(form, name, date.Date.Start, faults)
}

// end returns the last millisecond of a day in a form.
func (c calendar) end(form url.Values, name string, faults *fault.List) patch.Field[time.Time] {
	return c.day(form, name, date.Date.End, faults)
}

func (c calendar) day(form url.Values, name string, of func(date.Date, *time.Location) time.Time, faults *fault.List) patch.Field[time.Time] {
	if !form.Has(name) {
		return patch.Field[time.Time]{}
	}
	text := form.Get(name)
	if text == "" {
		return patch.Null[time.Time]()
	}
	d, err := date.Parse(text)
	if err != nil {
		faults.Add(fault.InvalidValue, fault.At(name), "%s", err)
		return patch.Field[time.Time]{}
	}
	return patch.Set(of(d, c.zone))
}

// shown returns the day of a time, for people; date.None for none.
func (c calendar) shown(at time.Time) date.Date {
	if at.IsZero() {
		return date.None
	}
	return date.Shown(at, c.zone)
}

// inPage returns the day of a time as the beginning of the same day in UTC, the zone of charts and
// texts; zero for none.
func (c calendar) inPage(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return c.shown(at).Start(time.UTC)
}

func (c calendar) rows(all *metadata.Catalogue) (rows []objectRow) {
	for _, m := range all.Content().Milestones {
		rows = append(rows, objectRow{ID: m.ID.String(), Name: m.Name, Cells: []string{all.FullName(m.Component), c.shown(m.Start).String(), c.shown(m.End).String()}})
	}
	return rows
}

func (c calendar) form(all *metadata.Catalogue, id ident.ID) (string, []input) {
	m, ok := all.Milestone(id)
	if !ok && !id.IsNone() {
		return "", nil
	}
	return m.Name, []input{
		textInput("name", m.Name), {Type: "choice", Choice: forms.ObjectChoice("component", metadata.Components, m.Component, all)},
		{Name: "start", Type: "date", Value: c.shown(m.Start).String()}, {Name: "end", Type: "date", Value: c.shown(m.End).String()},
	}
}

func (c calendar) of(form url.Values, faults *fault.List) admin.MilestonePatch {
	return admin.MilestonePatch{Name: sent(form, "name"), Component: forms.Reference(form, "component"), Start: c.start(form, "start", faults), End: c.end(form, "end", faults)}
}
