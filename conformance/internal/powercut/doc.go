// Package powercut computes the remains of a directory after a power cut: of all
// operations of a process on its files, only the synced ones. It reads the operations
// from a trace of strace, so neither the process nor its file system takes part.
//
// The rules are the promises of ext4 and XFS, in the strictest reading:
//
//   - A write to a file, its size included, is durable when fsync or fdatasync of
//     that file began after the write had returned, and succeeded itself. A
//     descriptor with O_SYNC or O_DSYNC makes each write durable as it returns.
//     sync_file_range makes nothing durable.
//   - The creation of a file or directory is durable with the first successful
//     fsync or fdatasync of it, or fsync of its parent directory.
//   - The removal, renaming or linking of a name is durable with fsync of the
//     directory, for a rename either of the two: it happens as a whole or not at
//     all. Syncing the file itself does not make its new name durable.
//   - Changes of one name become durable in their order, and a name only together with
//     its directory.
//
// A disk may keep more. This one never does, so each missing sync shows.
package powercut
