// Package sqlite stores everything in one SQLite file: the embedded default. It
// is durable when Commit returns (WAL, synchronous=FULL), needs no cgo, and lets
// the command line work on the file beside a running server.
//
// One connection writes. Commits that arrive while it is busy join its transaction until the
// last statement, and so share one fsync. A Commit checks its expectations before it writes anything, so
// a refused Commit does not concern the others. A Commit can also fail later, because the
// disk is full or another process has taken a number. Then the transaction is rolled
// back, and each Commit runs again in one of its own. Up to four other connections read,
// each View in a transaction with a constant snapshot. Readers never wait for the writer.
// The writer waits for readers only to empty a long write-ahead log: see shorten.
//
// A server locks the file itself, and the file may have only one name: SQLite finds the
// write-ahead log by the name of the file, and two logs of one file destroy each other.
// Before the first write, the server marks the file as one with a log; the last
// connection clears the mark. So Open refuses a file copied without its log. [Backup]
// makes copies that need none. A Restore into a file that nobody else has open needs no log
// either: see leaveLog. Open refuses a copy from its middle, too.
//
// The tables and statements are common with the adapter on PostgreSQL
// (internal/sqlstore). Here they stay prepared, except for searches. A search is
// interrupted when its context ends. A search for a part of a text begins in an index of
// trigrams, which a server fills beside its other writes: see fillParts.
package sqlite
