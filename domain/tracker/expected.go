package tracker

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
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
		if !sameAsCurrent(name, cmd.ReadOnly[name], l.Snapshot, l.catalogue) {
			refuse(name)
		}
	}
}

// ignored returns the names of the members that were sent with another value than the
// problem has, sorted: they are not stored, which the client is to know.
func ignored(sent map[string]any, s store.Snapshot, c *metadata.Catalogue) (names []string) {
	for name, value := range sent {
		if value != nil && !sameAsCurrent(name, value, s, c) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func sameAsCurrent(name string, value any, s store.Snapshot, c *metadata.Catalogue) bool {
	switch name {
	case "identifier":
		return sameNumber(value, int64(s.ID))
	case "originator":
		return sameUser(value, s.Originator, c)
	case "modifier":
		return sameUser(value, s.Modifier, c)
	case "resolver":
		return sameUser(value, s.Resolver, c)
	case "creationDate":
		return sameInstant(value, s.Created)
	case "modificationDate":
		return sameInstant(value, s.Modified)
	case "resolveDate":
		return sameInstant(value, s.Resolved)
	case "keywords":
		return sameKeywords(value, s.Keywords)
	case "watching":
		return value == any(s.Watching)
	case "readByAssignee":
		return value == any(s.ReadByAssignee)
	case "revision":
		return sameNumber(value, s.Revision)
	case "logs":
		return sameLog(value, s.Log, c)
	}
	return false
}

func sameNumber(value any, current int64) bool {
	n, ok := value.(json.Number)
	return ok && string(n) == strconv.FormatInt(current, 10)
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

// sameLog reports whether all entries that were sent are in the log, as they are there.
// They need not be all: answers to writes have those of their own batch.
func sameLog(value any, current []problem.LogEntry, c *metadata.Catalogue) bool {
	sent, ok := value.([]any)
	if !ok {
		return false
	}
	entries := make(map[string]problem.LogEntry, len(current))
	if len(sent) > 0 {
		for _, e := range current {
			entries[e.ID.String()] = e
		}
	}
	for _, element := range sent {
		members, _ := element.(map[string]any)
		id, _ := members["identifier"].(string)
		e, found := entries[id]
		if !found || !sameEntry(members, e, c) {
			return false
		}
	}
	return true
}

func sameEntry(sent map[string]any, e problem.LogEntry, c *metadata.Catalogue) bool {
	for name, value := range sent {
		same := false
		switch name {
		case "identifier":
			same = value == any(e.ID.String())
		case "type":
			same = value == any(string(e.Type))
		case "creationDate":
			same = sameInstant(value, e.Created)
		case "author":
			same = sameUser(value, e.Author, c)
		case "batchIdentifier":
			same = value == any(e.Batch.String())
		case "isSignificant":
			same = value == any(e.Type.Significant())
		case "field":
			same = value == any(e.Field) || value == nil && e.Field == ""
		case "from":
			same = sameLogged(value, e.From)
		case "to":
			same = sameLogged(value, e.To)
		}
		if !same {
			return false
		}
	}
	return true
}

func sameLogged(value any, current problem.LogValue) bool {
	d := json.NewDecoder(strings.NewReader(current.JSON()))
	d.UseNumber()
	var logged any
	return d.Decode(&logged) == nil && reflect.DeepEqual(value, logged)
}
