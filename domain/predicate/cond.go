package predicate

import "regexp"

// Cond is a condition; its logic is two-valued. The set is closed: And, Or, Not,
// Compare, Like, Match, In, Exists.
type Cond interface{ cond() }

// And holds when all of its conditions do. Without conditions it is TRUEPREDICATE.
type And struct{ Conds []Cond }

// Or holds when one of its conditions does. Without conditions it is FALSEPREDICATE.
type Or struct{ Conds []Cond }

// Not holds when its condition does not: logic is two-valued.
type Not struct{ Cond Cond }

// Op compares two values.
type Op string

// The operators. Other operators are built from them: a != b is Not a = b; BETWEEN is
// an And; coll CONTAINS x is an Exists.
const (
	Equal          Op = "="  // nil equals nil alone; entities by identity
	Less           Op = "<"  // the four orders are false for nil
	LessOrEqual    Op = "<=" //
	Greater        Op = ">"  //
	GreaterOrEqual Op = ">=" //
	Contains       Op = "CONTAINS"
	BeginsWith     Op = "BEGINSWITH"
	EndsWith       Op = "ENDSWITH"
)

// Compare holds when its operator does.
type Compare struct {
	Op          Op
	Folding     Folding // of both operands, which are Strings if it is not 0; a Const is folded already
	Left, Right Expr
}

// Like holds when the whole string matches the pattern (LIKE).
type Like struct {
	Operand Expr
	Folding Folding
	Pattern Pattern // folded already
}

// Match holds when the whole string matches the regular expression (MATCHES).
type Match struct {
	Operand Expr
	Pattern *regexp.Regexp // anchored at both ends; with [c] it ignores case by itself
}

// In holds when some member of the list equals the operand; nil equals nil.
type In struct {
	Operand Expr
	Folding Folding // like Folding of Compare
	List    []Expr  // mostly literals; they are Consts
}

// Exists holds when some member of the collection satisfies the condition. Slot stands
// for the member in the condition. ANY is an Exists, and so are IN and CONTAINS with a
// collection and SUBQUERY(…).@count > 0. ALL and NONE are an Exists with a Not inside
// or outside.
type Exists struct {
	Coll  Expr
	Slot  int
	Where Cond
}

func (And) cond()     {}
func (Or) cond()      {}
func (Not) cond()     {}
func (Compare) cond() {}
func (Like) cond()    {}
func (Match) cond()   {}
func (In) cond()      {}
func (Exists) cond()  {}

// Always returns the condition that always holds, or the one that never does.
func Always(holds bool) Cond {
	if holds {
		return And{}
	}
	return Or{}
}
