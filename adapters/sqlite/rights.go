package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// account is a user of this machine and a group, by their numbers.
type account struct{ user, group uint32 }

// self returns the account of this process.
func self() account { return account{uint32(os.Geteuid()), uint32(os.Getegid())} }

// String returns the names as chown takes them. A number without a name stays a number.
func (a account) String() string {
	group := strconv.FormatUint(uint64(a.group), 10)
	if found, err := user.LookupGroupId(group); err == nil {
		group = found.Name
	}
	return a.name() + ":" + group
}

func (a account) name() string {
	id := strconv.FormatUint(uint64(a.user), 10)
	if found, err := user.LookupId(id); err == nil {
		return found.Username
	}
	return id
}

// all returns the paths of the file, and of those that can be beside it.
func (f file) all() []string {
	return []string{f.path, f.logPath(), f.path + "-shm", f.journalPath(), f.path + ".lock"}
}

// denied explains which rights the account lacks, and how it gets them. lacks reports whether
// it may not write to a path. Without a known reason, both are empty.
func (f file) denied(as account, lacks func(path string) bool) (what, mend string) {
	var paths []string
	var first account
	for _, path := range append([]string{filepath.Dir(f.path)}, f.all()...) {
		info, err := os.Stat(path)
		if err != nil || !lacks(path) {
			continue
		}
		its, known := owner(info)
		if !known {
			continue
		}
		if len(paths) == 0 {
			first = its
		}
		paths = append(paths, path)
	}
	switch {
	case len(paths) == 0:
		return "", ""
	case first.user == as.user:
		return fmt.Sprintf("%s, who owns %s, may not write there", as.name(), paths[0]), "chmod u+rwX " + strings.Join(paths, " ")
	}
	mend = fmt.Sprintf("chown %s %s", as, strings.Join(paths, " "))
	if first.user != 0 { // a service needs no root, but another command may be run as the service
		mend = fmt.Sprintf("run it as %s, or, if the service runs as %s: %s", first.name(), as.name(), mend)
	}
	return fmt.Sprintf("%s belongs to %s, and %s, who runs this program, may not write there", paths[0], first.name(), as.name()), mend
}

// strange finds files of another user than that of their directory. Root, who can use them
// all, may have put a backup there as a file of its own, which then stops the service. That
// is certain when other files show that the service runs as the owner of the directory.
func strange(directory string, of account, files map[string]account) []Finding {
	var paths []string
	for path, its := range files {
		if its.user != of.user {
			paths = append(paths, path)
		}
	}
	if of.user == 0 || len(paths) == 0 {
		return nil
	}
	slices.Sort(paths)
	return []Finding{{
		Grave: len(paths) < len(files),
		What:  fmt.Sprintf("%s belongs to %s, and its directory %s to %s: a service that runs as %s cannot use it", paths[0], files[paths[0]].name(), directory, of.name(), of.name()),
		Mend:  fmt.Sprintf("chown %s %s", of, strings.Join(paths, " ")),
	}}
}

// rights judges the owners of the file, its directory, and the files beside it.
func (f file) rights() []Finding {
	as := self()
	if what, mend := f.denied(as, lacks); what != "" {
		return []Finding{{What: what, Mend: mend}}
	}
	directory := filepath.Dir(f.path)
	info, err := os.Stat(directory)
	if as.user != 0 || err != nil {
		return nil
	}
	of, known := owner(info)
	if !known {
		return nil
	}
	files := map[string]account{}
	for _, path := range f.all() {
		if info, err := os.Stat(path); err == nil {
			files[path], _ = owner(info)
		}
	}
	return strange(directory, of, files)
}

// reason explains an error of the file system or of SQLite in words, with the remedy; "" if
// it is none of rights or room.
func (f file) reason(err error) string {
	failure, isDriver := errors.AsType[*driver.Error](err)
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), isDriver && full(failure.Code(), spaceOf(filepath.Dir(f.path))):
		return fmt.Sprintf("no space is left on the disk of %s: make room there, or move the store to a larger disk", filepath.Dir(f.path))
	case errors.Is(err, fs.ErrPermission), isDriver && rightless(failure.Code()):
		if what, mend := f.denied(self(), lacks); what != "" {
			return what + ": " + mend
		}
	}
	return ""
}

// rightless reports whether a missing right can be the reason for a code of SQLite.
func rightless(code int) bool {
	switch code & 0xff {
	case lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_READONLY:
		return true
	}
	return false
}

// full reports whether SQLite failed for want of room. It calls a failure to extend a file by
// various codes of input and output, so the disk has the last word.
func full(code int, disk space) bool {
	switch {
	case code&0xff == lib.SQLITE_FULL:
		return true
	case code == lib.SQLITE_IOERR_SHMSIZE, code == lib.SQLITE_IOERR_WRITE, code == lib.SQLITE_IOERR_FSYNC, code == lib.SQLITE_IOERR_TRUNCATE:
		return disk.known && disk.free < leastToStart
	}
	return false
}

// leastToStart is the least room that SQLite needs to write anything: the index of its log.
const leastToStart = 32 << 10
