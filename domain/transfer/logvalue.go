package transfer

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/text"
)

// shown checks the change described by an entry, by the table of D8. It normalises the
// values to the form used by the service.
func (c *Checker) shown(e *problem.LogEntry) {
	switch e.Type {
	case problem.ProblemCreated:
		c.field(e, "")
		c.null("/from", e.From)
		e.To, c.history.fields = c.shownFields(e.To)
	case problem.FieldChanged:
		c.shownField(e)
	case problem.CommentAdded:
		c.field(e, "comments")
		c.null("/from", e.From)
		e.To = c.shownCommentID(e.To)
	case problem.CommentEdited:
		c.field(e, "comments")
		e.From = c.shownComment(e.From, false)
		e.To = c.shownCommentID(e.To)
		if before, _ := e.From.Comment(); problem.LogText(before.ID.String()) != e.To {
			c.refuse("/to", "must be the identifier of the comment in from")
		}
	case problem.CommentDeleted:
		c.field(e, "comments")
		e.From = c.shownComment(e.From, true)
		c.null("/to", e.To)
	case problem.AttachmentAdded, problem.AttachmentDeleted:
		c.field(e, "attachments")
		c.oneSide(e, e.Type == problem.AttachmentAdded, c.shownAttachment)
	case problem.KeywordSet, problem.KeywordDeleted:
		e.Field = c.text("/field", text.KeywordName, e.Field)
		if e.From != "" || e.Type == problem.KeywordDeleted {
			e.From = c.shownKeyword("/from", e.From)
		}
		if e.Type == problem.KeywordDeleted {
			c.null("/to", e.To)
		} else {
			e.To = c.shownKeyword("/to", e.To)
		}
	case problem.RelationshipAdded, problem.RelationshipDeleted:
		c.rule("/field", relationship.Type(e.Field).Check())
		c.oneSide(e, e.Type == problem.RelationshipAdded, func(field string, v problem.LogValue) problem.LogValue {
			return c.shownLink(field, v)
		})
	case problem.WatcherAdded, problem.WatcherRemoved:
		c.field(e, "watchers")
		c.oneSide(e, e.Type == problem.WatcherAdded, func(field string, v problem.LogValue) problem.LogValue {
			v, _ = c.shownRef(field, metadata.Users, v)
			return v
		})
	case problem.ClaimTaken, problem.ClaimEnded:
		c.field(e, "claim")
		if e.From != "" || e.Type == problem.ClaimEnded {
			e.From = c.shownClaim("/from", e.From)
		}
		if e.Type == problem.ClaimEnded {
			c.null("/to", e.To)
		} else {
			e.To = c.shownClaim("/to", e.To)
		}
	case problem.Redacted:
		c.field(e, "")
		c.null("/from", e.From)
		n, ok := e.To.Places()
		if !ok {
			c.refuse("/to", `must be {"places":n}, with a number from 1`)
		}
		e.To = problem.LogPlaces(n)
	default:
		c.refuse("/type", "must be a type of log entry, such as %s", problem.FieldChanged)
	}
}

// oneSide checks an entry with just one value: "to" or else "from".
func (c *Checker) oneSide(e *problem.LogEntry, to bool, check func(field string, v problem.LogValue) problem.LogValue) {
	if to {
		c.null("/from", e.From)
		e.To = check("/to", e.To)
	} else {
		e.From = check("/from", e.From)
		c.null("/to", e.To)
	}
}

func (c *Checker) field(e *problem.LogEntry, want string) {
	switch {
	case e.Field == want:
	case want == "":
		c.refuse("/field", "must be null with this type")
	default:
		c.refuse("/field", "must be %q with this type", want)
	}
}

func (c *Checker) null(field string, v problem.LogValue) {
	if v != "" {
		c.refuse(field, "must be null with this type")
	}
}

// shownField checks a change of one field, and applies it.
func (c *Checker) shownField(e *problem.LogEntry) {
	f := problem.FieldNamed(e.Field)
	if f == nil || !f.Client {
		c.refuse("/field", "must be the name of a field that clients can set")
		return
	}
	fields := &c.history.fields
	var from problem.Fields
	e.From = problem.ClientValue(f, &from, shownOrNull{shownAs{c, "/from", e.From}})
	unexpected := !f.Same(&from, fields)
	e.To = problem.ClientValue(f, fields, shownOrNull{shownAs{c, "/to", e.To}})
	if unexpected {
		c.refuse("/from", "the log leads to another value")
	}
}

