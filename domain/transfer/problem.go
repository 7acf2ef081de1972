package transfer

import (
	"time"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
)

// allFields are all fields of a problem. clientFields are the fields set by clients.
var (
	allFields    = problem.AllFields()
	clientFields = problem.ClientFields()
)

func (c *Checker) problem(p problem.Problem) {
	if last := c.graph.last(); p.ID <= last {
		c.refuse("/identifier", "must be greater than %d, that of the problem before", last)
	}
	c.rule("/identifier", problem.CheckID(p.ID))
	for _, f := range allFields {
		if f.Fixed {
			c.fieldValue(f, &p)
		}
	}
	c.shared(&p)
	c.resolution(&p)
	if p.Revision < 1 {
		c.refuse("/revision", "must be at least 1")
	}
	c.graph.problems = append(c.graph.problems, p.ID)
	c.current = &store.Dossier{Problem: p}
	c.history.begin(p)
}

// shared checks the members shared by a problem and its savepoints.
func (c *Checker) shared(p *problem.Problem) {
	for _, f := range allFields {
		if !f.Fixed {
			c.fieldValue(f, p)
		}
	}
}

// resolution checks that a problem has a resolver and a date if its state is resolved, and
// only then.
func (c *Checker) resolution(p *problem.Problem) {
	state, _ := c.catalogue.State(p.State)
	for _, member := range []struct {
		field string
		null  bool
	}{{"/resolver", p.Resolver.IsNone()}, {"/resolveDate", p.Resolved.IsZero()}} {
		switch {
		case state.Resolved && member.null:
			c.refuse(member.field, "must not be null: the state is a resolved one")
		case !state.Resolved && !member.null:
			c.refuse(member.field, "must be null: the state is not a resolved one")
		}
	}
}

// fieldValue checks the value of one field. The value can be null unless the field is
// required.
func (c *Checker) fieldValue(f *problem.Field, p *problem.Problem) {
	problem.Value(f, p, checked{c})
}

// checked checks values, and normalises texts.
type checked struct{ *Checker }

// Text implements problem.Kinds, as do the methods below.
func (c checked) Text(f *problem.Field, value *string) (none struct{}) {
	if f.Required || *value != "" {
		*value = c.text("/"+f.Name, f.Rule, *value)
	}
	return none
}

// Reference checks that there is such an object.
func (c checked) Reference(f *problem.Field, id *ident.ID) (none struct{}) {
	if f.Required || !id.IsNone() {
		c.reference("/"+f.Name, f.To, *id)
	}
	return none
}

// Date checks the range.
func (c checked) Date(f *problem.Field, d *date.Date) (none struct{}) {
	if f.Required || !d.IsNone() {
		c.rule("/"+f.Name, d.Check())
	}
	return none
}

// Time checks the range.
func (c checked) Time(f *problem.Field, at *time.Time) (none struct{}) {
	if f.Required || !at.IsZero() {
		c.moment("/"+f.Name, *at)
	}
	return none
}

func (c *Checker) savepoint(s snapshot.Savepoint) {
	c.belongs(s.ID)
	c.identifier("/batchIdentifier", s.Batch)
	s.Originator, s.Created = c.current.Originator, c.current.Created
	c.shared(&s.Problem)
	// Its state may have become resolved, or unresolved, after the problem left it.
	switch {
	case s.Resolver.IsNone() && !s.Resolved.IsZero():
		c.refuse("/resolver", "must not be null: there is a resolveDate")
	case !s.Resolver.IsNone() && s.Resolved.IsZero():
		c.refuse("/resolveDate", "must not be null: there is a resolver")
	}
	c.current.Savepoints = append(c.current.Savepoints, s)
}

