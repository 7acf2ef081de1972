package tracker

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
)

// clientFields are the fields set by clients.
var clientFields = problem.ClientFields()

// settings are the values of a patch with its references resolved. They are the same
// for every problem.
type settings []setting

// setting is a field with its new value.
type setting struct {
	*problem.Field
	text string   // of a TextField; empty for null
	id   ident.ID // of a ReferenceField
}

// resolvePatch returns the settings of the patch. It adds to faults all errors of the
// patch that are independent of the problem.
func resolvePatch(p *ProblemPatch, c *metadata.Catalogue, faults *fault.List) (set settings) {
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
	return body.Line(f.Rule, sent, fault.At(f.Name), faults), true
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
	return body.Find(c, f.To, sent.Value, fault.At(f.Name), faults)
}

// apply returns the fields of a problem after the settings. It adds the errors of the
// settings for this problem to faults.
func (set settings) apply(old problem.Fields, c *metadata.Catalogue, faults *fault.List) problem.Fields {
	fields := old
	for _, s := range set {
		if s.Kind == problem.TextField {
			*s.ClientText(&fields) = s.text
			continue
		}
		value := s.ClientReference(&fields)
		if s.id != *value {
			body.CheckNew(c, s.id, fault.At(s.Name), faults)
		}
		*value = s.id
	}
	return fields
}

// applyPatch returns the fields after the patch, and adds the errors of the patch to
// faults.
func applyPatch(p *ProblemPatch, old problem.Fields, c *metadata.Catalogue, faults *fault.List) problem.Fields {
	return resolvePatch(p, c, faults).apply(old, c, faults)
}

// logFields returns the fields with a value, in the form of the log.
func logFields(f problem.Fields, c *metadata.Catalogue) problem.LogValue {
	members := make([]problem.LogMember, 0, len(clientFields))
	for _, field := range clientFields {
		members = append(members, problem.LogMember{Name: field.Name, Value: field.Log(&f, c.Name)})
	}
	return problem.LogObject(members...)
}

// checkInitial refuses a state unsuitable for new problems (D19).
func checkInitial(state ident.ID, c *metadata.Catalogue) error {
	if s, _ := c.State(state); s.Initial {
		return nil
	}
	var initial []string
	for _, s := range c.Content().States {
		if s.Initial {
			initial = append(initial, s.Name)
		}
	}
	return fault.New(fault.TransitionNotAllowed, "problems are not created in this state, but in: %s", strings.Join(initial, ", "))
}

// checkTransition refuses a transition forbidden by the current state (D19).
func checkTransition(from, to ident.ID, c *metadata.Catalogue) error {
	current, _ := c.State(from)
	if from == to || slices.Contains(current.Next, to) {
		return nil
	}
	if len(current.Next) == 0 {
		return fault.New(fault.TransitionNotAllowed, "%q is a terminal state: nothing follows it", current.Name)
	}
	var next []string
	for _, s := range c.Content().States {
		if slices.Contains(current.Next, s.ID) {
			next = append(next, s.Name)
		}
	}
	return fault.New(fault.TransitionNotAllowed, "from %q a problem can move to: %s", current.Name, strings.Join(next, ", "))
}
