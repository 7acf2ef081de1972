package predicate

// Syntax is a parsed predicate. Nothing but its form is checked yet. It never changes.
type Syntax struct {
	text string // the text, for the offsets of nodes
	root condition
}

// node is a part of a predicate: a condition or an operand. An expression in
// parentheses is just its inner node. All offsets are in bytes.
type node interface{ node() }

// condition is a node with a truth value: junction, negation, truth and comparison.
type condition interface {
	node
	condition()
}

// operand is a node with a value: literal, list, self, reference, path, subquery,
// cast, call, minus and arithmetic.
type operand interface {
	node
	operand()
	// start is the offset of its first token, without parentheses.
	start() int
}

// junction is a chain of two or more conditions with AND or OR.
type junction struct {
	op    tokenKind // "AND" or "OR"
	conds []condition
}

// negation is NOT and a condition.
type negation struct {
	offset int
	cond   condition
}

// truth is TRUEPREDICATE or FALSEPREDICATE.
type truth struct {
	offset int
	holds  bool
}

// comparison is an operator between two operands.
type comparison struct {
	offset int       // of the operator
	op     tokenKind // as in signs, or the word in capitals
	fold   Folding
	// qualifier is "ANY", "ALL", "NONE" or empty; SOME is ANY.
	qualifier       tokenKind
	qualifierOffset int
	left, right     operand
}

// literal is a number, a string, a truth value or nil.
type literal struct {
	offset int
	kind   Kind
	text   string // of a number, as written; of a string, decoded
	value  Value  // a string is not normalised yet
}

// list is a list of values in braces.
type list struct {
	offset  int
	members []operand
}

// self is SELF, the tested object.
type self struct{ offset int }

// reference is a variable.
type reference struct {
	offset int
	name   string
}

// path is a sequence of keys and aggregates after an operand. Without an operand it
// starts with a key of the tested object.
type path struct {
	of    operand // or nil
	steps []step
}

// step is one step of a path.
type step struct {
	offset    int // of the name
	name      string
	aggregate AggregateFunc // instead of a name; [SIZE] is Count
}

// subquery is SUBQUERY: the members of a collection with a satisfied condition.
type subquery struct {
	offset   int
	coll     operand
	variable string
	cond     condition
}

// cast is CAST, with the name of a type.
type cast struct {
	offset       int
	of           operand
	target       string
	targetOffset int
}

// call is a function with its arguments. In the form FUNCTION(…), the selector is one
// of them.
type call struct {
	offset int
	name   string
	args   []operand
}

// minus is the opposite of a number.
type minus struct {
	offset int
	of     operand
}

// arithmetic is an operator between two numbers: + - * / **.
type arithmetic struct {
	first       int // of the left operand
	offset      int // of the operator
	op          tokenKind
	left, right operand
}

func (*junction) node()   {}
func (*negation) node()   {}
func (*truth) node()      {}
func (*comparison) node() {}
func (*literal) node()    {}
func (*list) node()       {}
func (*self) node()       {}
func (*reference) node()  {}
func (*path) node()       {}
func (*subquery) node()   {}
func (*cast) node()       {}
func (*call) node()       {}
func (*minus) node()      {}
func (*arithmetic) node() {}

func (*junction) condition()   {}
func (*negation) condition()   {}
func (*truth) condition()      {}
func (*comparison) condition() {}

func (*literal) operand()    {}
func (*list) operand()       {}
func (*self) operand()       {}
func (*reference) operand()  {}
func (*path) operand()       {}
func (*subquery) operand()   {}
func (*cast) operand()       {}
func (*call) operand()       {}
func (*minus) operand()      {}
func (*arithmetic) operand() {}

func (n *literal) start() int   { return n.offset }
func (n *list) start() int      { return n.offset }
func (n *self) start() int      { return n.offset }
func (n *reference) start() int { return n.offset }
func (n *path) start() int {
	if n.of != nil {
		return n.of.start()
	}
	return n.steps[0].offset
}
func (n *subquery) start() int   { return n.offset }
func (n *cast) start() int       { return n.offset }
func (n *call) start() int       { return n.offset }
func (n *minus) start() int      { return n.offset }
func (n *arithmetic) start() int { return n.first }

// isFunction reports whether the call has the form FUNCTION(…).
func (n *call) isFunction() bool { return equalFold(n.name, "FUNCTION") }

// selector returns the index of the selector among the arguments of FUNCTION(…): the
// first one if it is a string, else the second. It returns false if neither is a
// string.
func (n *call) selector() (int, bool) {
	for i, a := range n.args[:min(len(n.args), 2)] {
		if l, ok := a.(*literal); ok && l.kind == String {
			return i, true
		}
	}
	return 0, false
}
