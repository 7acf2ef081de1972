// Package boltstore keeps everything in one file of bbolt, a key-value store: an
// example of a storage adapter that lives outside of the project. It is durable
// when Commit returns, and for one process at a time, because bbolt locks its
// file.
//
// Each kind of thing has a bucket, and each thing of that kind a key, which
// begins with the number of the problem that it belongs to. Numbers in keys are
// big-endian, so that bbolt's order of keys is the order in which readers want
// things; see layout.go. A View is one read transaction and a Commit one write
// transaction, so that bbolt itself sees to it that a View shows one moment, and
// that a Change happens completely or not at all. There is one writer at a time,
// which nobody who reads waits for.
//
// What is left to the adapter is to translate: the files effects.go and
// expectations.go have a case for each type of the port, reader.go a method for
// each of its questions.
package boltstore
