// Package sqlite stores everything in one SQLite file: the embedded default. It
// is durable when Commit returns (WAL, synchronous=FULL), needs no cgo, and lets
// the command line work on the file beside a running server.
//
// One connection writes. Commits that arrive while it is busy share the next
// transaction, and so share one fsync. What a Commit expects is looked at before it
// writes anything, so that one which is refused does not concern the others; when one
// fails later on, because the disk is full or another process has taken a number, the
// transaction is rolled back, and each is done again in one of its own. Up to four
// other connections read, each View in a transaction whose snapshot never changes;
// readers and the writer do not wait for each other.
//
// A server locks the file itself, and the file may have only one name: SQLite finds
// the write-ahead log by the name of the file, and two logs of one file destroy each
// other. Before the first write, the file is marked as one with a log; the last
// connection clears the mark. So a file that was copied without its log is refused.
// [Backup] makes copies that need none.
//
// The tables and statements are those that it shares with the adapter on
// PostgreSQL (internal/sqlstore); here they stay prepared, but for searches, each of
// which is interrupted when its context ends.
package sqlite
