package predicate

import "regexp"

// Plan is a predicate that was checked: typed, its literals converted, its
// constants computed. It never changes, so it can be shared freely.
type Plan struct {
	// Root is what the predicate is about.
	Root Entity
	// Where is what has to hold.
	Where Cond
	// Slots is how many variables the Plan has. Slot 0 is the root object;
	// every SUBQUERY and every qualifier binds its member to a slot of its own.
	Slots int
}

// Cond is something that holds or does not. The set is closed: And, Or, Not,
// Compare, Like, Match, In, Exists.
type Cond interface{ cond() }

// And holds when all of its conditions do; without any it is TRUEPREDICATE.
type And struct{ Conds []Cond }

// Or holds when one of its conditions does; without any it is FALSEPREDICATE.
type Or struct{ Conds []Cond }

// Not holds when its condition does not: logic is two-valued.
type Not struct{ Cond Cond }

// Op compares two values.
type Op string

// The operators. What is not here is made of these: a != b is Not a = b; BETWEEN
// is an And; coll CONTAINS x is an Exists.
const (
	Equal          Op = "="  // nil equals nil alone; entities by identity
	Less           Op = "<"  // the four orders hold for no nil
	LessOrEqual    Op = "<=" //
	Greater        Op = ">"  //
	GreaterOrEqual Op = ">=" //
	Contains       Op = "CONTAINS"
	BeginsWith     Op = "BEGINSWITH"
	EndsWith       Op = "ENDSWITH"
)

// Compare holds when the operator does.
type Compare struct {
	Op          Op
	Folding     Folding // of both operands, which then are Strings; a Const is folded already
	Left, Right Expr
}

// Like holds when the whole string has the form of the pattern (LIKE).
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
	Folding Folding // as in Compare
	List    []Expr  // of literals mostly, which are Consts then
}

// Exists holds when some member of the collection satisfies the condition, in
// which Slot stands for the member: ANY, and with Not around the one or the other,
// ALL and NONE; IN and CONTAINS with a collection; also SUBQUERY(…).@count > 0.
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

// Expr is something that has a value. The set is closed: Const, Path, List, Filter,
// Aggregate, Call.
type Expr interface {
	// Type returns the type of the value, whether or not it can be nil.
	Type() Type
	expr()
}

// Const is a value that is known before any object is looked at.
type Const struct {
	Value Value
	Of    Type
}

// Path follows keys from a variable. Without steps it is the variable itself.
// Through a nil it is nil, or empty when it is a collection; after a to-many key,
// the rest is mapped, and nested collections are flattened.
type Path struct {
	Slot  int
	Start Type // of the variable
	Steps []*Key
}

// List is a collection of the values of expressions, none of which is a collection: what
// stands in braces, but behind IN and BETWEEN.
type List struct {
	Members []Expr
	Of      Type // Many; of Nil when there are no others
}

// Filter is the members of a collection that satisfy a condition (SUBQUERY), and
// what is found by following the Steps from each.
type Filter struct {
	Coll  Expr
	Slot  int
	Where Cond
	Steps []*Key
}

// Aggregate makes one value of a collection (@count, @sum and so on). But for
// Count, it skips nil.
type Aggregate struct {
	Func AggregateFunc
	Coll Expr
}

// AggregateFunc is what an Aggregate makes.
type AggregateFunc string

// The aggregates. The sum of nothing is 0, the others of nothing are nil.
const (
	Count   AggregateFunc = "@count"
	Sum     AggregateFunc = "@sum"
	Average AggregateFunc = "@avg"
	Min     AggregateFunc = "@min"
	Max     AggregateFunc = "@max"
)

// Call computes a value from others: arithmetic, functions and casts. It is nil
// when an argument is, and when there is no such value.
type Call struct {
	Func Func
	Args []Expr
	Of   Type
}

// Func names what a Call computes.
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

// Type implements Expr.
func (e Const) Type() Type { return e.Of }

// Type implements Expr.
func (e Path) Type() Type { return follow(e.Start, e.Steps) }

// Type implements Expr.
func (e List) Type() Type { return e.Of }

// Type implements Expr.
func (e Filter) Type() Type { return follow(e.Coll.Type(), e.Steps) }

// Type implements Expr.
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

// Type implements Expr.
func (e Call) Type() Type { return e.Of }

// follow returns the type that following the keys leads to.
func follow(t Type, steps []*Key) Type {
	for _, key := range steps {
		many := t.Many || key.Type.Many
		t = key.Type
		t.Many = many
	}
	return t
}
