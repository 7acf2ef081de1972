// Package sqlstore is what the storage adapters on SQLite and PostgreSQL share:
// the tables, the statements that read and write them, and how the values of the
// domain stand in columns. How statements are run, what makes several of them
// one, and what their errors mean is the adapters' own.
//
// Statements are written once, with a question mark for each argument. Where the
// two databases need different words, the [Dialect] has them. What is read and
// written for every request is plain SQL, whose text never changes, so that it
// can stay prepared; metadata and users, which the service caches, are models of
// bun.
//
// A search becomes one statement by a [compiler], as far as predicate.Plan.Split says
// that a database can decide it; what is left is evaluated here for the problems that
// it has not ruled out. Texts are compared without regard to case and marks by columns
// that have them folded: see [Dialect.Fold].
package sqlstore
