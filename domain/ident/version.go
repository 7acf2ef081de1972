package ident

// Version is a count together with a name for its history. Two histories of the same
// data, such as those before and after a fail-over, can reach the same Number with other
// content. Their Batches differ, so compare whole Versions with ==.
type Version struct {
	// Number counts the changes, from 0.
	Number int64
	// Batch is the batch of the last change of Number. It is None before the first change.
	// It is also None after a change by a server of an older version, without batches.
	Batch ID
}

// Next returns the Version after a change of the given batch.
func (v Version) Next(batch ID) Version { return Version{Number: v.Number + 1, Batch: batch} }
