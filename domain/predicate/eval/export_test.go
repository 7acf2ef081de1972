package eval

// The bounds of an evaluation, for the tests with predicates in text form.
const (
	CheckInterval = checkInterval
	BytesPerWork  = bytesPerWork
	MatchWork     = matchWork
	ShortText     = shortText
	ShortList     = shortList
)

// Spent returns the work of all evaluations so far.
func (e *Evaluator) Spent() int { return e.spent }
