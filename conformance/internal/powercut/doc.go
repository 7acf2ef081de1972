// Package powercut says what is left of a directory when the power fails: of all
// that a process did to the files below it, only what it had synced. What the
// process did is read from a trace that strace has written, so that neither the
// process nor its file system has to know.
//
// The rules are those that ext4 and XFS promise, read by a pessimist:
//
//   - What was written to a file, its size included, is kept when fsync or
//     fdatasync of that file began after the write had returned, and succeeded
//     itself. A descriptor with O_SYNC or O_DSYNC keeps each write as it returns.
//     sync_file_range keeps nothing.
//   - That a file or directory was created is kept with the first successful
//     fsync or fdatasync of it, or fsync of the directory that it is in.
//   - That a name was removed, renamed or linked is kept with fsync of the
//     directory, for a rename either of the two: it happens as a whole or not at
//     all. Syncing the file itself does not keep its new name.
//   - Changes of one name are kept in their order, and a name only together with
//     the directory that it is in.
//
// A disk may keep more than it has to. The pessimist's disk never does, so that
// what a program needs to be kept is seen to be missing each time.
package powercut
