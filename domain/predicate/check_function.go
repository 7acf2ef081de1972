package predicate

import (
	"slices"
	"strings"
)

// call checks f(…) and FUNCTION(…): first the arguments, then the name and the types
// of its parameters.
func (c *checker) call(n *call) (Expr, error) {
	names, name, offset, named := functionsByName, n.name, n.offset, quoted(n.name)
	nodes := n.args
	if n.isFunction() {
		// The parser has found the selector.
		i, _ := n.selector()
		selector := n.args[i].(*literal)
		nodes = slices.Delete(slices.Clone(n.args), i, i+1)
		names, name, offset, named = functionsBySelector, selector.text, selector.offset, "so named"
	}
	args, err := c.operands(nodes)
	if err != nil {
		return nil, err
	}
	f, ok := names.find(name)
	if !ok {
		hint := suggestion(name, names.spellings)
		if strings.HasPrefix(strings.ToLower(name), "datebyaddingweek") {
			hint = "a week is 7 days, as in FUNCTION(NOW(), 'dateByAddingDays:', -7)"
		}
		return nil, c.fail(offset, UnknownFunction, "there is no function %s; %s", named, hint)
	}
	if len(args) != len(f.params) {
		return nil, c.fail(n.offset, TypeMismatch, "%s takes %s, not %d", f.spelling, counted(len(f.params), "argument"), len(args))
	}
	for i, arg := range args {
		p := f.params[i]
		if p.kinds == nil {
			if arg, err = c.asCollection(arg); err != nil {
				return nil, err
			}
			args[i] = arg
		}
		if !p.takes(arg) {
			return nil, c.fail(arg.offset, TypeMismatch, "%s takes %s here, not %s", f.spelling, p.name, arg)
		}
	}
	return f.make(c, args)
}

// castHints describe the strings for each type of CAST.
var castHints = map[string]string{
	"NSDate":   "dates are written as in 2006-01-02T15:04:05Z",
	"NSNumber": "numbers are written as in -12 or 1.5e3",
}

// cast checks CAST(value, 'type').
func (c *checker) cast(n *cast) (Expr, error) {
	of, err := c.operand(n.of)
	if err != nil {
		return nil, err
	}
	var f Func
	var t Type
	var kinds []Kind
	switch n.target {
	case "NSDate":
		f, t, kinds = ToDate, dateType, []Kind{Int, Float}
		if of.literal != nil {
			kinds = append(kinds, String)
		}
	case "NSNumber":
		f, t, kinds = ToNumber, floatType, []Kind{Int, Float, Bool, Date, String}
		if of.kind() == Int || of.kind() == Bool {
			t = intType
		}
	case "NSString":
		f, t, kinds = ToString, stringType, []Kind{String, UUID, Int}
	default:
		return nil, c.fail(n.targetOffset, Unsupported, "CAST makes 'NSDate', 'NSNumber' and 'NSString' alone")
	}
	if !of.scalar() {
		return nil, c.fail(of.offset, TypeMismatch, "CAST takes a single value, not %s", of)
	}
	if !of.is(kinds...) {
		hint := ""
		switch {
		case of.kind() == String:
			hint = "; only a literal string becomes a date"
		case of.kind() == Object:
			hint = "; it takes a key of one"
		}
		return nil, c.fail(of.offset, TypeMismatch, "CAST to '%s' takes no %s%s", n.target, of, hint)
	}
	if of.kind() == t.Kind {
		return of.expr, nil // it has the type already
	}
	expr := computed(f, t, of.expr)
	if known, ok := expr.(Const); ok && known.Value == nil && of.literal != nil && of.kind() == String {
		return nil, c.fail(of.offset, TypeMismatch, "CAST cannot read the string as '%s'; %s", n.target, castHints[n.target])
	}
	return expr, nil
}
