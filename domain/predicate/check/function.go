package check

import (
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
)

// function is a function of the query language (section 4).
type function struct {
	selector string
	params   []param
	// selectorOnly is true for functions without a name of their own. Only FUNCTION(…)
	// calls them.
	selectorOnly bool
	// make returns the call for arguments of the right number and types. It fails when the
	// members of a collection are of the wrong type.
	make func(c *checker, args []value) (predicate.Expr, error)
}

// param describes one parameter.
type param struct {
	name  string           // for errors
	kinds []predicate.Kind // of a scalar; none for a collection
}

func (p param) takes(v value) bool {
	if p.kinds == nil {
		return v.collection()
	}
	return v.is(p.kinds...)
}

// The parameters.
var (
	numberParam     = param{"a number", []predicate.Kind{predicate.Int, predicate.Float}}
	stringParam     = param{"a string", []predicate.Kind{predicate.String}}
	dateParam       = param{"a date", []predicate.Kind{predicate.Date}}
	collectionParam = param{"a collection", nil}
)

// name is the name in a plain call, without FUNCTION(…).
func (f function) name() string { return strings.TrimSuffix(f.selector, ":") }

// of returns a function with a fixed result type.
func of(t predicate.Type, f predicate.Func, params ...param) function {
	return function{selector: string(f), params: params, make: func(_ *checker, args []value) (predicate.Expr, error) {
		return eval.Computed(f, t, exprs(args)...), nil
	}}
}

// numeric returns a function with the type of its arguments.
func numeric(selector string, f predicate.Func, params ...param) function {
	return function{selector: selector, params: params, make: func(_ *checker, args []value) (predicate.Expr, error) {
		return eval.Computed(f, numberType(f, args...), exprs(args)...), nil
	}}
}

// operation returns an operator as a function. Only FUNCTION(…) calls it.
func operation(selector string, f predicate.Func) function {
	o := numeric(selector, f, numberParam, numberParam)
	o.selectorOnly = true
	return o
}

// aggregation returns an aggregate as a function of a collection.
func aggregation(selector string, f predicate.AggregateFunc) function {
	return function{selector: selector, params: []param{collectionParam}, make: func(c *checker, args []value) (predicate.Expr, error) {
		coll := args[0]
		err := c.aggregate(&coll, f, coll.offset)
		return coll.expr, err
	}}
}

func exprs(args []value) []predicate.Expr {
	list := make([]predicate.Expr, len(args))
	for i, a := range args {
		list[i] = a.expr
	}
	return list
}

// functions lists all functions in the order of error messages.
var functions = []function{
	{selector: "now", make: func(c *checker, _ []value) (predicate.Expr, error) {
		return predicate.Const{Value: c.now, Of: dateType}, nil
	}},
	of(dateType, predicate.AddSeconds, dateParam, numberParam),
	of(dateType, predicate.AddMinutes, dateParam, numberParam),
	of(dateType, predicate.AddHours, dateParam, numberParam),
	of(dateType, predicate.AddDays, dateParam, numberParam),
	of(dateType, predicate.AddMonths, dateParam, numberParam),
	of(dateType, predicate.AddYears, dateParam, numberParam),
	numeric("abs:", predicate.Abs, numberParam),
	numeric("floor:", predicate.Floor, numberParam),
	numeric("ceiling:", predicate.Ceiling, numberParam),
	numeric("trunc:", predicate.Trunc, numberParam),
	of(floatType, predicate.Sqrt, numberParam),
	of(floatType, predicate.Ln, numberParam),
	of(floatType, predicate.Log10, numberParam),
	of(floatType, predicate.Exp, numberParam),
	of(intType, predicate.Length, stringParam),
	of(stringType, predicate.Lowercase, stringParam),
	of(stringType, predicate.Uppercase, stringParam),
	operation("add:to:", predicate.Add),
	operation("from:subtract:", predicate.Subtract),
	operation("multiply:by:", predicate.Multiply),
	operation("divide:by:", predicate.Divide),
	operation("modulus:by:", predicate.Modulus),
	operation("raise:toPower:", predicate.Power),
	aggregation("count:", predicate.Count),
	aggregation("sum:", predicate.Sum),
	aggregation("average:", predicate.Average),
	aggregation("min:", predicate.Min),
	aggregation("max:", predicate.Max),
}

// callable is a function under one of its spellings.
type callable struct {
	function
	spelling string
}

// callables finds functions by their spellings in lower case.
type callables struct {
	byName    map[string]callable
	spellings []string // in the order of functions
}

// The functions by name, as in f(x), and by selector, as in FUNCTION('f:', x).
var (
	functionsByName     = callablesOf(func(f function) (string, bool) { return f.name(), !f.selectorOnly })
	functionsBySelector = callablesOf(func(f function) (string, bool) { return f.selector, true })
)

// callablesOf returns the functions with such a spelling.
func callablesOf(spell func(function) (spelling string, ok bool)) callables {
	c := callables{byName: map[string]callable{}}
	for _, f := range functions {
		if spelling, ok := spell(f); ok {
			c.byName[strings.ToLower(spelling)] = callable{f, spelling}
			c.spellings = append(c.spellings, spelling)
		}
	}
	return c
}

// find returns the function of a name in any letter case.
func (c callables) find(name string) (callable, bool) {
	f, ok := c.byName[strings.ToLower(name)]
	return f, ok
}
