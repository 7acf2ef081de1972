package check

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// call checks f(…) and FUNCTION(…): first the arguments, then the name and the types
// of its parameters.
func (c *checker) call(n *syntax.Call) (predicate.Expr, error) {
	names, name, offset, named := functionsByName, n.Name, n.Offset, syntax.Quoted(n.Name)
	nodes := n.Args
	if n.IsFunction() {
		// The parser has found the selector.
		i, _ := n.Selector()
		selector := n.Args[i].(*syntax.Literal)
		nodes = slices.Delete(slices.Clone(n.Args), i, i+1)
		names, name, offset, named = functionsBySelector, selector.Text, selector.Offset, "so named"
	}
	args, err := c.operands(nodes)
	if err != nil {
		return nil, err
	}
	f, ok := names.find(name)
	if !ok {
		hint, meant := suggestion(name, names.spellings)
		if strings.HasPrefix(strings.ToLower(name), "datebyaddingweek") {
			hint, meant = "a week is 7 days, as in FUNCTION(NOW(), 'dateByAddingDays:', -7)", ""
		}
		if advice, ok := foreignFunctions[strings.ToLower(name)]; ok {
			hint, meant = advice, ""
		}
		if ours, ok := foreignNames[strings.ToLower(name)]; ok {
			hint, meant = didYouMean(ours), ours
		}
		if n.IsFunction() {
			meant = "" // a selector is a string
		}
		return nil, c.failMeaning(meant, offset, predicate.UnknownFunction, "there is no function %s; %s", named, hint)
	}
	if len(args) != len(f.params) {
		return nil, c.fail(n.Offset, predicate.TypeMismatch, "%s takes %s, not %d", f.spelling, counted(len(f.params), "argument"), len(args))
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
			return nil, c.fail(arg.offset, predicate.TypeMismatch, "%s takes %s here, not %s", f.spelling, p.name, arg)
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
func (c *checker) cast(n *syntax.Cast) (predicate.Expr, error) {
	of, err := c.operand(n.Of)
	if err != nil {
		return nil, err
	}
	var f predicate.Func
	var t predicate.Type
	var kinds []predicate.Kind
	switch n.Target {
	case "NSDate":
		f, t, kinds = predicate.ToDate, dateType, []predicate.Kind{predicate.Int, predicate.Float}
		if of.literal != nil {
			kinds = append(kinds, predicate.String)
		}
	case "NSNumber":
		f, t, kinds = predicate.ToNumber, floatType, []predicate.Kind{predicate.Int, predicate.Float, predicate.Bool, predicate.Date, predicate.String}
		if of.kind() == predicate.Int || of.kind() == predicate.Bool {
			t = intType
		}
	case "NSString":
		f, t, kinds = predicate.ToString, stringType, []predicate.Kind{predicate.String, predicate.UUID, predicate.Int}
	default:
		return nil, c.fail(n.TargetOffset, predicate.Unsupported, "CAST makes 'NSDate', 'NSNumber' and 'NSString' alone")
	}
	if !of.scalar() {
		return nil, c.fail(of.offset, predicate.TypeMismatch, "CAST takes a single value, not %s", of)
	}
	if !of.is(kinds...) {
		hint := ""
		switch {
		case of.kind() == predicate.String:
			hint = "; only a literal string becomes a date"
		case of.kind() == predicate.Object:
			hint = "; it takes a key of one"
		}
		return nil, c.fail(of.offset, predicate.TypeMismatch, "CAST to '%s' takes no %s%s", n.Target, of, hint)
	}
	if of.kind() == t.Kind {
		return of.expr, nil // it has the type already
	}
	expr := eval.Computed(f, t, of.expr)
	if known, ok := expr.(predicate.Const); ok && known.Value == nil && of.literal != nil && of.kind() == predicate.String {
		return nil, c.fail(of.offset, predicate.TypeMismatch, "CAST cannot read the string as '%s'; %s", n.Target, castHint(n.Target, of.literal.Text))
	}
	return expr, nil
}
