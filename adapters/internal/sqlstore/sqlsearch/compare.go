package sqlsearch

import (
	"fmt"

	"github.com/problemtracking/problems/domain/predicate"
)

// operand returns an operand of a comparison, folded.
func (c *compiler) operand(expr predicate.Expr, f predicate.Folding) (o operand, err error) {
	switch expr := expr.(type) {
	case predicate.Const:
		return operand{kind: expr.Of.Kind, nullable: expr.Value == nil, constant: true, value: foldedConst(expr.Value, f)}, nil
	case predicate.Path:
		if o, err = c.path(expr); err != nil {
			return operand{}, err
		}
		return o.fold(f)
	case predicate.Aggregate:
		return c.aggregate(expr)
	}
	return operand{}, fmt.Errorf("no SQL for %T as a value", expr)
}

func foldedConst(v predicate.Value, f predicate.Folding) predicate.Value {
	if s, ok := v.(string); ok {
		return predicate.Fold(s, f)
	}
	return v
}

// fold returns the operand folded, from the columns with folded forms.
func (o operand) fold(f predicate.Folding) (operand, error) {
	switch {
	case f == predicate.Exact || o.kind != predicate.String:
		return o, nil
	case o.folded[0] == "":
		return operand{}, fmt.Errorf("no SQL for a text that no column has folded")
	case f == predicate.Case:
		o.sql = "coalesce(" + o.folded[1] + ", " + o.folded[0] + ")"
	case f == predicate.Both:
		o.sql = "coalesce(" + o.folded[2] + ", " + o.folded[1] + ", " + o.folded[0] + ")"
	default:
		return operand{}, fmt.Errorf("no SQL for the folding %d", f)
	}
	o.indexed, o.begun = false, false
	return o, nil
}

// mirrored are the operators with their operands exchanged.
var mirrored = map[predicate.Op]predicate.Op{
	predicate.Equal: predicate.Equal,
	predicate.Less:  predicate.Greater, predicate.LessOrEqual: predicate.GreaterOrEqual,
	predicate.Greater: predicate.Less, predicate.GreaterOrEqual: predicate.LessOrEqual,
}

func (c *compiler) compare(cond predicate.Compare) (fragment, error) {
	left, err := c.operand(cond.Left, cond.Folding)
	if err != nil {
		return fragment{}, err
	}
	right, err := c.operand(cond.Right, cond.Folding)
	if err != nil {
		return fragment{}, err
	}
	switch cond.Op {
	case predicate.Contains, predicate.BeginsWith, predicate.EndsWith:
		return c.finds(cond.Op, left, right), nil
	}
	if left.constant && !right.constant {
		left, right = right, left
		cond.Op = mirrored[cond.Op]
	}
	switch {
	case left.constant && cond.Op == predicate.Equal: // a list can have constants beside columns
		return constant(predicate.EqualValues(left.value, right.value)), nil
	case left.constant:
		return fragment{}, fmt.Errorf("no SQL for a comparison of constants")
	case right.constant:
		return c.compareConst(cond.Op, left, right.value)
	case cond.Op == predicate.Equal && left.nullable && right.nullable:
		return text("(", left.fragment, ") IS NOT DISTINCT FROM (", right.fragment, ")"), nil
	}
	return text("(", left.fragment, ") "+string(cond.Op)+" (", right.fragment, ")"), nil
}

