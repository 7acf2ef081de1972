package linear

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Inconclusive is the error of a History without a verdict in time. It says nothing about
// the implementation.
type Inconclusive struct {
	Operations int
	Limit      time.Duration
}

func (e *Inconclusive) Error() string {
	return fmt.Sprintf("the check was inconclusive: within %v it was not found out whether an order of the %d operations explains their answers", e.Limit, e.Operations)
}

// Violation is the error of a History without a linear order.
type Violation struct {
	// Operations is their number, and Explained the number of those with an order that
	// explains their answers.
	Operations, Explained int
	// Before describes the last explained operations, in their order.
	Before []string
	// State describes the state after them.
	State string
	// Stuck describes the candidates for the next operation. None of them fits.
	Stuck []string
}

func (v *Violation) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "no order of the %d operations explains their answers.", v.Operations)
	if v.Explained > 0 {
		fmt.Fprintf(&text, " At most %d of them can be put in order. The last of these are:", v.Explained)
		list(&text, v.Before)
	}
	fmt.Fprintf(&text, "\nThen there is %s.\nOne of the following has to come next, and none can:", v.State)
	list(&text, v.Stuck)
	return text.String()
}

func list(text *strings.Builder, sentences []string) {
	for _, sentence := range sentences {
		text.WriteString("\n  ")
		text.WriteString(sentence)
	}
}

// shown is the limit of explained operations in a Violation.
const shown = 6

// violation describes operations with a partial order.
func (m Model[State, In, Out]) violation(ops []Operation[In, Out], ordered []int) *Violation {
	v := &Violation{Operations: len(ops), Explained: len(ordered)}
	state, done := m.Start, make([]bool, len(ops))
	for i, n := range ordered {
		state, _ = m.Step(state, ops[n].In, ops[n].Out)
		done[n] = true
		if i >= len(ordered)-shown {
			v.Before = append(v.Before, m.sentence(ops[n]))
		}
	}
	v.State = m.Shown(state)
	end := int64(math.MaxInt64) // of the first end among the others
	for n, op := range ops {
		if !done[n] {
			end = min(end, op.Returned)
		}
	}
	for n, op := range ops {
		if !done[n] && op.Called <= end {
			v.Stuck = append(v.Stuck, m.sentence(op))
		}
	}
	return v
}

// sentence tells of an operation.
func (m Model[State, In, Out]) sentence(op Operation[In, Out]) string {
	return fmt.Sprintf("From moment %d to %d, client %d asked %s, and was told: %s.", op.Called, op.Returned, op.Client, m.Asked(op.In), m.Told(op.In, op.Out))
}
