package audit

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

// Erased is the field of the entry about an erasure (D46).
const Erased = "erased"

// Erasing returns the entry without the former names and addresses of an erased user. tokens are
// those of the user.
func (e Entry) Erasing(erased user.User, tokens map[ident.ID]bool) Entry {
	of := problem.Erasure{User: erased.ID, Name: erased.Name}
	e.From, e.To = of.In(e.From), of.In(e.To)
	if e.Kind == Token && tokens[e.Object] {
		e.Name = erased.Name
	}
	if e.Kind != User || e.Object != erased.ID {
		return e
	}
	e.Name = erased.Name
	stands := map[string]problem.LogValue{"name": problem.LogText(erased.Name), "email": problem.LogText(erased.Email)}
	if now, ok := stands[e.Field]; ok {
		e.From, e.To = now, now
	}
	e.To = e.To.EachMember(func(m problem.LogMember) problem.LogValue {
		if now, ok := stands[m.Name]; ok {
			return now
		}
		return m.Value
	})
	return e
}
