package powercut

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Event is an event of a trace, for choosing the moment of the power cut.
type Event struct {
	// Said is the next text for the standard output, unless it is redirected to a file of
	// the directory.
	Said []byte
	// Synced is set when a sync of a file or directory has just succeeded.
	Synced bool
}

// Untraceable is the error of a trace with writes beyond the reach of system call traces.
type Untraceable struct{ Way string }

func (e *Untraceable) Error() string {
	return "the program writes to its files by " + e.Way + ": what it writes is in no trace of its system calls"
}

// Replay plays the trace on the disk, until cut returns true or the trace ends: the
// moment of the power cut. A call without a return by then has done nothing. An
// *Untraceable error is about the program, any other about an unknown part of the trace.
func (d *Disk) Replay(r io.Reader, cut func(Event) bool) error {
	p := &player{Disk: d, tables: make(map[string]table), began: make(map[string]mark), cut: cut}
	t := newTrace(r)
	for {
		c, ended, err := t.read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var over bool
		if err == nil {
			over, err = p.play(c, ended)
		}
		if err != nil {
			return fmt.Errorf("powercut: %w", err)
		}
		if over {
			return nil
		}
	}
}

// player is a replay under way.
type player struct {
	*Disk
	tables map[string]table // by thread; threads of one process share theirs
	began  map[string]mark  // the call under way, by thread
	mapped bool             // whether a mapping writes to any file
	cut    func(Event) bool
}

// table are the open files of a process, by their descriptors.
type table map[int]handle

// handle is a descriptor of a file below the directory.
type handle struct {
	*file
	closes bool // with execve
}

// file is an open file. Several descriptors can share it.
type file struct {
	*node
	offset       int64
	appends      bool
	synchronised bool
}

// mark is the progress at the beginning of a call.
type mark struct {
	call   *call
	writes int // to the file of its first argument
	ops    int
	all    moment // if the call concerns everything
}

func (p *player) play(c *call, ended bool) (over bool, err error) {
	files := p.table(c.thread)
	fd, _ := descriptor(c.arg(0))
	open, known := files[fd]
	if !ended {
		m := mark{call: c, ops: len(p.ops)}
		if known {
			m.writes = open.writes()
		}
		if c.name == "sync" || c.name == "syncfs" {
			m.all = p.now()
		}
		p.began[c.thread] = m
		return p.begin(c, files, fd, known)
	}
	m := p.began[c.thread]
	delete(p.began, c.thread)
	if !c.ok() {
		return false, nil
	}
	switch c.name {
	case "clone", "clone3", "fork", "vfork":
		p.tables[fmt.Sprint(c.number())] = p.inherited(c.thread, c)
		return false, nil
	case "fsync", "fdatasync", "sync", "syncfs", "msync":
		return p.sync(c, m, open, known)
	}
	if known {
		return false, p.onFile(c, files, open)
	}
	return false, p.onNames(c, files)
}

// begin plays the beginning of a call.
func (p *player) begin(c *call, files table, fd int, known bool) (over bool, err error) {
	switch {
	case c.name == "close":
		// Not at the end: by then another thread may have the number.
		delete(files, fd)
	case c.name == "write" && fd == 1 && !known:
		said, err := quoted(c.arg(1))
		return err == nil && p.cut(Event{Said: said}), err
	}
	return false, nil
}

// table returns the open files of a thread. A thread may appear before the return of its
// creating call: then it has the files of its creator.
func (p *player) table(thread string) table {
	if files, ok := p.tables[thread]; ok {
		return files
	}
	files := make(table)
	for parent, m := range p.began {
		switch m.call.name {
		case "clone", "clone3", "fork", "vfork":
			files = p.inherited(parent, m.call)
		}
	}
	p.tables[thread] = files
	return files
}

// inherited returns the open files of a new process or thread.
func (p *player) inherited(parent string, c *call) table {
	if child, ok := p.tables[fmt.Sprint(c.number())]; ok && c.ok() {
		return child // was seen before
	}
	files := p.tables[parent]
	if strings.Contains(strings.Join(c.args, ","), "CLONE_FILES") {
		return files
	}
	own := make(table)
	for fd, h := range files {
		own[fd] = h
	}
	return own
}

// sync plays the end of a successful sync.
func (p *player) sync(c *call, m mark, open handle, known bool) (over bool, err error) {
	switch {
	case c.name == "msync" && !p.mapped:
		return false, nil
	case c.name == "msync", known && open.mapped:
		return false, &Untraceable{"a mapping that is synced"}
	case c.name == "sync", c.name == "syncfs":
		p.keepAll(m.all)
	case !known:
		return false, nil
	case open.entries != nil:
		p.keepDirectory(open.node, m.ops)
	default:
		open.keep(m.writes)
		p.keep(open.born)
	}
	return p.cut(Event{Synced: true}), nil
}

// path returns the path of two arguments of a call: a descriptor, if there is one, and a
// path relative to it.
func (d *Disk) path(c *call, dir, name int) string {
	text, err := quoted(c.arg(name))
	if err != nil || filepath.IsAbs(string(text)) {
		return string(text)
	}
	_, base := descriptor(c.arg(dir))
	return filepath.Join(cmp.Or(base, d.here), string(text))
}
