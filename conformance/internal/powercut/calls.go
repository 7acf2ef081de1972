package powercut

import (
	"fmt"
	"slices"
	"strings"
)

// onFile plays a call with a file below the directory as its first argument.
func (p *player) onFile(c *call, files table, f handle) error {
	switch c.name {
	case "read", "readv":
		f.offset += c.number()
	case "lseek":
		f.offset = c.number()
	case "write", "writev":
		if f.appends {
			f.offset = f.size
		}
		err := f.put(c, f.offset)
		f.offset += c.number()
		return err
	case "pwrite64", "pwritev", "pwritev2":
		offset, err := c.int(3)
		switch {
		case err != nil:
			return err
		case f.appends:
			offset = f.size
		case c.name == "pwritev2" && c.arg(4) != "0":
			return unknown(c)
		}
		return f.put(c, offset)
	case "ftruncate":
		size, err := c.int(1)
		f.change(patch{offset: size})
		return err
	case "fallocate":
		return f.allocate(c)
	case "fcntl":
		if c.arg(1) == "F_DUPFD" || c.arg(1) == "F_DUPFD_CLOEXEC" {
			files[int(c.number())] = handle{f.file, c.arg(1) != "F_DUPFD"}
		}
	case "dup", "dup2", "dup3":
		files[int(c.number())] = handle{f.file, c.has(2, "O_CLOEXEC")}
	case "openat", "openat2", "unlinkat", "mkdirat", "renameat", "renameat2", "linkat":
		return p.onNames(c, files)
	case "copy_file_range", "splice", "sendfile":
		return p.refuseCopy(c, files)
	}
	return nil
}

// unknown is the error of a call beyond replay.
func unknown(c *call) error {
	return fmt.Errorf("the trace holds a call of %s, which is not understood here", c.name)
}

// put writes the texts of a call, up to the returned length.
func (f *file) put(c *call, offset int64) error {
	data, err := quoted(c.arg(1))
	if err == nil && c.number() > int64(len(data)) {
		err = fmt.Errorf("%s wrote %d bytes, of which the trace holds %d", c.name, c.number(), len(data))
	}
	if err != nil {
		return err
	}
	if c.number() > 0 {
		f.change(patch{offset: offset, data: data[:c.number()]})
	}
	return nil
}

// change changes the file. The change survives a power cut if every write to the file is
// synchronised.
func (f *file) change(p patch) {
	f.node.write(p)
	if f.synchronised {
		f.apply(p)
	}
}

func (f *file) allocate(c *call) error {
	offset, err := c.int(2)
	if err != nil {
		return err
	}
	length, err := c.int(3)
	if err != nil {
		return err
	}
	switch mode := c.arg(1); {
	case mode == "0":
		if offset+length > f.size {
			f.change(patch{offset: offset + length})
		}
	case mode == "FALLOC_FL_KEEP_SIZE":
	case strings.Contains(mode, "FALLOC_FL_ZERO_RANGE"), strings.Contains(mode, "FALLOC_FL_PUNCH_HOLE"):
		if c.has(1, "FALLOC_FL_KEEP_SIZE") {
			length = min(length, f.size-offset)
		}
		if length > 0 {
			f.change(patch{offset: offset, data: make([]byte, length)})
		}
	default:
		return unknown(c)
	}
	return nil
}

