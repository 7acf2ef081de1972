// Package disk says how much room the disk of a file has.
package disk

// Space is the room on the disk of a file, in bytes.
type Space struct {
	Free uint64 // for this user
	Size uint64 // of the whole disk
	// Device is the same for all files on the disk.
	Device uint64
}
