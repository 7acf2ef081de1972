package predicate

import "errors"

// effort is the work of an evaluation, in units of about half a microsecond: that of
// a simple condition.
type effort struct {
	spent int
	// most is how much may be spent; without one, as much as is needed.
	most int
	// unseen is what was spent since the context was asked last.
	unseen int
}

const (
	// patience is how much is spent before the context is asked again whether
	// somebody still waits for the answer.
	patience = 256
	// bytesPerWork is how much text is compared or folded for one unit of work.
	bytesPerWork = 16
	// matchWork is the work for one character and a regular expression. It looks
	// at it in as many ways as maxPatternSize allows, at most.
	matchWork = 32
	// shortText is the length of texts, in bytes, that are matched in one go.
	shortText = 256
)

// errEffort says that an evaluation would take more work than it may.
var errEffort = errors.New("predicate: more work than it may take")

// textWork is the work for comparing or folding a value: none but for texts.
func textWork(v Value) int {
	s, _ := v.(string)
	return len(s) / bytesPerWork
}

// spend counts work before it is done, and returns the error of the context when it
// has one: a predicate can lead to a member by very many ways, and texts are long.
func (e *evaluation) spend(work int) error {
	e.spent += work
	if e.most > 0 && e.spent > e.most {
		return errEffort
	}
	if e.unseen += work; e.unseen < patience {
		return nil
	}
	e.unseen = 0
	return e.ctx.Err()
}
