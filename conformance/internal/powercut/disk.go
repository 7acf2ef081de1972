package powercut

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Disk is a directory with its durable part.
type Disk struct {
	roots []string // names of the directory
	here  string   // the base of relative paths
	root  *node
	start map[*node]map[string]*node // the directories at the beginning, as they were
	nodes []*node                    // all directories so far
	ops   []*op
}

// Snapshot reads a directory. Everything in it counts as durable. Nobody may change it
// meanwhile.
func Snapshot(dir string) (*Disk, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	d := &Disk{roots: []string{real, given}, here: here, root: newDirectory(), start: make(map[*node]map[string]*node)}
	if err := d.snapshot(real, d.root); err != nil {
		return nil, fmt.Errorf("powercut: %w", err)
	}
	return d, nil
}

func (d *Disk) snapshot(dir string, n *node) error {
	d.start[n] = make(map[string]*node)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		var child *node
		switch e.Type() {
		case 0:
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			child = &node{disk: content, size: int64(len(content))}
		case fs.ModeDir:
			child = newDirectory()
			if err := d.snapshot(path, child); err != nil {
				return err
			}
		case fs.ModeSymlink:
			return fmt.Errorf("%s is a symbolic link, which is not understood here", path)
		default:
			continue // sockets and the like keep nothing
		}
		d.nodes = append(d.nodes, child)
		n.entries[e.Name()], d.start[n][e.Name()] = child, child
	}
	return nil
}

// rel returns the path below the directory, and whether it is there.
func (d *Disk) rel(path string) (string, bool) {
	path = filepath.Clean(path)
	for _, root := range d.roots {
		if path == root {
			return "", true
		}
		if rel, ok := strings.CutPrefix(path, root+"/"); ok {
			return rel, true
		}
	}
	return "", false
}

// find returns the directory and the name of a path, and the present object of this name,
// or nil. dir is nil for a path outside of the directory.
func (d *Disk) find(path string) (dir *node, name string, found *node) {
	rel, ok := d.rel(path)
	if !ok {
		return nil, "", nil
	}
	if rel == "" {
		return d.root, "", d.root
	}
	dir = d.root
	parents, name := filepath.Split(rel)
	for part := range strings.SplitSeq(strings.TrimSuffix(parents, "/"), "/") {
		if part == "" {
			continue
		}
		if dir = dir.entries[part]; dir == nil || dir.entries == nil {
			return nil, "", nil
		}
	}
	return dir, name, dir.entries[name]
}

// change changes names. The change is not durable yet.
func (d *Disk) change(edits ...edit) {
	o := &op{edits: edits}
	d.ops = append(d.ops, o)
	for _, e := range edits {
		if e.to == nil {
			delete(e.in.entries, e.name)
			continue
		}
		e.in.entries[e.name] = e.to
	}
}

// create makes a new node. It is not durable yet.
func (d *Disk) create(in *node, name string, n *node) {
	d.change(edit{in, name, n})
	n.born = d.ops[len(d.ops)-1]
	d.nodes = append(d.nodes, n)
}

// keep makes a change of names durable, with its prerequisites: earlier changes of the
// same names, and the creation of its files and directories.
func (d *Disk) keep(o *op) {
	if o == nil || o.kept {
		return
	}
	o.kept = true
	for _, before := range d.ops {
		if before == o {
			break
		}
		if before.meets(o) {
			d.keep(before)
		}
	}
	for _, e := range o.edits {
		d.keep(e.in.born)
		if e.to != nil {
			d.keep(e.to.born)
		}
	}
}

// keepDirectory makes the changes of a directory among the first operations durable.
func (d *Disk) keepDirectory(dir *node, first int) {
	d.keep(dir.born)
	for _, o := range d.ops[:first] {
		if o.touches(dir) {
			d.keep(o)
		}
	}
}

// moment is how far everything was when a sync of everything began.
type moment struct {
	ops    int
	writes []int
}

func (d *Disk) now() moment {
	m := moment{ops: len(d.ops)}
	for _, n := range d.nodes {
		m.writes = append(m.writes, n.writes())
	}
	return m
}

// keepAll makes everything up to a moment durable.
func (d *Disk) keepAll(until moment) {
	for _, o := range d.ops[:until.ops] {
		d.keep(o)
	}
	for i, writes := range until.writes {
		d.nodes[i].keep(writes)
	}
}

// Kept returns the content of the remaining files, by their paths below the directory.
// Directories end in a slash and have none.
func (d *Disk) Kept() map[string][]byte {
	names := make(map[*node]map[string]*node)
	for dir, entries := range d.start {
		names[dir] = make(map[string]*node)
		for name, n := range entries {
			names[dir][name] = n
		}
	}
	for _, o := range d.ops {
		for _, e := range o.edits {
			switch {
			case !o.kept:
			case e.to == nil:
				delete(names[e.in], e.name)
			default:
				if names[e.in] == nil {
					names[e.in] = make(map[string]*node)
				}
				names[e.in][e.name] = e.to
			}
		}
	}
	kept := make(map[string][]byte)
	collect(kept, names, d.root, "")
	return kept
}

func collect(kept map[string][]byte, names map[*node]map[string]*node, dir *node, path string) {
	for name, n := range names[dir] {
		if n.entries == nil {
			kept[path+name] = n.disk
			continue
		}
		kept[path+name+"/"] = nil
		collect(kept, names, n, path+name+"/")
	}
}

// Restore makes the directory hold the remaining files, and nothing else.
func (d *Disk) Restore() error {
	kept := d.Kept()
	modes := make(map[string]fs.FileMode)
	err := filepath.WalkDir(d.roots[0], func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == d.roots[0] {
			return err
		}
		if info, err := e.Info(); err == nil {
			rel, _ := d.rel(path)
			modes[rel] = info.Mode().Perm()
		}
		return nil
	})
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(d.roots[0])
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(d.roots[0], e.Name())); err != nil {
			return err
		}
	}
	for rel, content := range kept {
		path := filepath.Join(d.roots[0], rel)
		if strings.HasSuffix(rel, "/") {
			err = os.MkdirAll(path, 0o700)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			mode, known := modes[rel]
			if !known {
				mode = 0o600
			}
			err = os.WriteFile(path, content, mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