// shownFields reads the initial fields of a problem.
func (c *Checker) shownFields(v problem.LogValue) (problem.LogValue, problem.Fields) {
	var fields problem.Fields
	var members []problem.LogMember
	object := c.shownObject("/to", v)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if f := problem.FieldNamed(name); f == nil || !f.Client {
			c.refuse(Pointer("/to", name), "is not known here")
		}
	}
	for _, f := range clientFields {
		value, set := object[f.Name]
		if !set && !(f.Required && f.Kind() == problem.TextField) {
			continue
		}
		// An initial field is never null.
		read := problem.ClientValue(f, &fields, shownAs{c, "/to/" + f.Name, value})
		members = append(members, problem.LogMember{Name: f.Name, Value: read})
	}
	return problem.LogObject(members...), fields
}

// shownAs reads the value of a field, shown at a place of the record. It returns the value
// in the form used by the service.
type shownAs struct {
	c     *Checker
	place string
	v     problem.LogValue
}

// Text implements problem.ClientKinds, as does the method below.
func (s shownAs) Text(f *problem.Field, into *string) problem.LogValue {
	s.v, *into = s.c.shownText(s.place, f.Rule, s.v)
	return s.v
}

// Reference never reads null.
func (s shownAs) Reference(f *problem.Field, into *ident.ID) problem.LogValue {
	s.v, *into = s.c.shownRef(s.place, f.To, s.v)
	return s.v
}

// Date never reads null.
func (s shownAs) Date(_ *problem.Field, into *date.Date) problem.LogValue {
	written, _ := s.v.Text()
	var err error
	*into, err = date.Parse(written)
	s.c.rule(s.place, err)
	return problem.LogText(written)
}

// shownOrNull reads one side of a change of a field.
type shownOrNull struct{ shownAs }

func (s shownOrNull) Text(f *problem.Field, into *string) problem.LogValue {
	if s.v == "" && !f.Required {
		*into = ""
		return ""
	}
	return s.shownAs.Text(f, into)
}

func (s shownOrNull) Reference(f *problem.Field, into *ident.ID) problem.LogValue {
	if s.v == "" {
		*into = ident.None
		return ""
	}
	return s.shownAs.Reference(f, into)
}

func (s shownOrNull) Date(f *problem.Field, into *date.Date) problem.LogValue {
	if s.v == "" {
		*into = date.None
		return ""
	}
	return s.shownAs.Date(f, into)
}

// shownText reads a string.
func (c *Checker) shownText(field string, rule text.Rule, v problem.LogValue) (problem.LogValue, string) {
	if s, ok := plain(v); ok {
		applied := c.text(field, rule, s)
		if applied != s {
			v = problem.LogText(applied)
		}
		return v, applied
	}
	var s *string
	if err := json.Unmarshal([]byte(v.JSON()), &s); err != nil || s == nil {
		c.refuse(field, "must be a string")
		return v, ""
	}
	applied := c.text(field, rule, *s)
	return problem.LogText(applied), applied
}

// shownRef reads a metadata object or user. Its name is historical.
func (c *Checker) shownRef(field string, kind metadata.Kind, v problem.LogValue) (problem.LogValue, ident.ID) {
	written, name, ok := plainRef(v)
	if !ok {
		object := c.shownObject(field, v, "identifier", "name")
		if c.fault != nil {
			return v, ident.None
		}
		_, written = c.shownText(field+"/identifier", text.Rule{}, object["identifier"])
		_, name = c.shownText(field+"/name", text.Rule{}, object["name"])
	}
	id, err := ident.Parse(written)
	if err != nil {
		c.refuse(field+"/identifier", "must be the identifier of a %s", kind)
	}
	c.reference(field+"/identifier", kind, id)
	applied := c.text(field+"/name", text.Name, name)
	if !ok || applied != name {
		v = problem.LogRef(id, applied)
	}
	return v, id
}

// plain returns the string of a value in the form used by the service and without
// escapes. Most values have this form, and plain is much faster than any decoder.
func plain(v problem.LogValue) (string, bool) {
	n := len(v) - 1
	if n < 1 || v[0] != '"' || v[n] != '"' {
		return "", false
	}
	s := string(v[1:n])
	return s, strings.IndexByte(s, '"') < 0 && strings.IndexByte(s, '\\') < 0 &&
		!strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029") // escaped by LogText
}

// plainRef does the same with a value of LogRef.
func plainRef(v problem.LogValue) (id, name string, ok bool) {
	const before, between, after = `{"identifier":`, `,"name":`, "}"
	rest, found := strings.CutPrefix(string(v), before)
	if !found {
		return "", "", false
	}
	rest, closed := strings.CutSuffix(rest, after)
	first, second, found := strings.Cut(rest, between)
	id, plainID := plain(problem.LogValue(first))
	name, plainName := plain(problem.LogValue(second))
	return id, name, found && closed && plainID && plainName
}