// onNames plays any other call, such as one with paths.
func (p *player) onNames(c *call, files table) error {
	switch c.name {
	case "openat", "openat2":
		return p.open(c, files, p.path(c, 0, 1), c.arg(2))
	case "open":
		return p.open(c, files, p.path(c, -1, 0), c.arg(1))
	case "creat":
		return p.open(c, files, p.path(c, -1, 0), "O_WRONLY|O_CREAT|O_TRUNC")
	case "dup", "dup2", "dup3":
		delete(files, int(c.number()))
	case "close_range":
		return p.closeRange(c, files)
	case "execve":
		for fd, h := range files {
			if h.closes {
				delete(files, fd)
			}
		}
	case "mmap":
		shared := c.has(3, "MAP_SHARED") || c.has(3, "MAP_SHARED_VALIDATE")
		if open, _ := descriptor(c.arg(4)); shared && c.has(2, "PROT_WRITE") && files[open].file != nil {
			files[open].mapped, p.mapped = true, true
		}
	case "truncate":
		size, err := c.int(1)
		if _, _, found := p.find(p.path(c, -1, 0)); found != nil {
			found.write(patch{offset: size})
		}
		return err
	case "mkdir":
		p.mkdir(p.path(c, -1, 0))
	case "mkdirat":
		p.mkdir(p.path(c, 0, 1))
	case "unlink", "rmdir":
		p.put(p.path(c, -1, 0), nil)
	case "unlinkat":
		p.put(p.path(c, 0, 1), nil)
	case "link":
		_, _, found := p.find(p.path(c, -1, 0))
		return p.link(c, found, p.path(c, -1, 1))
	case "linkat":
		_, _, found := p.find(p.path(c, 0, 1))
		return p.link(c, found, p.path(c, 2, 3))
	case "rename":
		return p.rename(c, p.path(c, -1, 0), p.path(c, -1, 1))
	case "renameat", "renameat2":
		return p.rename(c, p.path(c, 0, 1), p.path(c, 2, 3))
	case "symlink", "symlinkat":
		path := p.path(c, -1, 1)
		if c.name == "symlinkat" {
			path = p.path(c, 1, 2)
		}
		if _, below := p.rel(path); below {
			return unknown(c)
		}
	case "copy_file_range", "splice", "sendfile":
		return p.refuseCopy(c, files)
	case "io_uring_setup", "io_setup":
		return &Untraceable{c.name}
	}
	return nil
}

func (p *player) open(c *call, files table, path, flags string) error {
	fd, resolved := descriptor(c.result)
	if resolved != "" {
		path = resolved
	}
	delete(files, fd)
	dir, name, found := p.find(path)
	if dir == nil {
		return nil
	}
	set := strings.FieldsFunc(flags, func(r rune) bool { return strings.ContainsRune("|{}=, ", r) })
	has := func(flag string) bool { return slices.Contains(set, flag) }
	switch {
	case has("O_TMPFILE") || has("__O_TMPFILE"):
		return unknown(c)
	case found == nil && !has("O_CREAT"):
		return fmt.Errorf("the trace opens %s, but no earlier call has made it", path)
	case found == nil:
		found = new(node)
		p.create(dir, name, found)
	}
	f := &file{node: found, appends: has("O_APPEND"), synchronised: has("O_SYNC") || has("O_DSYNC")}
	if f.synchronised {
		p.keep(found.born)
	}
	if has("O_TRUNC") && found.size > 0 {
		f.change(patch{offset: 0})
	}
	files[fd] = handle{f, has("O_CLOEXEC")}
	return nil
}

func (p *player) closeRange(c *call, files table) error {
	first, err := c.int(0)
	if err != nil {
		return err
	}
	last, err := c.int(1)
	if err != nil {
		return err
	}
	if !c.has(2, "CLOSE_RANGE_CLOEXEC") {
		for fd := range files {
			if int64(fd) >= first && int64(fd) <= last {
				delete(files, fd)
			}
		}
	}
	return nil
}

func (p *player) mkdir(path string) {
	if dir, name, _ := p.find(path); dir != nil && name != "" {
		p.create(dir, name, newDirectory())
	}
}

// put has a path lead to a node; nil: to nothing.
func (p *player) put(path string, n *node) {
	if dir, name, _ := p.find(path); dir != nil && name != "" {
		p.change(edit{dir, name, n})
	}
}

func (p *player) link(c *call, from *node, path string) error {
	dir, _, _ := p.find(path)
	if (from == nil) != (dir == nil) {
		return fmt.Errorf("the trace links across the edge of the directory with %s, which is not understood here", c.name)
	}
	p.put(path, from)
	return nil
}

func (p *player) rename(c *call, from, to string) error {
	dir, name, moved := p.find(from)
	into, as, replaced := p.find(to)
	switch {
	case dir == nil && into == nil:
		return nil
	case dir == nil, into == nil, moved == nil, name == "", as == "":
		return fmt.Errorf("the trace moves something across the edge of the directory with %s, which is not understood here", c.name)
	case !c.has(4, "RENAME_EXCHANGE"):
		replaced = nil
	}
	if moved == replaced || dir == into && name == as {
		return nil
	}
	p.change(edit{dir, name, replaced}, edit{into, as, moved})
	return nil
}

// refuseCopy refuses a call in which the kernel itself writes to a file below the directory:
// the trace lacks these bytes.
func (p *player) refuseCopy(c *call, files table) error {
	to := map[string]int{"copy_file_range": 2, "splice": 2, "sendfile": 0}[c.name]
	if fd, _ := descriptor(c.arg(to)); files[fd].file != nil {
		return &Untraceable{c.name}
	}
	return nil
}
