package predicate

import "regexp"

// Plan is a checked predicate: typed, with literals converted and constants computed.
// A Plan never changes, so goroutines can share it.
type Plan struct {
	// Root is the entity of the searched objects.
	Root Entity
	// Where is the condition for these objects.
	Where Cond
	// Slots is the number of variables. Slot 0 is the root object. Every SUBQUERY and
	// every qualifier binds its member to a slot of its own.
	Slots int
}

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
	Folding     Folding // of both operands, then Strings; a Const is folded already
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

// Expr is an expression with a value. The set is closed: Const, Path, List, Filter,
// Aggregate, Call.
type Expr interface {
	// Type returns the type of the value. Nullable and other values share it.
	Type() Type
	expr()
}

// Const is a constant of the predicate.
type Const struct {
	Value Value
	Of    Type
}

// Path follows keys from a variable. Without steps it is the variable itself. Through
// a nil it is nil, or empty for a collection. After a to-many key, the rest is mapped,
// and nested collections are flattened.
type Path struct {
	Slot  int
	Start Type // of the variable
	Steps []*Key
}

// List is a collection of the values of expressions. None of them is a collection. A
// list in braces becomes a List, except behind IN and BETWEEN.
type List struct {
	Members []Expr
	Of      Type // Many; of Nil without other types
}

// Filter is the collection of members with a satisfied condition (SUBQUERY). With
// Steps, it follows them from each such member.
type Filter struct {
	Coll  Expr
	Slot  int
	Where Cond
	Steps []*Key
}

// Aggregate makes one value of a collection (@count, @sum and so on). All but Count
// skip nil.
type Aggregate struct {
	Func AggregateFunc
	Coll Expr
}

// AggregateFunc names the function of an Aggregate.
type AggregateFunc string

// The aggregates. The sum of nothing is 0; the others of nothing are nil.
const (
	Count   AggregateFunc = "@count"
	Sum     AggregateFunc = "@sum"
	Average AggregateFunc = "@avg"
	Min     AggregateFunc = "@min"
	Max     AggregateFunc = "@max"
)

// Call computes a value from others: arithmetic, functions and casts. It is nil when
// an argument is nil, and when there is no result.
type Call struct {
	Func Func
	Args []Expr
	Of   Type
}

// Func names the function of a Call.
type Func string

// The functions.
const (
	Add      Func = "+"
	Subtract Func = "-"
	Multiply Func = "*"
	Divide   Func = "/"
	Power    Func = "**"
	Negate   Func = "unary -"
	Modulus  Func = "modulus:by:"

	Abs       Func = "abs:"
	Floor     Func = "floor:"
	Ceiling   Func = "ceiling:"
	Trunc     Func = "trunc:"
	Sqrt      Func = "sqrt:"
	Ln        Func = "ln:"
	Log10     Func = "log:"
	Exp       Func = "exp:"
	Length    Func = "length:" // in code points
	Lowercase Func = "lowercase:"
	Uppercase Func = "uppercase:"

	// The dates: receiver, amount.
	AddSeconds Func = "dateByAddingSeconds:"
	AddMinutes Func = "dateByAddingMinutes:"
	AddHours   Func = "dateByAddingHours:"
	AddDays    Func = "dateByAddingDays:"
	AddMonths  Func = "dateByAddingMonths:"
	AddYears   Func = "dateByAddingYears:"

	ToDate   Func = "CAST NSDate"
	ToNumber Func = "CAST NSNumber"
	ToString Func = "CAST NSString"
)

func (Const) expr()     {}
func (Path) expr()      {}
func (List) expr()      {}
func (Filter) expr()    {}
func (Aggregate) expr() {}
func (Call) expr()      {}

func (e Const) Type() Type { return e.Of }

func (e Path) Type() Type { return follow(e.Start, e.Steps) }

func (e List) Type() Type { return e.Of }

func (e Filter) Type() Type { return follow(e.Coll.Type(), e.Steps) }

func (e Aggregate) Type() Type {
	switch member := e.Coll.Type().Member(); {
	case e.Func == Count:
		return Type{Kind: Int}
	case e.Func == Average:
		return Type{Kind: Float}
	default:
		return member
	}
}

func (e Call) Type() Type { return e.Of }

// follow returns the type at the end of the keys.
func follow(t Type, steps []*Key) Type {
	for _, key := range steps {
		many := t.Many || key.Type.Many
		t = key.Type
		t.Many = many
	}
	return t
}