// shownCommentID reads the identifier of a comment of the problem.
func (c *Checker) shownCommentID(v problem.LogValue) problem.LogValue {
	v, id := c.shownText("/to", text.Rule{}, v)
	comment, err := ident.Parse(id)
	if err != nil {
		c.refuse("/to", "must be the identifier of the comment")
	}
	c.history.comments = append(c.history.comments, mentioned{comment, c.line, "/to"})
	return v
}

// shownComment reads a comment of the problem before an edit, or before its deletion.
func (c *Checker) shownComment(v problem.LogValue, deleted bool) problem.LogValue {
	const field = "/from"
	names := []string{"identifier", "text", "html", "editDate", "editor"}
	if deleted {
		names = append(names, "author", "creationDate")
	}
	object := c.shownObject(field, v, names...)
	before, ok := v.Comment()
	if c.fault != nil || !ok {
		c.refuse(field, "must be the comment as it was before")
		return v
	}
	c.edited(field, &before)
	shownUser := func(member string) (ref problem.LogValue) {
		if object[member] != "" {
			ref, _ = c.shownRef(field+"/"+member, metadata.Users, object[member])
		}
		return ref
	}
	editor := shownUser("editor")
	c.history.comments = append(c.history.comments, mentioned{before.ID, c.line, field + "/identifier"})
	if !deleted {
		return problem.LogComment(before, editor)
	}
	c.moment(field+"/creationDate", before.Created)
	c.reference(field+"/author", metadata.Users, before.Author)
	return problem.LogDeletedComment(before, shownUser("author"), editor)
}

// shownAttachment reads an attachment of the problem.
func (c *Checker) shownAttachment(field string, v problem.LogValue) problem.LogValue {
	c.shownObject(field, v, "identifier", "name", "mediaType", "size", "digest")
	a, ok := v.Attachment()
	if c.fault != nil || !ok {
		c.refuse(field, "must be an attachment with its identifier and its digest")
		return v
	}
	c.fileMembers(field, &a)
	c.history.files = append(c.history.files, mentioned{a.ID, c.line, field + "/identifier"})
	return a.Log()
}

// shownClaim reads a claim.
func (c *Checker) shownClaim(field string, v problem.LogValue) problem.LogValue {
	object := c.shownObject(field, v, "identifier", "holder", "expires")
	claim, ok := v.Claim()
	if c.fault != nil || !ok {
		c.refuse(field, "must be a claim with its identifier, its holder and its expiry")
		return v
	}
	c.moment(field+"/expires", claim.Expires)
	holder, _ := c.shownRef(field+"/holder", metadata.Users, object["holder"])
	return claim.Log(holder)
}

// shownLink reads the other problem of a relationship.
func (c *Checker) shownLink(field string, v problem.LogValue) problem.LogValue {
	object := c.shownObject(field, v, "problemIdentifier")
	if c.fault != nil {
		return v
	}
	var other problem.ID
	if err := json.Unmarshal([]byte(object["problemIdentifier"].JSON()), &other); err != nil || other < 1 {
		c.refuse(field+"/problemIdentifier", "must be the number of a problem")
		return v
	}
	c.graph.mention(c, other, field == "/to")
	return problem.LogLink(other)
}

// shownKeyword reads the value of a present keyword.
func (c *Checker) shownKeyword(field string, v problem.LogValue) problem.LogValue {
	if v != "" && v[0] == '{' {
		if object := c.shownObject(field, v, "value"); c.fault == nil && object["value"] != "" {
			c.refuse(field+"/value", "must be null: a value stands by itself")
		}
		return problem.LogNoValue
	}
	if v == "" {
		c.refuse(field, `must be a string, or {"value":null} for a keyword without value`)
		return v
	}
	v, _ = c.shownText(field, text.KeywordValue, v)
	return v
}

// shownObject reads an object with exactly the given members. If none are given, any
// members are allowed.
func (c *Checker) shownObject(field string, v problem.LogValue, names ...string) map[string]problem.LogValue {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(v.JSON()), &raw); err != nil || raw == nil {
		c.refuse(field, "must be an object")
		return nil
	}
	members := make(map[string]problem.LogValue, len(raw))
	for name, value := range raw {
		if string(value) == "null" {
			value = nil
		}
		members[name] = problem.LogValue(value)
	}
	for _, name := range names {
		if _, ok := members[name]; !ok {
			c.refuse(field, "must have the member %q", name)
		}
	}
	if len(names) > 0 && len(members) > len(names) {
		c.refuse(field, "must have no members but: %s", list(names))
	}
	return members
}
