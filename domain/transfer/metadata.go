package transfer

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/user"
)

// unique checks that no other object has the place.
func (c *Checker) unique(field string, kind Kind, place metadata.Place) {
	if _, taken := c.places[place]; taken {
		c.refuse(field, "another %v has this already", kind)
	}
	c.places[place] = struct{}{}
}

// rule checks a member by a rule shared with requests.
func (c *Checker) rule(field string, err error) {
	if err != nil {
		c.refuse(field, "%v", err)
	}
}

// ascending checks the identifier of a metadata object. It must be greater than the
// previous one.
func (c *Checker) ascending(id ident.ID) {
	c.identifier("/identifier", id)
	if id.Compare(c.latest) <= 0 {
		c.refuse("/identifier", "must be greater than that of the line before")
	}
	c.latest = id
}

func (c *Checker) state(o metadata.State) {
	c.ascending(o.ID)
	o.Name = c.text("/name", text.Name, o.Name)
	c.unique("/name", KindState, o.Place())
	c.rule("/order", metadata.CheckOrder(int64(o.Order)))
	c.rule("/nextStates", metadata.CheckNext(len(o.Next)))
	c.content.States = append(c.content.States, o)
}

func (c *Checker) priority(o metadata.Priority) {
	c.ascending(o.ID)
	o.Name = c.text("/name", text.Name, o.Name)
	c.unique("/name", KindPriority, o.Place())
	c.rule("/order", metadata.CheckOrder(int64(o.Order)))
	c.content.Priorities = append(c.content.Priorities, o)
}

func (c *Checker) classification(o metadata.Classification) {
	c.ascending(o.ID)
	o.Name = c.text("/name", text.Name, o.Name)
	c.unique("/name", KindClassification, o.Place())
	c.content.Classifications = append(c.content.Classifications, o)
}

func (c *Checker) component(o metadata.Component) {
	c.ascending(o.ID)
	o.Name = c.text("/name", text.Name, o.Name)
	c.rule("/name", metadata.CheckComponentName(o.Name))
	c.unique("/name", KindComponent, o.Place())
	c.content.Components = append(c.content.Components, o)
}

func (c *Checker) milestone(o metadata.Milestone) {
	c.ascending(o.ID)
	o.Name = c.text("/name", text.Name, o.Name)
	c.unique("/name", KindMilestone, o.Place())
	c.moment("/creationDate", o.Created)
	if !o.Start.IsZero() {
		c.moment("/startDate", o.Start)
	}
	if !o.End.IsZero() {
		c.moment("/endDate", o.End)
	}
	c.rule("/endDate", metadata.CheckPeriod(o.Start, o.End))
	c.content.Milestones = append(c.content.Milestones, o)
}

func (c *Checker) user(o user.User) {
	c.ascending(o.ID)
	o.Name = c.text("/name", text.Name, o.Name)
	email, err := user.StoredEmail(c.text("/email", text.Name, o.Email))
	c.rule("/email", err)
	o.Email = email
	c.rule("/mail", o.Mail.Check())
	c.rule("/preferences", o.Preferences.Check())
	c.unique("/email", KindUser, metadata.UserPlace(o))
	c.content.Users = append(c.content.Users, o)
}

// closeMetadata checks the references between metadata objects after the last of them,
// and builds the catalogue.
func (c *Checker) closeMetadata() {
	content := c.content
	c.catalogue = metadata.NewCatalogue(ident.Version{}, metadata.Content{
		States:          slices.Clone(content.States),
		Priorities:      slices.Clone(content.Priorities),
		Classifications: slices.Clone(content.Classifications),
		Components:      slices.Clone(content.Components),
		Milestones:      slices.Clone(content.Milestones),
		Users:           slices.Clone(content.Users),
	})
	c.places = nil
	switch nothing := c.last == KindStart; {
	case !nothing && c.start.Catalogue < 1:
		c.refuseAt(c.first[KindStart], "/catalogueVersion", "must be at least 1: there are metadata or users")
	case nothing && c.start.Catalogue != 0:
		c.refuseAt(c.first[KindStart], "/catalogueVersion", "must be 0: there are no metadata and users")
	}
	current := c.line
	for i, s := range content.States {
		c.line = c.first[KindState] + int64(i)
		for j, next := range s.Next {
			c.reference("/nextStates", metadata.States, next)
			if slices.Contains(s.Next[:j], next) {
				c.refuse("/nextStates", "must not contain a state twice")
			}
		}
	}
	for i, o := range content.Components {
		c.line = c.first[KindComponent] + int64(i)
		if !o.Parent.IsNone() {
			c.reference("/parent", metadata.Components, o.Parent)
		}
		if !o.Successor.IsNone() {
			c.reference("/successor", metadata.Components, o.Successor)
		}
		if c.catalogue.BelowItself(o) {
			c.refuse("/parent", "the component is its own parent, or that of one of its parents")
		}
		if c.catalogue.SucceedsItself(o) {
			c.refuse("/successor", "the component is its own successor, or that of one of its successors")
		}
	}
	for i, o := range content.Milestones {
		c.line = c.first[KindMilestone] + int64(i)
		if !o.Component.IsNone() {
			c.reference("/component", metadata.Components, o.Component)
		}
	}
	for i, o := range content.Users {
		c.line = c.first[KindUser] + int64(i)
		if !o.RobotOf.IsNone() {
			c.reference("/robotOf", metadata.Users, o.RobotOf)
		}
		if of, _ := c.catalogue.User(o.RobotOf); !of.RobotOf.IsNone() {
			c.refuse("/robotOf", "must be a person, not a robot")
		}
	}
	c.line = current
	if _, ok := c.catalogue.DefaultState(); !ok && len(content.Users)+len(content.States) > 0 {
		c.refuse("", "no state before this line is initial, and without one no problem can be created")
	}
}

func (c *Checker) token(t access.Token) {
	c.uniqueID(KindToken, c.tokenIDs, t.ID)
	if _, taken := c.digests[t.Digest]; taken {
		c.refuse("/sha256", "another token has this already")
	}
	c.digests[t.Digest] = struct{}{}
	c.reference("/user", metadata.Users, t.User)
	if t.Name != "" {
		t.Name = c.text("/name", text.Name, t.Name)
	}
	if !t.LastUse.IsZero() {
		c.moment("/lastUse", t.LastUse)
	}
	c.rule("/scope", t.Scope.Check())
	c.moment("/creationDate", t.Created)
	if !t.Expires.IsZero() {
		c.moment("/expires", t.Expires)
	}
	c.rule("/expires", t.CheckExpiry())
	if !t.Revoked.IsZero() {
		c.moment("/revoked", t.Revoked)
	} else if u, _ := c.catalogue.User(t.User); u.Inactive {
		c.refuse("/revoked", "must be a time: the user is inactive, and so has no token that works (D17)")
	}
	c.tokens = append(c.tokens, t)
}

// uniqueID checks that an identifier is unique within its kind.
func (c *Checker) uniqueID(kind Kind, taken map[ident.ID]struct{}, id ident.ID) {
	c.identifier("/identifier", id)
	if _, ok := taken[id]; ok {
		c.refuse("/identifier", "another %v has this already", kind)
	}
	taken[id] = struct{}{}
}

func list[T ~string](values []T) string {
	var names []string
	for _, v := range values {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}
