// Package postgres stores everything in a PostgreSQL database, which any number
// of servers may share.
//
// A View is a transaction with one snapshot, which begins together with the first
// read, in one round trip. One that reads only once is a single statement, which has
// a snapshot of its own: see [joined]. A Commit is one round trip too: all its
// statements are sent at once, without BEGIN and COMMIT, which makes them one
// transaction that ends with the last of them. What may only be stored under a
// condition is guarded by SQL itself: see [guarded].
//
// Servers that change the same wait for each other in the database, at the rows
// that a Change names, which are locked in an order that is the same for all: see
// locks. Nothing is decided from a replica.
//
// Where a standby has to confirm commits, PostgreSQL hides a commit until then. But it
// shows the commit when the wait is cancelled, and the driver would cancel it whenever
// it gives up a statement. So a write is never cancelled: its connection is kept until
// the server answers, see finish. A warning within a write means that somebody else has
// cancelled the wait. What is visible all the same, [Store.Confirm] has a standby confirm.
package postgres
