// Package kinds describes the differences between the kinds of metadata objects, and of
// users, for the use cases that treat all of them alike.
package kinds

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Rules are the differences between the kinds of metadata objects, and of users. T is the
// type of an object, and P holds the members set by clients.
type Rules[T, P any] struct {
	Kind metadata.Kind
	List func(*metadata.Content) *[]T
	Find func(*metadata.Catalogue, ident.ID) (T, bool)
	ID   func(*T) *ident.ID
	Name func(*T) string
	// Sent returns the required member of a new object: the name.
	Sent func(*P) patch.Field[string]
	// Blank returns a new object with default values.
	Blank func(*metadata.Catalogue, time.Time) T
	// Apply returns the object after the patch, and adds the errors of the patch to the
	// faults.
	Apply func(p P, old T, c *metadata.Catalogue, faults *fault.List) T
	// Check refuses an object in conflict with the rest of the catalogue.
	Check func(*metadata.Catalogue, T) error
	// Members are the members of the object in the audit log: all members that can
	// change.
	Members func(T, *metadata.Catalogue) []problem.LogMember
	// FullName and Created return members written only by the service. They are nil for
	// a kind without such a member.
	FullName func(current T, c *metadata.Catalogue) string
	Created  func(current T) time.Time
	Put      func(T) store.Effect
	// NeedsUnused reports whether the change is refused while problems have the object.
	// Only problems in a state are counted. With nil, no change is.
	NeedsUnused func(old, changed T) bool
}

// NotFound returns the fault of an unknown identifier.
func (r *Rules[T, P]) NotFound() error {
	return fault.New(fault.NotFound, "there is no %s with this identifier", r.Kind)
}

// Compare compares the members written only by the service with the current values, by
// name (D11).
func (r *Rules[T, P]) Compare(sent expected.Object, current T, c *metadata.Catalogue) expected.Members {
	var fullName string
	if r.FullName != nil {
		fullName = r.FullName(current, c)
	}
	var created time.Time
	if r.Created != nil {
		created = r.Created(current)
	}
	return sent.All(*r.ID(&current), fullName, created)
}

// With returns the catalogue after the object was stored in a Change of the batch.
func (r *Rules[T, P]) With(c *metadata.Catalogue, object T, batch ident.ID) *metadata.Catalogue {
	content := c.Content().Clone()
	list := r.List(&content)
	i := slices.IndexFunc(*list, func(o T) bool { return *r.ID(&o) == *r.ID(&object) })
	if i < 0 {
		*list = append(*list, object)
	} else {
		(*list)[i] = object
	}
	return metadata.NewCatalogue(c.Version.Next(batch), content)
}
