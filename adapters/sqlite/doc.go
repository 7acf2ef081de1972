// Package sqlite stores everything in one SQLite file: the embedded default. It
// is durable when Commit returns (WAL, synchronous=FULL), needs no cgo, and lets
// the command line work on the file beside a running server.
//
// One connection writes. Commits that arrive while it is busy share the next
// transaction, each inside a savepoint of its own, and so share one fsync. Up to
// four other connections read, each View in a transaction whose snapshot never
// changes; readers and the writer do not wait for each other.
//
// What is read and written for every request goes through statements that stay
// prepared; metadata, users and tokens, which the service caches, go through bun.
package sqlite
