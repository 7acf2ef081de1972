package predicate

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
	Slot  int  // of the variable: see Plan.Slots
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
	Slot  int // of the variable for a member
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

// Aggregates returns all aggregates.
func Aggregates() []AggregateFunc { return []AggregateFunc{Count, Sum, Average, Min, Max} }

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

// Type implements Expr, as do the methods below.
func (e Const) Type() Type { return e.Of }

// Type is that of the last key, and a collection if any value on the way is one.
func (e Path) Type() Type { return follow(e.Start, e.Steps) }

// Type is Many.
func (e List) Type() Type { return e.Of }

// Type is that of the last step, or of the filtered collection without steps.
func (e Filter) Type() Type { return follow(e.Coll.Type(), e.Steps) }

// Type is Int for Count, Float for Average, and else that of the members.
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

// Type is that of the result: the arguments are already checked.
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

// IsConst reports whether an expression is a Const.
func IsConst(expr Expr) bool {
	_, ok := expr.(Const)
	return ok
}
