package problem

import (
	"encoding/json"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
)

// Erasure replaces the name of a user wherever a log has it (D46).
type Erasure struct {
	User ident.ID
	Name string
}

// Entry returns the log entry with the name.
func (e Erasure) Entry(of LogEntry) LogEntry {
	of.From, of.To = e.In(of.From), e.In(of.To)
	return of
}

// In returns a value with the name in each reference to the user, also within objects.
func (e Erasure) In(v LogValue) LogValue {
	if !strings.Contains(string(v), e.User.String()) {
		return v
	}
	reference := false
	v.EachMember(func(m LogMember) LogValue {
		reference = reference || m == LogMember{"identifier", LogText(e.User.String())}
		return m.Value
	})
	return v.EachMember(func(m LogMember) LogValue {
		if reference && m.Name == "name" {
			return LogText(e.Name)
		}
		return e.In(m.Value)
	})
}

// EachMember returns the value with each member of the object replaced. It returns any other value, and
// one without a difference, as it is.
func (v LogValue) EachMember(replaced func(LogMember) LogValue) LogValue {
	d := json.NewDecoder(strings.NewReader(v.JSON()))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return v
	}
	var members []LogMember
	changed := false
	for d.More() {
		name, err := d.Token()
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			return v
		}
		m := LogMember{name.(string), LogValue(raw)}
		m.Value = replaced(m)
		changed = changed || m.Value != LogValue(raw)
		members = append(members, m)
	}
	if !changed {
		return v
	}
	return LogObject(members...)
}
