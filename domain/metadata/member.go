package metadata

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/user"
)

// The members of partials (D2), in the order of error messages.
var (
	stateMembers = []member[State]{
		{"identifier", identifier(func(o *State) ident.ID { return o.ID })},
		{"name", line(func(o *State) string { return o.Name })},
		{"resolved", flag(func(o *State) bool { return o.Resolved })},
		{"initial", flag(func(o *State) bool { return o.Initial })},
		{"order", integer(func(o *State) int { return o.Order })},
		{"nextStates", references(States, func(o *State) []ident.ID { return o.Next })},
	}
	priorityMembers = []member[Priority]{
		{"identifier", identifier(func(o *Priority) ident.ID { return o.ID })},
		{"name", line(func(o *Priority) string { return o.Name })},
		{"order", integer(func(o *Priority) int { return o.Order })},
	}
	classificationMembers = []member[Classification]{
		{"identifier", identifier(func(o *Classification) ident.ID { return o.ID })},
		{"name", line(func(o *Classification) string { return o.Name })},
	}
	componentMembers = []member[Component]{
		{"identifier", identifier(func(o *Component) ident.ID { return o.ID })},
		{"name", line(func(o *Component) string { return o.Name })},
		{"fullName", fullName},
		{"closed", flag(func(o *Component) bool { return o.Closed })},
		{"successor", reference(Components, func(o *Component) ident.ID { return o.Successor })},
		{"parent", reference(Components, func(o *Component) ident.ID { return o.Parent })},
	}
	milestoneMembers = []member[Milestone]{
		{"identifier", identifier(func(o *Milestone) ident.ID { return o.ID })},
		{"name", line(func(o *Milestone) string { return o.Name })},
		{"component", reference(Components, func(o *Milestone) ident.ID { return o.Component })},
		{"creationDate", instant(func(o *Milestone) time.Time { return o.Created })},
		{"startDate", nullInstant(func(o *Milestone) time.Time { return o.Start })},
		{"endDate", nullInstant(func(o *Milestone) time.Time { return o.End })},
	}
	userMembers = []member[user.User]{
		{"identifier", identifier(func(o *user.User) ident.ID { return o.ID })},
		{"name", line(func(o *user.User) string { return o.Name })},
		{"email", email(func(o *user.User) string { return o.Email })},
		{"inactive", flag(func(o *user.User) bool { return o.Inactive })},
		{"robotOf", reference(Users, func(o *user.User) ident.ID { return o.RobotOf })},
	}
)

// member is a member of the objects of type T.
type member[T any] struct {
	name string
	read read[T]
}

// read checks the type of a member's value in a partial. It returns the test for objects
// with this value. After a reported fault, the test must not be used.
type read[T any] func(r *reader, given Partial, where fault.Location) test[T]

// test reports whether an object has the value from a partial.
type test[T any] func(*T) bool

// typed reads values of type V. compare returns nil for a value of another type after
// all.
func typed[V Partial, T any](want string, compare func(V) test[T]) read[T] {
	return func(r *reader, given Partial, where fault.Location) test[T] {
		if value, ok := given.(V); ok {
			if passes := compare(value); passes != nil {
				return passes
			}
		}
		r.faults.Add(fault.InvalidType, where, "must be %s", want)
		return nil
	}
}

func flag[T any](get func(*T) bool) read[T] {
	return typed("true or false", func(given Flag) test[T] {
		return func(o *T) bool { return get(o) == bool(given) }
	})
}

func integer[T any](get func(*T) int) read[T] {
	return typed("an integer", func(given Number) test[T] {
		n, err := strconv.Atoi(string(given))
		if errors.Is(err, strconv.ErrSyntax) { // such as 7.0 (D18)
			return nil
		}
		return func(o *T) bool { return err == nil && get(o) == n }
	})
}

// identifier reads an identifier. Any other string becomes None, and no object has None.
func identifier[T any](get func(*T) ident.ID) read[T] {
	return typed("a string", func(given Text) test[T] {
		id, _ := ident.Parse(string(given))
		return func(o *T) bool { return get(o) == id }
	})
}

func line[T any](get func(*T) string) read[T] {
	return textLine(func(given string) test[T] {
		return func(o *T) bool { return get(o) == given }
	})
}

func email[T any](get func(*T) string) read[T] {
	return textLine(func(given string) test[T] {
		given = user.FoldEmail(given)
		return func(o *T) bool { return user.FoldEmail(get(o)) == given }
	})
}

// textLine reads a text of one line, in the stored form of names (D9).
func textLine[T any](compare func(string) test[T]) read[T] {
	return func(r *reader, given Partial, where fault.Location) test[T] {
		return typed("a string", func(given Text) test[T] {
			line, err := anyName.Apply(string(given))
			if err != nil {
				r.faults.Add(fault.InvalidValue, where, "%v", err)
			}
			return compare(line)
		})(r, given, where)
	}
}

// anyName is the rule of names without a bound on the length: too long a name matches no
// object.
var anyName = text.Rule{Line: true}

func fullName(r *reader, given Partial, where fault.Location) test[Component] {
	return line(func(o *Component) string { return r.catalogue.FullName(o.ID) })(r, given, where)
}

// instant also reads a string without a valid time: it matches no object.
func instant[T any](get func(*T) time.Time) read[T] {
	return typed("a string", func(given Text) test[T] {
		at, err := text.ParseTime(string(given))
		return func(o *T) bool { return err == nil && !get(o).IsZero() && get(o).Equal(at) }
	})
}

func nullInstant[T any](get func(*T) time.Time) read[T] {
	return func(r *reader, given Partial, where fault.Location) test[T] {
		if given == nil {
			return func(o *T) bool { return get(o).IsZero() }
		}
		return instant(get)(r, given, where)
	}
}

// reference reads a partial of the object behind a member, or null.
func reference[T any](kind Kind, get func(*T) ident.ID) read[T] {
	return func(r *reader, given Partial, where fault.Location) test[T] {
		if given == nil {
			return func(o *T) bool { return get(o).IsNone() }
		}
		fits := r.nested(kind, given, where)
		return func(o *T) bool { return fits(get(o)) }
	}
}

// references reads an array of partials as a set. Each partial must match one of the
// referenced objects, and each referenced object must match one partial.
func references[T any](kind Kind, get func(*T) []ident.ID) read[T] {
	return func(r *reader, given Partial, where fault.Location) test[T] {
		list, ok := given.(List)
		if !ok {
			r.faults.Add(fault.InvalidType, where, "must be an array of objects")
			return nil
		}
		if err := CheckNext(len(list)); err != nil {
			r.faults.Add(fault.InvalidValue, where, "%v", err)
			return nil
		}
		partials := make([]func(ident.ID) bool, len(list))
		for i, partial := range list {
			partials[i] = r.nested(kind, partial, where.Element(i))
		}
		return func(o *T) bool {
			ids := get(o)
			for _, fits := range partials {
				if !slices.ContainsFunc(ids, fits) {
					return false
				}
			}
			for _, id := range ids {
				if !slices.ContainsFunc(partials, func(fits func(ident.ID) bool) bool { return fits(id) }) {
					return false
				}
			}
			return true
		}
	}
}
