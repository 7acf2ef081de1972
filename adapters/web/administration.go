package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/graph"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
)

// administrationPage lists the objects of one kind, with a form for a new one.
type administrationPage struct {
	layout
	Kinds   []kindLink
	Kind    string
	Columns []string // keys of the texts
	Rows    []objectRow
	// Form is the form of a new object; empty without the right to make one.
	Form []input
	// Picture is a drawing of the objects; nil: there is none.
	Picture *graph.Picture
}

// objectPage is the form of one object.
type objectPage struct {
	layout
	Kinds   []kindLink
	Kind    string
	ID      string
	Heading string
	Form    []input
	Was     string // the digest of the values in the form
	Erased  bool   // a user for good (D46)
	// Invite are the scopes of an invitation; empty: the object can get none.
	Invite []access.Scope
}

type kindLink struct {
	Slug    string
	Current bool
}

// objectRow is an object in a list.
type objectRow struct {
	ID    string
	Name  string
	Depth int // below other components
	Cells []string
	Faint bool // no longer in use
}

// input is a field of a form.
type input struct {
	Name, Type string // text, email, url, number, checkbox, date, choice, several, one, code
	Value      string
	Checked    bool
	Choice     forms.Choice
	Options    []forms.Option
	Required   bool
}

// administered is a kind of objects with pages.
type administered struct {
	slug    string // in the address, and in the keys of the texts
	columns []string
	// scope is that for a new object, and for changes.
	scope access.Scope
	rows  func(*metadata.Catalogue) []objectRow
	// form returns the form of an object, or of a new one for ident.None. It returns nil for
	// an unknown object.
	form func(*metadata.Catalogue, ident.ID) (name string, inputs []input)
	// save stores a form, as a new object for ident.None. The condition is that of
	// admin.UpdateObject.
	save func(q *request, form url.Values, id ident.ID, condition func(*metadata.Catalogue) error) error
}

// kind returns the kind in the path.
func (q *request) kind() (administered, error) {
	slug, all := q.r.PathValue("kind"), kinds(q.Service.Zone())
	i := slices.IndexFunc(all, func(k administered) bool { return k.slug == slug })
	if i < 0 {
		return administered{}, fault.New(fault.NotFound, "there is no page at this address")
	}
	return all[i], nil
}

// writableKind returns the kind in the path. It fails with fault.Forbidden when the caller may not
// change its objects.
func (q *request) writableKind() (administered, error) {
	k, err := q.kind()
	if err == nil && !q.caller.Scope.Covers(k.scope) {
		err = fault.New(fault.Forbidden, "this needs the scope %s, and you signed in with the scope %s", k.scope, q.caller.Scope)
	}
	return k, err
}

// kindLinks returns the links to the kinds that the caller can see.
func (q *request) kindLinks(current string) (links []kindLink) {
	for _, k := range kinds(q.Service.Zone()) {
		links = append(links, kindLink{k.slug, k.slug == current})
	}
	links = append(links, kindLink{"queries", current == "queries"})
	if !q.caller.Scope.Covers(access.Admin) {
		return links
	}
	for _, slug := range []string{"tokens", "sessions", "webhooks", "audit"} {
		links = append(links, kindLink{slug, slug == current})
	}
	return links
}

// showAdministration leads to the first kind.
func showAdministration(q *request) (answer, error) {
	return q.redirect("/administration/states"), nil
}

func showObjects(q *request) (answer, error) {
	k, err := q.kind()
	if err != nil {
		return answer{}, err
	}
	states, err := q.Service.States().List(q.context())
	if err != nil {
		return answer{}, err
	}
	c := states.Catalogue
	view := administrationPage{
		layout: q.signedIn(q.say("kind."+k.slug), c).in("administration"), Kinds: q.kindLinks(k.slug), Kind: k.slug, Columns: k.columns, Rows: k.rows(c),
	}
	if q.caller.Scope.Covers(k.scope) {
		_, view.Form = k.form(c, ident.None)
	}
	if k.slug == "states" {
		view.Picture = q.stateGraph(c)
	}
	return page("administration", view), nil
}

