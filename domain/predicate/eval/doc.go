// Package eval evaluates predicates about objects in memory. It is the definition of each
// condition and expression; a database has to give the same answers.
//
// [Matches] evaluates a plan about one object. An [Evaluator] is faster for many objects.
package eval
