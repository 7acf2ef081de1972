package powercut

import "slices"

// node is a file or a directory.
type node struct {
	entries map[string]*node // of a directory, as its processes see it; nil for a file
	born    *op              // created it; nil if it was there before

	disk    []byte  // durable content of a file
	size    int64   // as its processes see it
	pending []patch // later operations, in order
	applied int     // how many patches are no longer pending
	mapped  bool    // whether a mapping writes to it: no trace shows its writes
}

func newDirectory() *node { return &node{entries: make(map[string]*node)} }

// patch is a change of a file's content: data at an offset, or a new size if data is nil.
type patch struct {
	offset int64
	data   []byte
}

// write changes the file. The change is not durable yet.
func (n *node) write(p patch) {
	n.pending = append(n.pending, p)
	n.size = p.sizeOf(n.size)
}

// sizeOf returns the size of a file after the patch.
func (p patch) sizeOf(before int64) int64 {
	if p.data == nil {
		return p.offset
	}
	return max(before, p.offset+int64(len(p.data)))
}

// writes returns how many changes there have been.
func (n *node) writes() int { return n.applied + len(n.pending) }

// keep makes the first changes durable, up to a number from writes.
func (n *node) keep(writes int) {
	done := max(0, writes-n.applied)
	for _, p := range n.pending[:done] {
		n.apply(p)
	}
	n.pending = slices.Delete(n.pending, 0, done)
	n.applied += done
}

// apply changes the durable content.
func (n *node) apply(p patch) {
	size := int(p.sizeOf(int64(len(n.disk))))
	if size > len(n.disk) {
		n.disk = append(n.disk, make([]byte, size-len(n.disk))...)
	}
	n.disk = n.disk[:size]
	copy(n.disk[min(int(p.offset), size):], p.data)
}

// op is an operation on names: all of it is durable, or nothing.
type op struct {
	edits []edit
	kept  bool
}

// edit gives a name in a directory to a node, or to none.
type edit struct {
	in   *node
	name string
	to   *node
}

// meets reports whether both change the same name.
func (o *op) meets(other *op) bool {
	return slices.ContainsFunc(o.edits, func(e edit) bool {
		return slices.ContainsFunc(other.edits, func(f edit) bool { return e.in == f.in && e.name == f.name })
	})
}

// touches reports whether it changes a name in the directory.
func (o *op) touches(dir *node) bool {
	return slices.ContainsFunc(o.edits, func(e edit) bool { return e.in == dir })
}
