// Package check makes a plan of a predicate in text form. [Compile] finds the keys in the
// schema, checks the types, converts literals and computes constants. [CompileOrder]
// does the same for a sort.
//
// Only this package knows the rules of conversion. An evaluator of a plan, or a compiler
// to SQL, always meets matching types.
package check