func (c *Checker) comment(r Comment) {
	c.belongs(r.Problem)
	c.identifier("/identifier", r.ID)
	c.history.identify(c, r.ID, KindComment)
	c.reference("/author", metadata.Users, r.Author)
	c.via(r.Via)
	c.moment("/creationDate", r.Created)
	switch {
	case !r.Deleted:
		c.edited("", &r.Comment)
	case r.Comment != r.Place():
		c.refuse("/deleted", "must be false: a deleted comment has no text, no HTML and no edit")
	}
	c.current.Comments = append(c.current.Comments, r.Comment)
}

// edited checks the members of a comment that an edit sets. The fields are below a place.
func (c *Checker) edited(place string, o *problem.Comment) {
	o.Text = c.text(place+"/text", text.Comment, o.Text)
	if o.HTML.Valid {
		o.HTML.String = c.text(place+"/html", text.Rule{}, o.HTML.String)
	}
	switch {
	case o.Edited.IsZero() && !o.Editor.IsNone():
		c.refuse(place+"/editDate", "must not be null: there is an editor")
	case o.Editor.IsNone() && !o.Edited.IsZero():
		c.refuse(place+"/editor", "must not be null: there is an editDate")
	case !o.Edited.IsZero():
		c.moment(place+"/editDate", o.Edited)
		c.reference(place+"/editor", metadata.Users, o.Editor)
	}
}

func (c *Checker) keyword(r Keyword) {
	c.belongs(r.Problem)
	r.Name = c.text("/name", text.KeywordName, r.Name)
	if r.Value.Valid {
		r.Value.String = c.text("/value", text.KeywordValue, r.Value.String)
	}
	if n := len(c.current.Keywords); n > 0 && r.Name <= c.current.Keywords[n-1].Name {
		c.refuse("/name", "must come after that of the line before, by code point")
	}
	c.current.Keywords = append(c.current.Keywords, r.Keyword)
}

func (c *Checker) attachment(r Attachment) {
	c.belongs(r.Problem)
	c.history.identify(c, r.ID, KindAttachment)
	c.fileMembers("", &r.Attachment)
	c.reference("/author", metadata.Users, r.Author)
	c.moment("/creationDate", r.Created)
	if !r.Deleted.IsZero() {
		c.moment("/deleteDate", r.Deleted)
	}
	c.current.Attachments = append(c.current.Attachments, r.Attachment)
}

// fileMembers checks the members that an attachment shares with its entry in the log.
func (c *Checker) fileMembers(place string, a *problem.Attachment) {
	name, err := problem.CheckAttachmentName(a.Name)
	c.rule(place+"/name", err)
	if mediaType, ok := problem.MediaType(a.MediaType); !ok || mediaType != a.MediaType {
		c.refuse(place+"/mediaType", "must be a media type in lower case, such as %s", problem.UnknownMediaType)
	}
	if a.Bytes < 0 {
		c.refuse(place+"/size", "must not be negative")
	}
	a.Name = name
}

func (c *Checker) watcher(r Watcher) {
	c.belongs(r.Problem)
	c.member(&c.current.Watchers, r.User)
}

func (c *Checker) readMark(r ReadMark) {
	c.belongs(r.Problem)
	c.member(&c.current.Readers, r.User)
}

// member adds a user to a list in ascending order.
func (c *Checker) member(users *[]ident.ID, id ident.ID) {
	c.reference("/user", metadata.Users, id)
	if n := len(*users); n > 0 && id.Compare((*users)[n-1]) <= 0 {
		c.refuse("/user", "must be greater than that of the line before")
	}
	*users = append(*users, id)
}

// closeProblem checks the current problem as a whole and returns it, or nil if there is
// none.
func (c *Checker) closeProblem() *store.Dossier {
	if c.current != nil {
		c.history.close(c)
	}
	done := c.current
	c.current = nil
	return done
}

func (c *Checker) end(e End) {
	if want := c.graph.last() + 1; e.Next != want {
		c.refuse("/nextIdentifier", "must be %d, one above the last problem", want)
	}
	c.graph.close(c)
}