func showObject(q *request) (answer, error) {
	k, err := q.kind()
	if err != nil {
		return answer{}, err
	}
	id, err := q.objectID()
	if err != nil {
		return answer{}, err
	}
	states, err := q.Service.States().List(q.context())
	if err != nil {
		return answer{}, err
	}
	name, form := k.form(states.Catalogue, id)
	if form == nil {
		return answer{}, fault.New(fault.NotFound, "there is nothing at this address")
	}
	view := objectPage{layout: q.signedIn(name, states.Catalogue).in("administration"), Kinds: q.kindLinks(k.slug), Kind: k.slug, ID: id.String(), Heading: name, Form: form, Was: digest(form)}
	u, found := states.Catalogue.User(id)
	view.Erased = found && u.Erased()
	if found && !u.Inactive && q.caller.Scope.Covers(access.Admin) {
		view.Invite = access.Scopes()
	}
	return page("object", view), nil
}

func createObject(q *request) (answer, error) {
	k, err := q.writableKind()
	if err != nil {
		return answer{}, err
	}
	if err := k.save(q, q.form, ident.None, nil); err != nil {
		return answer{}, err
	}
	return q.redirect("/administration/" + k.slug), nil
}

func changeObject(q *request) (answer, error) {
	k, err := q.writableKind()
	if err != nil {
		return answer{}, err
	}
	id, err := q.objectID()
	if err != nil {
		return answer{}, err
	}
	c, err := q.catalogue()
	if err != nil {
		return answer{}, err
	}
	_, shown := k.form(c, id)
	err = k.save(q, touched(q.form, shown), id, func(c *metadata.Catalogue) error {
		_, now := k.form(c, id)
		return q.began(now)
	})
	if err != nil {
		return answer{}, err
	}
	return q.redirect("/administration/" + k.slug), nil
}

// refill puts the sent values into the inputs of a form.
func refill(form []input, sent url.Values, c *metadata.Catalogue) []input {
	for i := range form {
		in := &form[i]
		if in.Type == "choice" {
			in.Name = in.Choice.Field
			in.Choice, _ = forms.Sent(in.Name, sent.Get(in.Name), c)
			continue
		}
		in.Value, in.Checked = sent.Get(in.Name), sent.Has(in.Name)
		for j, o := range in.Options {
			in.Options[j].Selected = slices.Contains(sent[in.Name], o.Value)
		}
	}
	return form
}

// touched returns a form without the unchanged days. A stored time also has hours, which the
// form does not show.
func touched(form url.Values, shown []input) url.Values {
	form = maps.Clone(form)
	for _, in := range shown {
		if in.Type == "date" && form.Get(in.Name) == in.Value {
			delete(form, in.Name)
		}
	}
	return form
}

// began compares the values of now with those that the form in the request began with, if the
// form has them. It fails with fault.StaleRevision when somebody changed them since.
func (q *request) began(now []input) error {
	if q.form.Has(was) && digest(now) != q.form.Get(was) {
		return fault.New(fault.StaleRevision, "somebody changed this since you opened the form. Sent again, your values replace theirs")
	}
	return nil
}

// was is the field with the digest of the values that a form began with.
const was = "was"

// digest tells the values of a form from others. The other choices of the form do not count.
func digest(form []input) string {
	var all strings.Builder
	for _, field := range form {
		fmt.Fprintf(&all, "%q %q %t", field.Name, field.Value, field.Checked)
		for _, o := range slices.Concat(field.Options, field.Choice.Options) {
			if o.Selected {
				fmt.Fprintf(&all, " %q", o.Value)
			}
		}
	}
	sum := sha256.Sum256([]byte(all.String()))
	return hex.EncodeToString(sum[:16])
}
