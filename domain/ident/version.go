package ident

// Version is a count that also names the history in which it was reached. Two
// histories of the same data, such as those before and after a fail-over, can
// reach the same Number with other content. Their Batches differ, so Versions are
// compared as a whole, with ==.
type Version struct {
	// Number counts the changes, from 0.
	Number int64
	// Batch is that of the change that raised Number last. It is None where no
	// change has raised it, and where a server has that knows only numbers.
	Batch ID
}

// Next returns the Version after a change of the given batch.
func (v Version) Next(batch ID) Version { return Version{Number: v.Number + 1, Batch: batch} }
