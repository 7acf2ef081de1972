// Package pushdown divides a predicate between a database and the service. [Split] finds
// the conditions for the database; package eval evaluates the residual. All stores share
// Split, and so they agree about the residual.
//
// [Reference] finds conditions about metadata alone. A store needs no join for them.
package pushdown