// compareConst compares with a constant.
func (c *compiler) compareConst(op predicate.Op, left operand, value predicate.Value) (fragment, error) {
	switch v := value.(type) {
	case nil:
		if op != predicate.Equal || !left.nullable {
			return constant(false), nil
		}
		return text(left.fragment, " IS NULL"), nil
	case bool:
		if v {
			return left.fragment, nil
		}
		return text("NOT ", left.fragment), nil // NULL stays NULL
	case string:
		found := text(left.fragment, " "+string(op)+" ", argument(v))
		if left.begun && op == predicate.Equal {
			// The expression is that of the index.
			found = text("(", found, " AND substr(", left.fragment, ", 1, 64) = ", argument(beginning(v)), ")")
		}
		found.keyed = op == predicate.Equal && left.indexed
		return found, nil
	}
	n, exact, ok := whole(value)
	if !ok {
		return fragment{}, fmt.Errorf("no SQL for a comparison with %T", value)
	}
	op, n, holds := bound(op, n, exact)
	switch holds {
	case always:
		if left.nullable {
			return text(left.fragment, " IS NOT NULL"), nil
		}
		return constant(true), nil
	case never:
		return constant(false), nil
	}
	found := text(left.fragment, " "+string(op)+" ", argument(n))
	since := left.dated && (op == predicate.Greater || op == predicate.GreaterOrEqual)
	if since && c.Walk {
		return text("+", found), nil
	}
	found.keyed = op == predicate.Equal && left.indexed || since
	found.few = found.keyed && left.root
	if since {
		rows := text("problems p WHERE ", found)
		found.rows, found.late = &rows, left.sql != "p.resolved"
	}
	return found, nil
}

// beginning returns the first 64 characters.
func beginning(text string) string {
	runes := []rune(text)
	return string(runes[:min(64, len(runes))])
}

// in returns the condition for a value in a list.
func (c *compiler) in(cond predicate.In) (fragment, error) {
	value, err := c.operand(cond.Operand, cond.Folding)
	if err != nil {
		return fragment{}, err
	}
	var either []fragment
	var texts []string
	var numbers []int64
	null := false
	for _, member := range cond.List {
		known, isConst := member.(predicate.Const)
		if value.constant || !isConst {
			equal, err := c.compare(predicate.Compare{Op: predicate.Equal, Folding: cond.Folding, Left: cond.Operand, Right: member})
			if err != nil {
				return fragment{}, err
			}
			either = append(either, equal)
			continue
		}
		switch v := foldedConst(known.Value, cond.Folding).(type) {
		case nil:
			null = true
		case string:
			texts = append(texts, v)
		case bool:
			equal, err := c.compareConst(predicate.Equal, value, v)
			if err != nil {
				return fragment{}, err
			}
			either = append(either, equal)
		default:
			n, exact, ok := whole(v)
			if !ok {
				return fragment{}, fmt.Errorf("no SQL for %T in a list", v)
			}
			if _, n, holds := bound(predicate.Equal, n, exact); holds == depends {
				numbers = append(numbers, n)
			}
		}
	}
	if len(texts) > 0 {
		either = append(either, text(value.fragment, " ", fragment{sql: c.InList, args: []any{c.Texts(texts)}}))
	}
	if len(numbers) > 0 {
		either = append(either, text(value.fragment, " ", fragment{sql: c.InList, args: []any{c.Numbers(numbers)}}))
	}
	if null && value.nullable {
		either = append(either, text(value.fragment, " IS NULL"))
	}
	found := or(either...)
	found.keyed = len(either) == 1 && value.indexed && len(texts)+len(numbers) > 0
	return found, nil
}

// finds returns the condition that a text contains, begins with or ends with another one.
func (c *compiler) finds(op predicate.Op, left, right operand) fragment {
	if left.constant && left.value == nil || right.constant && right.value == nil {
		return constant(false)
	}
	return fill(c.TextSearch[op], map[string]fragment{"{text}": left.text(), "{part}": right.text()})
}

// text returns the fragment of a text, also of a constant.
func (o operand) text() fragment {
	if o.constant {
		return argument(o.value)
	}
	return o.fragment
}

// like returns the condition for a text to match a pattern.
func (c *compiler) like(cond predicate.Like) (fragment, error) {
	value, err := c.operand(cond.Operand, cond.Folding)
	if err != nil {
		return fragment{}, err
	}
	if value.constant {
		return fragment{}, fmt.Errorf("no SQL for the form of a constant")
	}
	return text(value.fragment, " "+c.LikeOperator+" ", argument(c.LikePattern(cond.Pattern))), nil
}
