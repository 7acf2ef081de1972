// Package sqlite stores everything in one SQLite file: the embedded default. It
// is durable when Commit returns (WAL, synchronous=FULL), needs no cgo, and lets
// the command line work on the file beside a running server.
//
// One connection writes. Commits that arrive while it is busy share the next
// transaction, each inside a savepoint of its own, and so share one fsync. Up to
// four other connections read, each View in a transaction whose snapshot never
// changes; readers and the writer do not wait for each other.
//
// The tables and statements are those that it shares with the adapter on
// PostgreSQL (internal/bunstore); here they stay prepared, but for searches, each of
// which is interrupted when its context ends.
package sqlite
