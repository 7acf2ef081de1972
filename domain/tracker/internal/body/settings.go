package body

import (
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
)

// clientFields are the fields set by clients.
var clientFields = problem.ClientFields()

// Settings are the values of a patch of a problem, with its references resolved. They are
// the same for every problem.
type Settings []setting

// setting is a field with its new value.
type setting struct {
	*problem.Field
	text string   // of a TextField; empty for null
	id   ident.ID // of a ReferenceField
}

// ResolvePatch returns the settings of the patch. It adds to faults all errors of the
// patch that are independent of the problem.
func ResolvePatch(p *problem.Patch, c *metadata.Catalogue, faults *fault.List) (set Settings) {
	for _, f := range clientFields {
		s, ok := setting{Field: f}, false
		if f.Kind == problem.TextField {
			s.text, ok = sentText(f, *f.SentText(p), faults)
		} else {
			s.id, ok = sentReference(f, *f.SentReference(p), c, faults)
		}
		if ok {
			set = append(set, s)
		}
	}
	if p.Read.Null {
		faults.Add(fault.InvalidValue, fault.At("read"), "cannot be null: send true or false")
	}
	return set
}

// sentText returns the text to set. ok is false when none was sent.
func sentText(f *problem.Field, sent patch.Field[string], faults *fault.List) (value string, ok bool) {
	switch {
	case !sent.Sent:
		return "", false
	case sent.Null && !f.Required:
		return "", true
	}
	return Line(f.Rule, sent, fault.At(f.Name), faults), true
}

// sentReference returns the identifier to set. ok is false when none was sent, or no
// object matches.
func sentReference(f *problem.Field, sent patch.Field[metadata.Partial], c *metadata.Catalogue, faults *fault.List) (id ident.ID, ok bool) {
	switch {
	case !sent.Sent:
		return ident.None, false
	case sent.Null && f.Required:
		faults.Add(fault.InvalidValue, fault.At(f.Name), "cannot be null: a problem is always in a %s", f.To)
		return ident.None, false
	case sent.Null:
		return ident.None, true
	}
	return find(c, f.To, sent.Value, fault.At(f.Name), faults)
}

// Apply returns the fields of a problem after the settings. It adds the errors of the
// settings for this problem to faults.
func (set Settings) Apply(old problem.Fields, c *metadata.Catalogue, faults *fault.List) problem.Fields {
	fields := old
	for _, s := range set {
		if s.Kind == problem.TextField {
			*s.ClientText(&fields) = s.text
			continue
		}
		value := s.ClientReference(&fields)
		if s.id != *value {
			checkNew(c, s.id, fault.At(s.Name), faults)
		}
		*value = s.id
	}
	return fields
}
