package predicate

import (
	"slices"

	"github.com/problemtracking/problems/domain/text"
)

// value is a checked operand.
type value struct {
	offset int // of the first token
	expr   Expr
	// literal is set for literals. Only literals convert.
	literal *literal
	// spelled is the user's spelling of a path. The keys of a collection replace its
	// member there. It is empty for other operands.
	spelled string
	// codes is true for the types of relationships. Their names convert to codes.
	codes bool
	// list is true for a list in braces. It has members instead of an expr.
	list    bool
	members []value
}

// collection reports whether the value is a collection. A list is not one.
func (v value) collection() bool { return !v.list && v.expr.Type().Many }

// scalar reports whether the value is neither a collection nor a list.
func (v value) scalar() bool { return !v.list && !v.expr.Type().Many }

// kind returns the kind of a scalar, and an empty Kind for other values.
func (v value) kind() Kind {
	if !v.scalar() {
		return ""
	}
	return v.expr.Type().Kind
}

// is reports whether the value is a scalar of one of the kinds, or nil.
func (v value) is(kinds ...Kind) bool {
	k := v.kind()
	return k == Nil || slices.Contains(kinds, k)
}

// String describes the value in errors.
func (v value) String() string {
	if v.list {
		return "a list"
	}
	if v.kind() == Nil {
		return "nil"
	}
	return v.expr.Type().String()
}

// operand checks an operand and its parts.
func (c *checker) operand(n operand) (value, error) {
	v := value{offset: n.start()}
	var err error
	switch n := n.(type) {
	case *literal:
		v.literal = n
		v.expr = constant(n)
	case *list:
		v.list = true
		v.members, err = c.operands(n.members)
	case *self:
		v.expr, v.spelled = Path{Start: c.root}, "SELF"
	case *reference:
		return c.reference(n)
	case *path:
		return c.path(n)
	case *subquery:
		return c.subquery(n)
	case *cast:
		v.expr, err = c.cast(n)
	case *call:
		v.expr, err = c.call(n)
	case *minus:
		var of value
		if of, err = c.operand(n.of); err != nil {
			break
		}
		if !of.is(Int, Float) {
			err = c.fail(n.offset, TypeMismatch, "- takes a number, not %s", of)
			break
		}
		v.expr = computed(Negate, of.expr.Type(), of.expr)
	case *arithmetic:
		v.expr, err = c.arithmetic(n)
	}
	return v, err
}

func (c *checker) operands(nodes []operand) ([]value, error) {
	values := make([]value, len(nodes))
	for i, n := range nodes {
		var err error
		if values[i], err = c.operand(n); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// constant returns the value of a literal. It normalizes strings to NFC, the form of
// stored text (D9).
func constant(n *literal) Const {
	v := n.value
	if s, ok := v.(string); ok {
		v = text.NFC(s)
	}
	return Const{Value: v, Of: Type{Kind: n.kind}}
}

// computed returns a Call, or its value when all arguments are constants.
func computed(f Func, of Type, args ...Expr) Expr {
	values := make([]Value, len(args))
	for i, arg := range args {
		known, ok := arg.(Const)
		if !ok {
			return Call{Func: f, Args: args, Of: of}
		}
		values[i] = known.Value
	}
	v := Apply(f, values)
	switch v.(type) {
	case int64:
		of = intType
	case float64:
		of = floatType
	}
	return Const{Value: v, Of: of}
}

// operations are the functions of the arithmetic operators.
var operations = map[tokenKind]Func{"+": Add, "-": Subtract, "*": Multiply, "/": Divide, "**": Power}

func (c *checker) arithmetic(n *arithmetic) (Expr, error) {
	left, err := c.operand(n.left)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(n.right)
	if err != nil {
		return nil, err
	}
	if !left.is(Int, Float) || !right.is(Int, Float) {
		hint := ""
		if left.kind() == Date || right.kind() == Date {
			hint = "; a date is moved as in FUNCTION(NOW(), 'dateByAddingDays:', -7)"
		}
		return nil, c.fail(n.offset, TypeMismatch, "%s takes two numbers, not %s and %s%s", n.op, left, right, hint)
	}
	f := operations[n.op]
	return computed(f, numberType(f, left, right), left.expr, right.expr), nil
}

// numberType returns the type of a function's result for these numbers.
func numberType(f Func, args ...value) Type {
	if f == Power {
		return floatType
	}
	t := nilType
	for _, arg := range args {
		switch arg.kind() {
		case Float:
			return floatType
		case Int:
			t = intType
		}
	}
	return t
}

// reference finds the innermost variable of this name.
func (c *checker) reference(n *reference) (value, error) {
	for i := len(c.scope) - 1; i >= 0; i-- {
		if b := c.scope[i]; b.name == n.name {
			return value{offset: n.offset, expr: b.expr, codes: b.codes, spelled: "$" + b.name}, nil
		}
	}
	var names []string
	for _, b := range c.scope {
		names = append(names, "$"+b.name)
	}
	return value{}, c.fail(n.offset, UnboundVariable, "no variable %s is bound here; %s", quoted("$"+n.name), suggestion("$"+n.name, names))
}

// subquery checks the collection outside of the variable's scope, and the condition
// inside.
func (c *checker) subquery(n *subquery) (value, error) {
	coll, err := c.operand(n.coll)
	if err != nil {
		return value{}, err
	}
	if coll, err = c.asCollection(coll); err != nil {
		return value{}, err
	}
	if !coll.collection() {
		return value{}, c.fail(coll.offset, TypeMismatch, "SUBQUERY takes a collection, not %s", coll)
	}
	slot, member := c.member(coll)
	c.scope = append(c.scope, binding{name: n.variable, expr: member.expr, codes: member.codes})
	cond, err := c.condition(n.cond)
	c.scope = c.scope[:len(c.scope)-1]
	if err != nil {
		return value{}, err
	}
	return value{
		offset: n.offset,
		expr:   Filter{Coll: coll.expr, Slot: slot, Where: cond},
		codes:  coll.codes,
	}, nil
}
