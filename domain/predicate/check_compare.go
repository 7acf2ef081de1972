package predicate

// compare checks an operator. Its operands are checked already.
func (c *checker) compare(n *comparison, left, right value) (Cond, error) {
	switch n.op {
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
		return c.strings(n, BeginsWith, left, right)
	case "ENDSWITH":
		return c.strings(n, EndsWith, left, right)
	case "LIKE":
		return c.like(n, left, right)
	default: // MATCHES
		return c.match(n, left, right)
	}
}

// sign returns the operator with its modifier, as errors name it.
func (n *comparison) sign() string { return string(n.op) + modifiers[n.fold] }

// mismatch returns the error of an operator for operands of the wrong types.
func (c *checker) mismatch(n *comparison, left, right value) error {
	return c.fail(n.offset, TypeMismatch, "%s cannot compare %s with %s%s", n.sign(), left, right, n.advice(left, right))
}

// advice returns a hint at the intended comparison of two operands.
func (n *comparison) advice(left, right value) string {
	switch {
	case left.collection() && right.kind() == Nil, right.collection() && left.kind() == Nil:
		return "; whether it is empty is asked with .@count = 0"
	case !left.scalar() || !right.scalar():
		return n.adviceForMany(left, right)
	}
	for _, pair := range [][2]value{{left, right}, {right, left}} {
		one, other := pair[0], pair[1]
		switch {
		case one.kind() == Object:
			if key, ok := meantKey(one, other); ok {
				return "; compare " + key
			}
		case one.kind() == Date && other.is(String):
			return "; write CAST('2006-01-02T15:04:05Z', 'NSDate')"
		case one.kind() == UUID && other.is(String) && other.literal == nil:
			return "; only literals become a UUID"
		}
	}
	return ""
}

// adviceForMany is advice for operands with a list or a collection among them. The
// advised predicate has to be valid: no hint leads to another error about lists.
func (n *comparison) adviceForMany(left, right value) string {
	const every = "; write ANY, ALL or NONE before it"
	switch n.op {
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
		if n.op == "=" || n.op == "!=" {
			return every + ", or use CONTAINS"
		}
	}
	switch {
	case !left.scalar():
		return every
	case n.op == "BEGINSWITH" || n.op == "ENDSWITH":
		return "; look at each member, as in SUBQUERY({'a', 'b'}, $s, title " + string(n.op) + " $s).@count > 0"
	default:
		return "; write the collection first, with ANY, ALL or NONE before it"
	}
}

// mainKeys are the keys to compare with a string in place of the object itself.
var mainKeys = map[Entity]string{
	User: "email", Component: "name", Milestone: "name", Priority: "name", Classification: "name", State: "name",
	Keyword: "name", Comment: "text", Log: "type", Relationship: "type", Problem: "title", Savepoint: "title",
}

// meantKey returns the probably intended key of an object, or of a collection's
// members, in a comparison with another value.
func meantKey(object, other value) (string, bool) {
	t := object.expr.Type()
	if t.Kind != Object || !other.is(UUID, String, Int) || other.kind() == Nil {
		return "", false
	}
	name := "identifier"
	switch other.kind() {
	case Int:
		if _, ordered := Lookup(t.Entity, "order"); ordered {
			name = "order"
		}
	case String:
		name = mainKeys[t.Entity]
		if other.literal != nil {
			if _, isUUID := parseUUID(other.literal.text); isUUID {
				name = "identifier"
			}
		}
	}
	key, ok := Lookup(t.Entity, name)
	if !ok {
		return "", false
	}
	if object.spelled == "" {
		return "its " + key.Name, true
	}
	return spelledWith(object.spelled, key), true
}

// unifyPair is unify for the two operands of an operator.
func (c *checker) unifyPair(n *comparison, left, right value) (value, value, error) {
	pair := []value{left, right}
	wrong, err := c.unify(pair)
	if err == nil && wrong >= 0 {
		err = c.mismatch(n, left, right)
	}
	return pair[0], pair[1], err
}

// compared returns the expression of an operand. It folds a known operand when the
// operator ignores differences.
func (n *comparison) compared(v value) Expr {
	if known, ok := v.expr.(Const); ok && n.fold != Exact {
		if s, ok := known.Value.(string); ok {
			known.Value = Fold(s, n.fold)
			return known
		}
	}
	return v.expr
}

