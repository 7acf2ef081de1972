package check

import (
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
	"github.com/problemtracking/problems/domain/text"
)

// value is a checked operand.
type value struct {
	offset int // of the first token
	expr   predicate.Expr
	// literal is set for literals. Only literals convert.
	literal *syntax.Literal
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
func (v value) kind() predicate.Kind {
	if !v.scalar() {
		return ""
	}
	return v.expr.Type().Kind
}

// is reports whether the value is a scalar of one of the kinds, or nil.
func (v value) is(kinds ...predicate.Kind) bool {
	k := v.kind()
	return k == predicate.Nil || slices.Contains(kinds, k)
}

// String describes the value in errors.
func (v value) String() string {
	if v.list {
		return "a list"
	}
	if v.kind() == predicate.Nil {
		return "nil"
	}
	return v.expr.Type().String()
}

// operand checks an operand and its parts.
func (c *checker) operand(n syntax.Operand) (value, error) {
	v := value{offset: n.Start()}
	var err error
	switch n := n.(type) {
	case *syntax.Literal:
		v.literal = n
		v.expr = constant(n)
	case *syntax.List:
		v.list = true
		v.members, err = c.operands(n.Members)
	case *syntax.Self:
		v.expr, v.spelled = predicate.Path{Start: c.root}, "SELF"
	case *syntax.Reference:
		return c.reference(n)
	case *syntax.Path:
		return c.path(n)
	case *syntax.Subquery:
		return c.subquery(n)
	case *syntax.Cast:
		v.expr, err = c.cast(n)
	case *syntax.Call:
		v.expr, err = c.call(n)
	case *syntax.Minus:
		var of value
		if of, err = c.operand(n.Of); err != nil {
			break
		}
		if !of.is(predicate.Int, predicate.Float) {
			err = c.fail(n.Offset, predicate.TypeMismatch, "- takes a number, not %s", of)
			break
		}
		v.expr = eval.Computed(predicate.Negate, of.expr.Type(), of.expr)
	case *syntax.Arithmetic:
		v.expr, err = c.arithmetic(n)
	}
	return v, err
}

func (c *checker) operands(nodes []syntax.Operand) ([]value, error) {
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
func constant(n *syntax.Literal) predicate.Const {
	v := n.Value
	if s, ok := v.(string); ok {
		v = text.NFC(s)
	}
	return predicate.Const{Value: v, Of: predicate.Type{Kind: n.Kind}}
}

// operations are the functions of the arithmetic operators.
var operations = map[syntax.TokenKind]predicate.Func{"+": predicate.Add, "-": predicate.Subtract, "*": predicate.Multiply, "/": predicate.Divide, "**": predicate.Power}

func (c *checker) arithmetic(n *syntax.Arithmetic) (predicate.Expr, error) {
	left, err := c.operand(n.Left)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(n.Right)
	if err != nil {
		return nil, err
	}
	if !left.is(predicate.Int, predicate.Float) || !right.is(predicate.Int, predicate.Float) {
		hint := ""
		if left.kind() == predicate.Date || right.kind() == predicate.Date {
			hint = "; a date is moved as in FUNCTION(NOW(), 'dateByAddingDays:', -7)"
		}
		return nil, c.fail(n.Offset, predicate.TypeMismatch, "%s takes two numbers, not %s and %s%s", n.Op, left, right, hint)
	}
	f := operations[n.Op]
	return eval.Computed(f, numberType(f, left, right), left.expr, right.expr), nil
}

// numberType returns the type of a function's result for these numbers.
func numberType(f predicate.Func, args ...value) predicate.Type {
	if f == predicate.Power {
		return floatType
	}
	t := nilType
	for _, arg := range args {
		switch arg.kind() {
		case predicate.Float:
			return floatType
		case predicate.Int:
			t = intType
		}
	}
	return t
}

// reference finds the innermost variable of this name.
func (c *checker) reference(n *syntax.Reference) (value, error) {
	for i := len(c.scope) - 1; i >= 0; i-- {
		if b := c.scope[i]; b.name == n.Name {
			return value{offset: n.Offset, expr: b.expr, codes: b.codes, spelled: "$" + b.name}, nil
		}
	}
	var names []string
	for _, b := range c.scope {
		names = append(names, "$"+b.name)
	}
	hint, meant := suggestion("$"+n.Name, names)
	return value{}, c.failMeaning(meant, n.Offset, predicate.UnboundVariable, "no variable %s is bound here; %s", syntax.Quoted("$"+n.Name), hint)
}

// subquery checks the collection outside of the variable's scope, and the condition
// inside.
func (c *checker) subquery(n *syntax.Subquery) (value, error) {
	coll, err := c.operand(n.Coll)
	if err != nil {
		return value{}, err
	}
	if coll, err = c.asCollection(coll); err != nil {
		return value{}, err
	}
	if !coll.collection() {
		return value{}, c.fail(coll.offset, predicate.TypeMismatch, "SUBQUERY takes a collection, not %s", coll)
	}
	slot, member := c.member(coll)
	c.scope = append(c.scope, binding{name: n.Variable, expr: member.expr, codes: member.codes})
	cond, err := c.condition(n.Cond)
	c.scope = c.scope[:len(c.scope)-1]
	if err != nil {
		return value{}, err
	}
	return value{
		offset: n.Offset,
		expr:   predicate.Filter{Coll: coll.expr, Slot: slot, Where: cond},
		codes:  coll.codes,
	}, nil
}
