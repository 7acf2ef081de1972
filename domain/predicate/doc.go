// Package predicate is the vocabulary of the query language of the searches (D31). One
// text asks about problems and the objects around them.
//
// A [Plan] is a checked predicate. Its conditions ([Cond]) and expressions ([Expr])
// refer to the keys of the schema ([Keys]), with matching types. The package also has
// the values ([Value]), their order, and [Fold], the definition of equal strings under
// [c] and [d].
//
// The packages below work with plans:
//
//   - check makes a Plan of a text. Its errors give line and column.
//   - eval evaluates a Plan about any [Entry].
//   - pushdown divides a Plan into conditions for a database and a residual for eval.
//   - internal/syntax parses a text into a tree, and prints a tree.
package predicate
