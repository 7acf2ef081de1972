// Package boltstore stores everything in one file of bbolt, a key-value store: an example
// of a storage adapter outside of the project. It is durable when Commit returns, and for
// one process at a time, because bbolt locks its file.
//
// Each kind of record has a bucket, and each record a key. The key of a problem's part
// begins with the problem's number. Numbers in keys are big-endian, so bbolt's order of
// keys is the order for readers; see layout.go. A View is one read transaction and a
// Commit one write transaction. So bbolt itself ensures that a View shows one moment, and
// that a Change happens completely or not at all. There is one writer at a time; readers
// do not wait for it.
//
// The adapter only translates. The files effects.go and expectations.go have a case for
// each type of the port, and reader.go a method for each read.
package boltstore
