// Package memory stores problems in memory: nothing survives the process. It is the
// reference for comparing other storage adapters.
//
// The contents of the store are one immutable value, the [state]. Readers take it from an
// atomic pointer: they never wait for writers, and a View shows one moment because it
// holds one state. A Commit works on a draft of the next state. The draft shares all
// unchanged parts with the current one. The Commit publishes it when every expectation
// and effect has gone through.
//
// Logs and savepoints are the largest part. As [entry] and [savepoint] they take about
// half of the memory that they take in an answer, and they share equal contents: see
// [interned].
package memory
