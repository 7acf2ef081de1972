// Package transfer moves all that a store holds into another: as a stream of
// records, in one order, each of which is checked before anything is stored.
//
// [Records] reads a store; [Load] takes records from any [Source] and makes of
// them what store.Store.Restore wants. What is between the two, such as a file,
// is an adapter's matter.
package transfer
