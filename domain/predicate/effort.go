package predicate

import "errors"

// effort counts the work of an evaluation. One unit is about half a microsecond, the
// time of a simple condition.
type effort struct {
	spent int
	// most is the limit of spent work. 0 means no limit.
	most int
	// unseen is the work since the last look at the context.
	unseen int
}

const (
	// patience is the work between two looks at the context. A look tells if the client
	// still waits.
	patience = 256
	// bytesPerWork is the length of text that one unit of work compares or folds.
	bytesPerWork = 16
	// matchWork is the work of a regular expression for one character. It covers as many
	// states as maxPatternSize allows.
	matchWork = 32
	// shortText is the length of texts, in bytes, to match in one go.
	shortText = 256
)

// errEffort reports an evaluation beyond its limit of work.
var errEffort = errors.New("predicate: more work than it may take")

// textWork is the work to compare or fold a value. It is 0 for all values but texts.
func textWork(v Value) int {
	s, _ := v.(string)
	return len(s) / bytesPerWork
}

// spend counts work before it is done. It returns the error of a done context. Without
// it nothing would bound an evaluation: texts are long, and very many ways can lead to
// one member.
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