// foldable reports an error unless an operator with a modifier compares strings.
func (c *checker) foldable(n *comparison, values ...value) error {
	for _, v := range values {
		if n.fold != Exact && !v.is(String) {
			return c.fail(n.offset, TypeMismatch, "%s compares strings, not %s", n.sign(), v)
		}
	}
	return nil
}

func (c *checker) equality(n *comparison, left, right value) (Cond, error) {
	left, right, err := c.unifyPair(n, left, right)
	if err == nil {
		err = c.foldable(n, left, right)
	}
	if err != nil {
		return nil, err
	}
	var cond Cond = Compare{Op: Equal, Folding: n.fold, Left: n.compared(left), Right: n.compared(right)}
	if n.op == "!=" {
		cond = Not{cond}
	}
	return cond, nil
}

func (c *checker) order(n *comparison, left, right value) (Cond, error) {
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
	return Compare{Op: Op(n.op), Folding: n.fold, Left: n.compared(left), Right: n.compared(right)}, nil
}

// orderable reports an error for types without an order.
func (c *checker) orderable(n *comparison, values ...value) error {
	for _, v := range values {
		if !v.is(Int, Float, String, Date) {
			return c.fail(n.offset, TypeMismatch, "%s compares numbers, strings and dates, not %s", n.sign(), v)
		}
	}
	return nil
}

// between checks BETWEEN {lowest, highest}.
func (c *checker) between(n *comparison, left, right value) (Cond, error) {
	if !right.list || len(right.members) != 2 {
		return nil, c.fail(right.offset, TypeMismatch, "BETWEEN takes a list of two values, the lowest and the highest")
	}
	values, err := c.alike(n, left, right.members)
	if err == nil {
		err = c.orderable(n, values...)
	}
	if err != nil {
		return nil, err
	}
	return And{Conds: []Cond{
		Compare{Op: GreaterOrEqual, Left: values[0].expr, Right: values[1].expr},
		Compare{Op: LessOrEqual, Left: values[0].expr, Right: values[2].expr},
	}}, nil
}

// alike returns the operand and the members of a list, all converted to one type. The
// error is at the first member of another type.
func (c *checker) alike(n *comparison, operand value, members []value) ([]value, error) {
	values := append([]value{operand}, members...)
	as, typed := model(values)
	if !typed {
		as = value{expr: Const{Of: nilType}}
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
		return nil, c.fail(v.offset, TypeMismatch, "%s cannot compare %s with %s%s", n.sign(), as, v, n.advice(as, v))
	}
	return values, nil
}

// membership checks IN and CONTAINS: a member of a list or a collection, or a part of
// a string.
func (c *checker) membership(n *comparison, member, whole value) (Cond, error) {
	switch {
	case whole.list:
		values, err := c.alike(n, member, whole.members)
		if err == nil {
			err = c.foldable(n, values...)
		}
		if err != nil {
			return nil, err
		}
		in := In{Operand: n.compared(values[0]), Folding: n.fold}
		for _, v := range values[1:] {
			in.List = append(in.List, n.compared(v))
		}
		return in, nil
	case whole.collection():
		if !member.scalar() {
			return nil, c.mismatch(n, member, whole)
		}
		slot, each := c.member(whole)
		var err error
		if n.op == "IN" { // in the order of the error message
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
		return Exists{Coll: whole.expr, Slot: slot, Where: Compare{
			Op: Equal, Folding: n.fold, Left: each.expr, Right: n.compared(member),
		}}, nil
	default:
		return c.strings(n, Contains, whole, member)
	}
}

// strings checks an operator between strings.
func (c *checker) strings(n *comparison, op Op, text, part value) (Cond, error) {
	if !text.is(String) || !part.is(String) {
		left, right := text, part
		if n.op == "IN" {
			left, right = part, text
		}
		hint := n.advice(left, right)
		if hint == "" && n.op == "IN" {
			hint = "; " + braces
		}
		return nil, c.fail(n.offset, TypeMismatch, "%s looks for a string in a string, not for %s in %s%s", n.sign(), part, text, hint)
	}
	return Compare{Op: op, Folding: n.fold, Left: n.compared(text), Right: n.compared(part)}, nil
}
