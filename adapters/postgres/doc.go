// Package postgres stores everything in a PostgreSQL database. Any number of servers may
// share it.
//
// A View is a transaction with one snapshot. The transaction begins together with the
// first read, in one round trip. A View with a single read is a single statement with a
// snapshot of its own: see [joined]. A Commit is one round trip too: it sends all its
// statements at once, without BEGIN and COMMIT. They are one transaction, and it ends
// with the last of them. SQL itself guards conditional writes: see [guarded].
//
// Servers with Changes of the same rows wait for each other in the database. A Change
// locks its rows in an order common to all servers: see locks. No decision reads from a
// replica.
//
// Where a standby has to confirm commits, PostgreSQL hides a commit until the
// confirmation. But it shows the commit when the wait is cancelled, and the driver would
// cancel the wait whenever it gives up a statement. So a write is never cancelled: its
// connection stays reserved until the server answers, see perform. A warning within a
// write means that somebody else has cancelled the wait. [Store.Confirm] has a standby
// confirm everything visible before it.
//
// A search for a part of a text begins in an index, which one server at a time fills beside
// the writes of all: see fillParts.
package postgres
