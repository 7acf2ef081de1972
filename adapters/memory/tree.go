package memory

import "iter"

// A node has fan children: a tree of 100,000 dense keys is three levels high, and a
// change copies three nodes.
const (
	fanBits = 6
	fan     = 1 << fanBits
)

// tree is an immutable map with numbers as keys, for small or dense ones. The zero tree
// is empty; an absent key has the zero value.
type tree[V any] struct {
	root  *node[V]
	shift int // how many bits of a key lie below the root's digit
}

// node is a leaf, with values, or has nodes below it.
type node[V any] struct {
	below  []*node[V]
	values []V
}

func (t tree[V]) get(key uint64) (value V) {
	n := t.root
	if key>>t.shift >= fan {
		return value
	}
	for shift := t.shift; n != nil && shift > 0; shift -= fanBits {
		n = n.below[key>>shift%fan]
	}
	if n == nil {
		return value
	}
	return n.values[key%fan]
}

// put returns a tree with the value at the key. It shares all but the path to
// the key with t.
func (t tree[V]) put(key uint64, value V) tree[V] {
	for key>>t.shift >= fan {
		if t.root != nil {
			root := &node[V]{below: make([]*node[V], fan)}
			root.below[0] = t.root
			t.root = root
		}
		t.shift += fanBits
	}
	t.root = t.root.put(t.shift, key, value)
	return t
}

func (n *node[V]) put(shift int, key uint64, value V) *node[V] {
	next := &node[V]{}
	if shift == 0 {
		next.values = make([]V, fan)
		if n != nil {
			copy(next.values, n.values)
		}
		next.values[key%fan] = value
		return next
	}
	next.below = make([]*node[V], fan)
	if n != nil {
		copy(next.below, n.below)
	}
	digit := key >> shift % fan
	next.below[digit] = next.below[digit].put(shift-fanBits, key, value)
	return next
}

// all returns all keys and values, by key, and some absent keys between them with the
// zero value.
func (t tree[V]) all() iter.Seq2[uint64, V] { return t.from(0) }

// from is all without the keys below the first.
func (t tree[V]) from(first uint64) iter.Seq2[uint64, V] {
	return func(yield func(uint64, V) bool) { t.root.walk(t.shift, 0, first, yield) }
}

// walk calls yield with each entry below the node, until it returns false. The keys begin
// with the digits of prefix.
func (n *node[V]) walk(shift int, prefix, first uint64, yield func(uint64, V) bool) bool {
	if n == nil {
		return true
	}
	for i, value := range n.values {
		if key := prefix*fan + uint64(i); key >= first && !yield(key, value) {
			return false
		}
	}
	for i, below := range n.below {
		digits := prefix*fan + uint64(i)
		if digits < first>>shift {
			continue // all its keys are below the first
		}
		if !below.walk(shift-fanBits, digits, first, yield) {
			return false
		}
	}
	return true
}
