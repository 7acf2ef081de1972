package eval

import (
	"errors"

	"github.com/problemtracking/problems/domain/predicate"
)

// effort counts the work of an evaluation. One unit is about half a microsecond, the
// time of a simple condition.
type effort struct {
	spent int
	// limit bounds spent. 0 means no limit.
	limit int
	// sinceCheck is the work since the last look at the context.
	sinceCheck int
}

const (
	// checkInterval is the work between two looks at the context. A look tells if the client
	// still waits.
	checkInterval = 256
	// bytesPerWork is the length of text that one unit of work compares or folds.
	bytesPerWork = 16
	// matchWork is the work of a regular expression for one character. It covers as many
	// states as package check allows.
	matchWork = 32
	// shortText is the length of texts, in bytes, to match in one go.
	shortText = 256
)

// errEffort reports an evaluation beyond its limit of work.
var errEffort = errors.New("predicate: more work than it may take")

// textWork is the work to compare or fold a value. It is 0 for all values but texts.
func textWork(v predicate.Value) int {
	s, _ := v.(string)
	return len(s) / bytesPerWork
}

// equalWork is the work to find out whether two values are equal. Texts of different
// lengths need no look at their bytes, and others are compared 64 times as fast as folded.
func equalWork(v, w predicate.Value) int {
	s, _ := v.(string)
	if t, ok := w.(string); !ok || len(s) != len(t) {
		return 0
	}
	return textWork(v) / 64
}

// membersWork is the work to get the members of a key, beside the visits. Metadata makes an
// entry for each of them at every Get, and a problem keeps its members.
func membersWork(key *predicate.Key, n int) int {
	if key.Of == predicate.Problem {
		return 0
	}
	return n / 2
}

// spend counts work before it is done. It returns the error of a done context. Without
// it nothing would bound an evaluation: texts are long, and very many ways can lead to
// one member.
func (e *evaluation) spend(work int) error {
	e.spent += work
	if e.limit > 0 && e.spent > e.limit {
		return errEffort
	}
	if e.sinceCheck += work; e.sinceCheck < checkInterval {
		return nil
	}
	e.sinceCheck = 0
	return e.ctx.Err()
}
