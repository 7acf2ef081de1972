package check

import (
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// compare checks an operator. Its operands are checked already.
func (c *checker) compare(n *syntax.Comparison, left, right value) (predicate.Cond, error) {
	switch n.Op {
	case "=", "!=":
		return c.equality(n, left, right)
	case "<", "<=", ">", ">=":
		return c.order(n, left, right)
	case "BETWEEN":
		return c.between(n, left, right)
	case "IN":
		return c.membership(n, left, right)
	case "CONTAINS":
		return c.membership(n, right, left)
	case "BEGINSWITH":
		return c.strings(n, predicate.BeginsWith, left, right)
	case "ENDSWITH":
		return c.strings(n, predicate.EndsWith, left, right)
	case "LIKE":
		return c.like(n, left, right)
	default: // MATCHES
		return c.match(n, left, right)
	}
}

// mismatch returns the error of an operator for operands of the wrong types.
func (c *checker) mismatch(n *syntax.Comparison, left, right value) error {
	return c.fail(n.Offset, predicate.TypeMismatch, "%s cannot compare %s with %s%s", n.Sign(), left, right, advice(n, left, right))
}

// advice returns a hint at the intended comparison of two operands.
func advice(n *syntax.Comparison, left, right value) string {
	switch {
	case left.collection() && right.kind() == predicate.Nil, right.collection() && left.kind() == predicate.Nil:
		return "; whether it is empty is asked with .@count = 0"
	case !left.scalar() || !right.scalar():
		return adviceForMany(n, left, right)
	}
	for _, pair := range [][2]value{{left, right}, {right, left}} {
		one, other := pair[0], pair[1]
		switch {
		case one.kind() == predicate.Object:
			if key, ok := meantKey(one, other); ok {
				return "; compare " + key
			}
		case one.kind() == predicate.Date && (other.is(predicate.String) || looksLikeDate(n.Left) || looksLikeDate(n.Right)):
			return "; write CAST('2006-01-02T15:04:05Z', 'NSDate')"
		case one.kind() == predicate.UUID && other.is(predicate.String) && other.literal == nil:
			return "; only literals become a UUID"
		}
	}
	return ""
}

// adviceForMany is advice for operands with a list or a collection among them. The
// advised predicate has to be valid: no hint leads to another error about lists.
func adviceForMany(n *syntax.Comparison, left, right value) string {
	const every = "; write ANY, ALL or NONE before it"
	switch n.Op {
	case "CONTAINS":
		return "; it looks for one value, so turn it round, as in ANY {'a', 'b'} IN title"
	case "=", "!=":
		if left.list || right.list {
			return "; use IN for a list"
		}
		if !left.collection() {
			return "; use IN to look for a member"
		}
	}
	if left.collection() {
		if key, ok := meantKey(left, right); ok {
			return every + ", and compare " + key
		}
		if n.Op == "=" || n.Op == "!=" {
			return every + ", or use CONTAINS"
		}
	}
	switch {
	case !left.scalar():
		return every
	case n.Op == "BEGINSWITH" || n.Op == "ENDSWITH":
		return "; look at each member, as in SUBQUERY({'a', 'b'}, $s, title " + string(n.Op) + " $s).@count > 0"
	default:
		return "; write the collection first, with ANY, ALL or NONE before it"
	}
}

// mainKeys are the keys to compare with a string in place of the object itself.
var mainKeys = map[predicate.Entity]string{
	predicate.User: "email", predicate.Component: "name", predicate.Milestone: "name", predicate.Priority: "name", predicate.Classification: "name", predicate.State: "name",
	predicate.Keyword: "name", predicate.Comment: "text", predicate.Attachment: "name", predicate.Log: "type", predicate.Relationship: "type", predicate.Problem: "title", predicate.Savepoint: "title",
}

// meantKey returns the probably intended key of an object, or of a collection's
// members, in a comparison with another value.
func meantKey(object, other value) (string, bool) {
	t := object.expr.Type()
	if t.Kind != predicate.Object || !other.is(predicate.UUID, predicate.String, predicate.Int) || other.kind() == predicate.Nil {
		return "", false
	}
	name := "identifier"
	switch other.kind() {
	case predicate.Int:
		if _, ordered := predicate.Lookup(t.Entity, "order"); ordered {
			name = "order"
		}
	case predicate.String:
		name = mainKeys[t.Entity]
		if other.literal != nil {
			if _, isUUID := parseUUID(other.literal.Text); isUUID {
				name = "identifier"
			}
		}
	}
	key, ok := predicate.Lookup(t.Entity, name)
	if !ok {
		return "", false
	}
	if object.spelled == "" {
		return "its " + key.Name, true
	}
	return spelledWith(object.spelled, key), true
}

// unifyPair is unify for the two operands of an operator.
func (c *checker) unifyPair(n *syntax.Comparison, left, right value) (value, value, error) {
	pair := []value{left, right}
	wrong, err := c.unify(pair)
	if err == nil && wrong >= 0 {
		err = c.mismatch(n, left, right)
	}
	return pair[0], pair[1], err
}

// compared returns the expression of an operand. It folds a known operand when the
// operator ignores differences.
func compared(n *syntax.Comparison, v value) predicate.Expr {
	if known, ok := v.expr.(predicate.Const); ok && n.Fold != predicate.Exact {
		if s, ok := known.Value.(string); ok {
			known.Value = predicate.Fold(s, n.Fold)
			return known
		}
	}
	return v.expr
}

// foldable reports an error unless an operator with a modifier compares strings.
func (c *checker) foldable(n *syntax.Comparison, values ...value) error {
	for _, v := range values {
		if n.Fold != predicate.Exact && !v.is(predicate.String) {
			return c.fail(n.Offset, predicate.TypeMismatch, "%s compares strings, not %s", n.Sign(), v)
		}
	}
	return nil
}

func (c *checker) equality(n *syntax.Comparison, left, right value) (predicate.Cond, error) {
	left, right, err := c.unifyPair(n, left, right)
	if err == nil {
		err = c.foldable(n, left, right)
	}
	if err != nil {
		return nil, err
	}
	var cond predicate.Cond = predicate.Compare{Op: predicate.Equal, Folding: n.Fold, Left: compared(n, left), Right: compared(n, right)}
	if n.Op == "!=" {
		cond = predicate.Not{Cond: cond}
	}
	return cond, nil
}

func (c *checker) order(n *syntax.Comparison, left, right value) (predicate.Cond, error) {
	left, right, err := c.unifyPair(n, left, right)
	if err == nil {
		err = c.orderable(n, left, right)
	}
	if err == nil {
		err = c.foldable(n, left, right)
	}
	if err != nil {
		return nil, err
	}
	return predicate.Compare{Op: predicate.Op(n.Op), Folding: n.Fold, Left: compared(n, left), Right: compared(n, right)}, nil
}

// orderable reports an error for types without an order.
func (c *checker) orderable(n *syntax.Comparison, values ...value) error {
	for _, v := range values {
		if !v.is(predicate.Int, predicate.Float, predicate.String, predicate.Date) {
			return c.fail(n.Offset, predicate.TypeMismatch, "%s compares numbers, strings and dates, not %s", n.Sign(), v)
		}
	}
	return nil
}

// between checks BETWEEN {lowest, highest}.
func (c *checker) between(n *syntax.Comparison, left, right value) (predicate.Cond, error) {
	if !right.list || len(right.members) != 2 {
		return nil, c.fail(right.offset, predicate.TypeMismatch, "BETWEEN takes a list of two values, the lowest and the highest")
	}
	values, err := c.alike(n, left, right.members)
	if err == nil {
		err = c.orderable(n, values...)
	}
	if err != nil {
		return nil, err
	}
	return predicate.And{Conds: []predicate.Cond{
		predicate.Compare{Op: predicate.GreaterOrEqual, Left: values[0].expr, Right: values[1].expr},
		predicate.Compare{Op: predicate.LessOrEqual, Left: values[0].expr, Right: values[2].expr},
	}}, nil
}

// alike returns the operand and the members of a list, all converted to one type. The
// error is at the first member of another type.
func (c *checker) alike(n *syntax.Comparison, operand value, members []value) ([]value, error) {
	values := append([]value{operand}, members...)
	as, typed := model(values)
	if !typed {
		as = value{expr: predicate.Const{Of: nilType}}
	}
	wrong, err := c.unify(values)
	switch {
	case err != nil:
		return nil, err
	case wrong == 0 && !typed:
		return nil, c.mismatch(n, operand, value{list: true})
	case wrong == 0:
		return nil, c.mismatch(n, operand, as)
	case wrong > 0:
		v := values[wrong]
		if !v.scalar() {
			return nil, c.noMember(v)
		}
		return nil, c.fail(v.offset, predicate.TypeMismatch, "%s cannot compare %s with %s%s", n.Sign(), as, v, advice(n, as, v))
	}
	return values, nil
}

// membership checks IN and CONTAINS: a member of a list or a collection, or a part of
// a string.
func (c *checker) membership(n *syntax.Comparison, member, whole value) (predicate.Cond, error) {
	switch {
	case whole.list:
		values, err := c.alike(n, member, whole.members)
		if err == nil {
			err = c.foldable(n, values...)
		}
		if err != nil {
			return nil, err
		}
		in := predicate.In{Operand: compared(n, values[0]), Folding: n.Fold}
		for _, v := range values[1:] {
			in.List = append(in.List, compared(n, v))
		}
		return in, nil
	case whole.collection():
		if !member.scalar() {
			return nil, c.mismatch(n, member, whole)
		}
		slot, each := c.member(whole)
		var err error
		if n.Op == "IN" { // in the order of the error message
			member, each, err = c.unifyPair(n, member, each)
		} else {
			each, member, err = c.unifyPair(n, each, member)
		}
		if err == nil {
			err = c.foldable(n, each, member)
		}
		if err != nil {
			return nil, err
		}
		return predicate.Exists{Coll: whole.expr, Slot: slot, Where: predicate.Compare{
			Op: predicate.Equal, Folding: n.Fold, Left: each.expr, Right: compared(n, member),
		}}, nil
	default:
		return c.strings(n, predicate.Contains, whole, member)
	}
}

// strings checks an operator between strings.
func (c *checker) strings(n *syntax.Comparison, op predicate.Op, text, part value) (predicate.Cond, error) {
	if !text.is(predicate.String) || !part.is(predicate.String) {
		left, right := text, part
		if n.Op == "IN" {
			left, right = part, text
		}
		hint := advice(n, left, right)
		if hint == "" && n.Op == "IN" {
			hint = "; " + syntax.Braces
		}
		return nil, c.fail(n.Offset, predicate.TypeMismatch, "%s looks for a string in a string, not for %s in %s%s", n.Sign(), part, text, hint)
	}
	return predicate.Compare{Op: op, Folding: n.Fold, Left: compared(n, text), Right: compared(n, part)}, nil
}
