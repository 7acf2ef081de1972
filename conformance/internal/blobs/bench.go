package blobs

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Case is one case.
type Case struct {
	ID   string
	Rule string
	Run  func(*Bench)
}

// Bench is what a case works with.
type Bench struct {
	engine.T
	Store  blob.Store
	dir    string
	open   func(engine.T, string) blob.Store
	random *rand.Rand
}

// NewBench returns a Bench with a new store.
func NewBench(t engine.T, open func(engine.T, string) blob.Store) *Bench {
	b := &Bench{T: t, dir: t.TempDir(), open: open, random: rand.New(rand.NewPCG(1, 2))}
	b.Store = open(t, b.dir)
	t.Cleanup(func() { _ = b.Store.Close() }) // a case closes it, too
	return b
}

// Reopen closes the store and opens it again.
func (b *Bench) Reopen() {
	b.Helper()
	b.Must("Close", b.Store.Close())
	b.Store = b.open(b.T, b.dir)
}

// ID returns a new identifier.
func (b *Bench) ID() (id ident.ID) {
	copy(id[:], b.Bytes(len(id)))
	return id
}

// Key returns a new key of the problem.
func (b *Bench) Key(of int64) blob.Key { return blob.Key{Problem: problem.ID(of), Attachment: b.ID()} }

// Bytes returns bytes without a pattern.
func (b *Bench) Bytes(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(b.random.Uint32())
	}
	return data
}

// Must ends the case after an error.
func (b *Bench) Must(what string, err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("%s: %v", what, err)
	}
}

// Fails fails the case unless the error has the kind.
func (b *Bench) Fails(what string, kind fault.Kind, err error) {
	b.Helper()
	if !fault.Is(err, kind) {
		b.Errorf("%s: the error is %v, want one of the kind %s", what, err, kind)
	}
}

// Reads fails the case unless a part of the file has these bytes.
func (b *Bench) Reads(what string, want []byte, key blob.Key, from, n int64) {
	b.Helper()
	r, err := b.Store.Open(b.Context(), key, from, n)
	b.Must("Open", err)
	got, err := io.ReadAll(r)
	b.Must("reading "+what, err)
	b.Must("closing "+what, r.Close())
	if !bytes.Equal(got, want) {
		b.Errorf("%s: %d bytes are read, and not the %d right ones", what, len(got), len(want))
	}
}

// Has fails the case unless the file is there, with these bytes.
func (b *Bench) Has(key blob.Key, want []byte) {
	b.Helper()
	b.Reads("the file", want, key, 0, -1)
	if !slices.Contains(b.listed(blob.Key{}), key) {
		b.Errorf("List leaves out the file %s", key)
	}
}

// HasNot fails the case if a part of the file is there.
func (b *Bench) HasNot(key blob.Key) {
	b.Helper()
	r, err := b.Store.Open(b.Context(), key, 0, -1)
	if err == nil {
		r.Close()
	}
	b.Fails("Open of a file that is not there", fault.AttachmentNotFound, err)
	if slices.Contains(b.listed(blob.Key{}), key) {
		b.Errorf("List has the file %s, which is not there", key)
	}
}

// Lists fails the case unless List returns these keys.
func (b *Bench) Lists(after blob.Key, want []blob.Key) {
	b.Helper()
	if got := b.listed(after); !slices.Equal(got, want) {
		b.Errorf("behind %q, List has %v, want %v", after, got, want)
	}
}

func (b *Bench) listed(after blob.Key) (keys []blob.Key) {
	b.Helper()
	for info, err := range b.Store.List(b.Context(), after) {
		b.Must("List", err)
		keys = append(keys, info.Key)
	}
	return keys
}
