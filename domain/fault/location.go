package fault

import (
	"slices"
	"strconv"
)

// Location is the location of a fault in the body of a request, as a path of names of
// members and indices of elements. The zero Location is the body as a whole.
type Location struct {
	outer *Location // nil for the body
	last  Step
	below bool // false for the body itself; it has no last step
}

// Step leads from a value to one within it.
type Step struct {
	Name  string // of a member
	Index int    // of an element, from 0, if Element is true
	// Element is true for a step into an array.
	Element bool
}

// At returns the location of a member of the body.
func At(member string) Location { return Location{last: Step{Name: member}, below: true} }

// Member returns the location of a member of the object at l.
func (l Location) Member(name string) Location { return l.step(Step{Name: name}) }

// Element returns the location of an element of the array at l, from 0.
func (l Location) Element(index int) Location { return l.step(Step{Index: index, Element: true}) }

func (l Location) step(last Step) Location {
	if !l.below {
		return Location{last: last, below: true}
	}
	return Location{outer: &l, last: last, below: true}
}

func (l Location) join(steps []Step) Location {
	for _, s := range steps {
		l = l.step(s)
	}
	return l
}

// Whole reports whether l is the body as a whole.
func (l Location) Whole() bool { return !l.below }

// Steps returns the steps from the body to l.
func (l Location) Steps() (steps []Step) {
	if !l.below {
		return nil
	}
	for at := &l; at != nil; at = at.outer {
		steps = append(steps, at.last)
	}
	slices.Reverse(steps)
	return steps
}

// Equal reports whether both are the same location.
func (l Location) Equal(other Location) bool { return slices.Equal(l.Steps(), other.Steps()) }

// String returns the location for a log, such as keywords[0].name, and "" for the whole.
func (l Location) String() (text string) {
	for i, s := range l.Steps() {
		switch {
		case s.Element:
			text += "[" + strconv.Itoa(s.Index) + "]"
		case i == 0:
			text = s.Name
		default:
			text += "." + s.Name
		}
	}
	return text
}
