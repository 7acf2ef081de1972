// Package memory stores problems in memory, where nothing survives the process.
// It is the reference that the other storage adapters are compared with.
//
// All that the store knows is one immutable value, the [state], which readers
// take from an atomic pointer: they never wait for writers, and a View shows one
// moment because it holds one state. A Commit works on a draft of the next
// state, which shares with the current one all that it does not change, and
// publishes it when every expectation and effect has gone through.
//
// Logs and savepoints are most of it. They are kept in about half of the memory that
// they take when they are read, as [entry] and [savepoint], and share what is equal
// in them: see [interned].
package memory
