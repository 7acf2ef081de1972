package tracker

import (
	"maps"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/text"
)

// checkReadOnly compares the members that only the service writes with the
// current values, so that a problem can be sent back as it was read, but not
// with an edit that would be lost (D11).
func checkReadOnly(cmd UpdateProblem, l loaded, faults *fault.List) {
	refuse := func(name string) {
		faults.Add(fault.ReadOnlyField, "/"+name, "%s is written by the service: leave it out, or send it as it is", name)
	}
	if cmd.Identifier.Sent && cmd.Identifier.Value != l.ID {
		refuse("identifier")
	}
	for _, name := range slices.Sorted(maps.Keys(cmd.ReadOnly)) {
		if !sameAsCurrent(name, cmd.ReadOnly[name], l) {
			refuse(name)
		}
	}
}

func sameAsCurrent(name string, value any, l loaded) bool {
	switch name {
	case "originator":
		return sameUser(value, l.Originator, l.catalogue)
	case "resolver":
		return sameUser(value, l.Resolver, l.catalogue)
	case "creationDate":
		return sameInstant(value, l.Created)
	case "resolveDate":
		return sameInstant(value, l.Resolved)
	case "keywords":
		return sameKeywords(value, l.Keywords)
	}
	return false
}

// sameUser compares by identity: a user who is sent with his identifier is the
// same though he was renamed since (D11).
func sameUser(value any, current ident.ID, c *metadata.Catalogue) bool {
	if value == nil || current.IsNone() {
		return value == nil && current.IsNone()
	}
	if sent, ok := value.(map[string]any); ok && sent["identifier"] != nil {
		return sent["identifier"] == current.String()
	}
	id, faults := c.Resolve(metadata.Users, value, "")
	return len(faults) == 0 && id == current
}

func sameInstant(value any, current time.Time) bool {
	if value == nil || current.IsZero() {
		return value == nil && current.IsZero()
	}
	s, ok := value.(string)
	t, err := text.ParseTime(s)
	return ok && err == nil && t.Equal(current)
}

func sameKeywords(value any, current []problem.Keyword) bool {
	sent, ok := value.([]any)
	if !ok || len(sent) != len(current) {
		return false
	}
	var keywords []problem.Keyword
	for _, element := range sent {
		member, ok := element.(map[string]any)
		name, named := member["name"].(string)
		v, present := member["value"]
		s, isText := v.(string)
		if !ok || !named || !present || len(member) != 2 || v != nil && !isText {
			return false
		}
		keywords = append(keywords, problem.Keyword{
			Name:  text.NFC(name),
			Value: problem.NullText{String: text.NFC(s), Valid: isText},
		})
	}
	for _, k := range current {
		if !slices.Contains(keywords, k) {
			return false
		}
	}
	return true
}
