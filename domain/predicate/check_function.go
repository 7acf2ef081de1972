package predicate

import (
	"slices"
	"strings"
)

// function is a function that can be called (section 4 of the query language).
type function struct {
	selector string
	params   []param
	// selectorOnly is true for what only FUNCTION(…) can call.
	selectorOnly bool
	// make returns the call for arguments of the right number and types.
	make func(c *checker, args []value) Expr
}

// param is what an argument has to be.
type param struct {
	name  string // as errors name it
	kinds []Kind
}

// The parameters.
var (
	numberParam = param{"a number", []Kind{Int, Float}}
	stringParam = param{"a string", []Kind{String}}
	dateParam   = param{"a date", []Kind{Date}}
)

// name is what the function is called without FUNCTION(…).
func (f function) name() string { return strings.TrimSuffix(f.selector, ":") }

// of returns a function with a type of its own.
func of(t Type, f Func, params ...param) function {
	return function{selector: string(f), params: params, make: func(_ *checker, args []value) Expr {
		return computed(f, t, exprs(args)...)
	}}
}

// numeric returns a function whose type is that of its arguments.
func numeric(selector string, f Func, params ...param) function {
	return function{selector: selector, params: params, make: func(_ *checker, args []value) Expr {
		return computed(f, numberType(f, args...), exprs(args)...)
	}}
}

// operation returns what an operator does as a function. Only FUNCTION(…) calls it.
func operation(selector string, f Func) function {
	o := numeric(selector, f, numberParam, numberParam)
	o.selectorOnly = true
	return o
}

func exprs(args []value) []Expr {
	list := make([]Expr, len(args))
	for i, a := range args {
		list[i] = a.expr
	}
	return list
}

// functions are all functions but the aggregates.
var functions = []function{
	{selector: "now", make: func(c *checker, _ []value) Expr { return Const{Value: c.now, Of: dateType} }},
	of(dateType, AddSeconds, dateParam, numberParam),
	of(dateType, AddMinutes, dateParam, numberParam),
	of(dateType, AddHours, dateParam, numberParam),
	of(dateType, AddDays, dateParam, numberParam),
	of(dateType, AddMonths, dateParam, numberParam),
	of(dateType, AddYears, dateParam, numberParam),
	numeric("abs:", Abs, numberParam),
	numeric("floor:", Floor, numberParam),
	numeric("ceiling:", Ceiling, numberParam),
	numeric("trunc:", Trunc, numberParam),
	of(floatType, Sqrt, numberParam),
	of(floatType, Ln, numberParam),
	of(floatType, Log10, numberParam),
	of(floatType, Exp, numberParam),
	of(intType, Length, stringParam),
	of(stringType, Lowercase, stringParam),
	of(stringType, Uppercase, stringParam),
	operation("add:to:", Add),
	operation("from:subtract:", Subtract),
	operation("multiply:by:", Multiply),
	operation("divide:by:", Divide),
	operation("modulus:by:", Modulus),
	operation("raise:toPower:", Power),
}

// aggregateFunctions are the aggregates by the names of their functions.
var aggregateFunctions = []struct {
	selector string
	f        AggregateFunc
}{{"count:", Count}, {"sum:", Sum}, {"average:", Average}, {"min:", Min}, {"max:", Max}}

// call checks f(…) and FUNCTION(…).
func (c *checker) call(n *call) (Expr, error) {
	if !n.isFunction() {
		return c.apply(n, n.offset, n.name, n.args, false)
	}
	// The parser has seen that there is a selector.
	i, _ := n.selector()
	selector := n.args[i].(*literal)
	args := slices.Delete(slices.Clone(n.args), i, i+1)
	return c.apply(n, selector.offset, selector.text, args, true)
}

// apply checks the name of a function, which stands at the offset, and then its
// arguments.
func (c *checker) apply(n *call, offset int, name string, nodes []operand, bySelector bool) (Expr, error) {
	var known []string
	for _, f := range functions {
		if !bySelector && f.selectorOnly {
			continue
		}
		spelling := f.selector
		if !bySelector {
			spelling = f.name()
		}
		if equalFold(name, spelling) {
			return c.function(n, f, spelling, nodes)
		}
		known = append(known, spelling)
	}
	for _, a := range aggregateFunctions {
		spelling := a.selector
		if !bySelector {
			spelling = strings.TrimSuffix(spelling, ":")
		}
		if equalFold(name, spelling) {
			return c.aggregateFunction(n, a.f, spelling, nodes)
		}
		known = append(known, spelling)
	}
	named := "so named"
	if !bySelector {
		named = quoted(name)
	}
	return nil, c.fail(offset, UnknownFunction, "there is no function %s; %s", named, suggestion(name, known))
}

// arguments checks the arguments of a function and their number.
func (c *checker) arguments(n *call, name string, nodes []operand, count int) ([]value, error) {
	args, err := c.operands(nodes)
	if err != nil {
		return nil, err
	}
	if len(args) != count {
		return nil, c.fail(n.offset, TypeMismatch, "%s takes %d arguments, not %d", name, count, len(args))
	}
	return args, nil
}

func (c *checker) function(n *call, f function, name string, nodes []operand) (Expr, error) {
	args, err := c.arguments(n, name, nodes, len(f.params))
	if err != nil {
		return nil, err
	}
	for i, arg := range args {
		if !arg.is(f.params[i].kinds...) {
			return nil, c.fail(arg.offset, TypeMismatch, "%s takes %s here, not %s", name, f.params[i].name, arg)
		}
	}
	return f.make(c, args), nil
}

func (c *checker) aggregateFunction(n *call, f AggregateFunc, name string, nodes []operand) (Expr, error) {
	args, err := c.arguments(n, name, nodes, 1)
	if err != nil {
		return nil, err
	}
	coll := args[0]
	if !coll.collection() {
		return nil, c.fail(coll.offset, TypeMismatch, "%s takes a collection, not %s", name, coll)
	}
	err = c.aggregate(&coll, f, coll.offset)
	return coll.expr, err
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
	if !of.is(kinds...) {
		return nil, c.fail(of.offset, TypeMismatch, "CAST to '%s' takes no %s", n.target, of)
	}
	if of.kind() == t.Kind {
		return of.expr, nil // it is one already
	}
	expr := computed(f, t, of.expr)
	if known, ok := expr.(Const); ok && known.Value == nil && of.literal != nil && of.kind() == String {
		return nil, c.fail(of.offset, TypeMismatch, "CAST cannot read the string as '%s'; dates are written as in 2006-01-02T15:04:05Z", n.target)
	}
	return expr, nil
}
