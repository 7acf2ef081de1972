package body

import (
	"github.com/problemtracking/problems/domain/date"
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

// setting sets one field, and adds the errors of its value for this problem to the faults.
type setting func(fields *problem.Fields, c *metadata.Catalogue, faults *fault.List)

// ResolvePatch returns the settings of the patch. It adds to faults all errors of the
// patch that are independent of the problem.
func ResolvePatch(p *problem.Patch, c *metadata.Catalogue, faults *fault.List) (set Settings) {
	for _, f := range clientFields {
		if s := problem.Sent(f, p, resolving{c, faults}); s != nil {
			set = append(set, s)
		}
	}
	if p.Read.Null {
		faults.Add(fault.InvalidValue, fault.At("read"), "cannot be null: send true or false")
	}
	return set
}

// resolving returns the settings of sent values: nil when none was sent, or no object
// matches.
type resolving struct {
	c      *metadata.Catalogue
	faults *fault.List
}

// Text implements problem.SentKinds, as do the methods below.
func (r resolving) Text(f *problem.Field, sent *patch.Field[string]) setting {
	if !sent.Sent {
		return nil
	}
	value := ""
	if !sent.Null || f.Required {
		value = Line(f.Rule, *sent, fault.At(f.Name), r.faults)
	}
	return func(fields *problem.Fields, _ *metadata.Catalogue, _ *fault.List) { *f.ClientText(fields) = value }
}

// Reference finds the object, and refuses one out of use where it is new.
func (r resolving) Reference(f *problem.Field, sent *patch.Field[metadata.Partial]) setting {
	var id ident.ID
	switch {
	case !sent.Sent:
		return nil
	case sent.Null && f.Required:
		r.faults.Add(fault.InvalidValue, fault.At(f.Name), "cannot be null: a problem is always in a %s", f.To)
		return nil
	case !sent.Null:
		var ok bool
		if id, ok = find(r.c, f.To, sent.Value, fault.At(f.Name), r.faults); !ok {
			return nil
		}
	}
	return func(fields *problem.Fields, c *metadata.Catalogue, faults *fault.List) {
		value := f.ClientReference(fields)
		if id != *value {
			checkNew(c, id, fault.At(f.Name), faults)
		}
		*value = id
	}
}

// Date sets a date, or none.
func (r resolving) Date(f *problem.Field, sent *patch.Field[date.Date]) setting {
	if !sent.Sent {
		return nil
	}
	value := sent.Value
	if !sent.Null {
		AddInvalid(r.faults, fault.At(f.Name), value.Check())
	}
	return func(fields *problem.Fields, _ *metadata.Catalogue, _ *fault.List) { *f.ClientDate(fields) = value }
}

// Apply returns the fields of a problem after the settings. It adds the errors of the
// settings for this problem to faults.
func (set Settings) Apply(old problem.Fields, c *metadata.Catalogue, faults *fault.List) problem.Fields {
	fields := old
	for _, s := range set {
		s(&fields, c, faults)
	}
	return fields
}
