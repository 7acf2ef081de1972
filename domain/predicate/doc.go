// Package predicate is the query language of the searches (D31): what can be asked
// of problems and of the objects that they refer to, as one text.
//
// [Compile] reads such a text. [Parse] makes a tree of it, whose errors say line
// and column; [Check] finds the keys in the schema ([Keys]), checks the types,
// converts literals and computes what is constant. What comes of it is a [Plan].
// Only the checker knows the rules of conversion: who evaluates a Plan or compiles
// it for a database meets types that fit.
//
// A Plan is evaluated by [Plan.Holds], about anything that is an [Entry].
// [Plan.Split] parts it into what a database can decide by itself and what has to
// be evaluated; it is the same for every store, and so is [Fold], which says what
// strings a comparison does not tell apart.
package predicate
