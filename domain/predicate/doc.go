// Package predicate is the query language of the searches (D31). One text asks about
// problems and the objects around them.
//
// [Compile] reads such a text. [Parse] turns it into a tree; its errors give line and
// column. [Check] finds the keys in the schema ([Keys]), checks the types, converts
// literals and computes constants. The result is a [Plan]. Only the checker knows the
// rules of conversion. An evaluator of a Plan, or a compiler to SQL, always meets
// matching types.
//
// [Plan.Holds] evaluates a Plan about any [Entry]. [Plan.Split] divides it into
// conditions for the database and a residual for the evaluator. All stores share
// Split, and so they share [Fold], the definition of equal strings under [c] and [d].
package predicate
