package syntax

import "github.com/problemtracking/problems/domain/predicate"

// Tree is a parsed predicate. Nothing but its form is checked yet. It never changes.
type Tree struct {
	Text string // the text, for the offsets of nodes
	Root Condition
}

// node is a part of a predicate: a condition or an operand. An expression in
// parentheses is just its inner node. All offsets are in bytes.
type node interface{ node() }

// Condition is a node with a truth value: junction, negation, truth and comparison.
type Condition interface {
	node
	condition()
}

// Operand is a node with a value: literal, list, self, reference, path, subquery,
// cast, call, minus and arithmetic.
type Operand interface {
	node
	operand()
	// Start is the offset of its first token, without parentheses.
	Start() int
}

// Junction is a chain of two or more conditions with AND or OR.
type Junction struct {
	Op    TokenKind // "AND" or "OR"
	Conds []Condition
}

// Negation is NOT and a condition.
type Negation struct {
	Offset int
	Cond   Condition
}

// Truth is TRUEPREDICATE or FALSEPREDICATE.
type Truth struct {
	Offset int
	Holds  bool
}

// Comparison is an operator between two operands.
type Comparison struct {
	Offset int       // of the operator
	Op     TokenKind // as in signs, or the word in capitals
	Fold   predicate.Folding
	// Qualifier is "ANY", "ALL", "NONE" or empty; SOME is ANY.
	Qualifier       TokenKind
	QualifierOffset int
	Left, Right     Operand
}

// Literal is a number, a string, a truth value or nil.
type Literal struct {
	Offset int
	Kind   predicate.Kind
	Text   string          // of a number, as written; of a string, decoded
	Value  predicate.Value // a string is not normalised yet
}

// List is a list of values in braces.
type List struct {
	Offset  int
	Members []Operand
}

// Self is SELF, the tested object.
type Self struct{ Offset int }

// Reference is a variable.
type Reference struct {
	Offset int
	Name   string
}

// Path is a sequence of keys and aggregates after an operand. Without an operand it
// starts with a key of the tested object.
type Path struct {
	Of    Operand // or nil
	Steps []Step
}

// Step is one step of a path.
type Step struct {
	Offset    int // of the name
	Name      string
	Aggregate predicate.AggregateFunc // instead of a name; [SIZE] is Count
}

// Subquery is SUBQUERY: the members of a collection with a satisfied condition.
type Subquery struct {
	Offset   int
	Coll     Operand
	Variable string
	Cond     Condition
}

// Cast is CAST, with the name of a type.
type Cast struct {
	Offset       int
	Of           Operand
	Target       string
	TargetOffset int
}

// Call is a function with its arguments. In the form FUNCTION(…), the selector is one
// of them.
type Call struct {
	Offset int
	Name   string
	Args   []Operand
}

// Minus is the opposite of a number.
type Minus struct {
	Offset int
	Of     Operand
}

// Arithmetic is an operator between two numbers: + - * / **.
type Arithmetic struct {
	First       int // of the left operand
	Offset      int // of the operator
	Op          TokenKind
	Left, Right Operand
}

func (*Junction) node()   {}
func (*Negation) node()   {}
func (*Truth) node()      {}
func (*Comparison) node() {}
func (*Literal) node()    {}
func (*List) node()       {}
func (*Self) node()       {}
func (*Reference) node()  {}
func (*Path) node()       {}
func (*Subquery) node()   {}
func (*Cast) node()       {}
func (*Call) node()       {}
func (*Minus) node()      {}
func (*Arithmetic) node() {}

func (*Junction) condition()   {}
func (*Negation) condition()   {}
func (*Truth) condition()      {}
func (*Comparison) condition() {}

func (*Literal) operand()    {}
func (*List) operand()       {}
func (*Self) operand()       {}
func (*Reference) operand()  {}
func (*Path) operand()       {}
func (*Subquery) operand()   {}
func (*Cast) operand()       {}
func (*Call) operand()       {}
func (*Minus) operand()      {}
func (*Arithmetic) operand() {}

// Start implements Operand, as do the methods below.
func (n *Literal) Start() int   { return n.Offset }
func (n *List) Start() int      { return n.Offset }
func (n *Self) Start() int      { return n.Offset }
func (n *Reference) Start() int { return n.Offset }

// Start is that of the operand in front of the keys, or of the first key.
func (n *Path) Start() int {
	if n.Of != nil {
		return n.Of.Start()
	}
	return n.Steps[0].Offset
}

// Start is the offset of the first word or sign.
func (n *Subquery) Start() int   { return n.Offset }
func (n *Cast) Start() int       { return n.Offset }
func (n *Call) Start() int       { return n.Offset }
func (n *Minus) Start() int      { return n.Offset }
func (n *Arithmetic) Start() int { return n.First }

// IsFunction reports whether the call has the form FUNCTION(…).
func (n *Call) IsFunction() bool { return EqualFold(n.Name, "FUNCTION") }

// Selector returns the index of the selector among the arguments of FUNCTION(…): the
// first one if it is a string, else the second. It returns false if neither is a
// string.
func (n *Call) Selector() (int, bool) {
	for i, a := range n.Args[:min(len(n.Args), 2)] {
		if l, ok := a.(*Literal); ok && l.Kind == predicate.String {
			return i, true
		}
	}
	return 0, false
}

// Sign returns the operator with its modifier, as errors name it.
func (n *Comparison) Sign() string { return string(n.Op) + n.Fold.Modifier() }
