// Package transfer moves the whole content of one store into another. The content
// travels as a stream of records in a fixed order. Every record is checked before
// anything is stored.
//
// [Records] reads a store. [Load] takes records from any [Source] and makes an Archive
// of them for store.Store.Restore. The medium between the two, such as a file, is the
// business of an adapter.
package transfer
