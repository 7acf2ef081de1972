// Package blobs has the cases for stores of files, by package blob.
package blobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
	"testing/iotest"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// Cases returns the cases. Each needs a store of its own.
func Cases() []Case {
	return []Case{
		{"BLOB-001", "A file is read as it was put, whatever its size, also from a store opened later.", putAndReopen},
		{"BLOB-002", "Nobody sees a file before its Put has returned.", partial},
		{"BLOB-003", "A Put that its reader or its context ends stores nothing; the error is that of the reader, or Unavailable.", ended},
		{"BLOB-004", "A taken key is a Conflict, and the first file stays; of several Puts at once, one succeeds.", takenKey},
		{"BLOB-005", "A range is exact to the byte, and empty behind the end; a Delete meanwhile gives no wrong bytes.", ranges},
		{"BLOB-006", "Open fails with AttachmentNotFound without such a file.", missing},
		{"BLOB-007", "A deleted file is gone for good, all others stay, and a second Delete does nothing.", deletion},
		{"BLOB-008", "List has each file once, by key, behind the given one, with its size and time.", listing},
		{"BLOB-009", "The owner is None at first, then as set last, and lasts.", owner},
		{"BLOB-010", "Each error is a fault: a cancelled context is Unavailable.", kinds},
	}
}

func putAndReopen(b *Bench) {
	files := map[blob.Key][]byte{}
	for _, size := range []int{0, 1, 4095, 64<<10 + 1, 3<<20 + 17} {
		key := b.Key(7)
		files[key] = b.Bytes(size)
		b.Must("Put", b.Store.Put(b.Context(), key, bytes.NewReader(files[key])))
	}
	for range 2 {
		for key, want := range files {
			b.Has(key, want)
		}
		b.Reopen()
	}
}

func partial(b *Bench) {
	key, data := b.Key(7), b.Bytes(1<<20)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- b.Store.Put(b.Context(), key, r) }()
	for part := range slices.Chunk(data, 256<<10) {
		if _, err := w.Write(part); err != nil { // the store has read the part
			b.Fatalf("the store does not read the file: %v", err)
		}
		b.HasNot(key)
	}
	_ = w.Close() // of a pipe: never fails
	b.Must("Put", <-done)
	b.Has(key, data)
}

func ended(b *Bench) {
	lost := errors.New("the sender is gone")
	for _, size := range []int{0, 1, 1 << 20} {
		key := b.Key(7)
		err := b.Store.Put(b.Context(), key, io.MultiReader(bytes.NewReader(b.Bytes(size)), iotest.ErrReader(lost)))
		if !errors.Is(err, lost) {
			b.Errorf("a Put with a reader that fails after %d bytes returns %v", size, err)
		}
		b.HasNot(key)

		ctx, cancel := context.WithCancel(b.Context())
		err = b.Store.Put(ctx, key, io.MultiReader(bytes.NewReader(b.Bytes(size)), endless(func(p []byte) (int, error) {
			cancel()
			return len(p), nil
		})))
		cancel()
		b.Fails("a Put with a context that ends", fault.Unavailable, err)
		b.HasNot(key)
		b.Must("Put after these", b.Store.Put(b.Context(), key, bytes.NewReader([]byte("whole"))))
		b.Has(key, []byte("whole"))
	}
}

// endless is a reader.
type endless func([]byte) (int, error)

func (r endless) Read(p []byte) (int, error) { return r(p) }

func takenKey(b *Bench) {
	key := b.Key(7)
	b.Must("Put", b.Store.Put(b.Context(), key, bytes.NewReader([]byte("first"))))
	b.Fails("Put of a taken key", fault.Conflict, b.Store.Put(b.Context(), key, bytes.NewReader([]byte("second"))))
	b.Has(key, []byte("first"))

	key = b.Key(8)
	const writers = 8
	errs := make([]error, writers)
	data := make([][]byte, writers)
	var all sync.WaitGroup
	for i := range writers {
		data[i] = b.Bytes(100<<10 + i)
		all.Go(func() { errs[i] = b.Store.Put(b.Context(), key, bytes.NewReader(data[i])) })
	}
	all.Wait()
	winner := -1
	for i, err := range errs {
		switch {
		case err != nil:
			b.Fails("Put of a key at once with others", fault.Conflict, err)
		case winner >= 0:
			b.Fatalf("two Puts of one key succeed")
		default:
			winner = i
		}
	}
	if winner < 0 {
		b.Fatalf("no Put of a key succeeds among several at once")
	}
	b.Has(key, data[winner])
}

func ranges(b *Bench) {
	key, data := b.Key(7), b.Bytes(300<<10)
	b.Must("Put", b.Store.Put(b.Context(), key, bytes.NewReader(data)))
	size := int64(len(data))
	for _, from := range []int64{0, 1, 4096, 256<<10 - 1, 256 << 10, size - 1, size, size + 1, math.MaxInt64} {
		for _, n := range []int64{-1, 0, 1, 64<<10 + 1, size, math.MaxInt64} {
			want := data[min(from, size):]
			if n >= 0 {
				want = want[:min(n, int64(len(want)))]
			}
			b.Reads(fmt.Sprintf("%d bytes from %d on", n, from), want, key, from, n)
		}
	}
	r, err := b.Store.Open(b.Context(), key, 0, -1)
	b.Must("Open", err)
	defer r.Close()
	half := make([]byte, 100<<10)
	_, err = io.ReadFull(r, half)
	b.Must("reading the first part", err)
	b.Must("Delete", b.Store.Delete(b.Context(), key))
	rest, _ := io.ReadAll(r) // with an error or without
	if !bytes.HasPrefix(data, append(half, rest...)) {
		b.Errorf("a Delete changes the bytes that are read meanwhile")
	}
}

func missing(b *Bench) {
	there := b.Key(7)
	b.Must("Put", b.Store.Put(b.Context(), there, bytes.NewReader([]byte("one"))))
	for _, key := range []blob.Key{b.Key(7), b.Key(8), {Problem: 70, Attachment: there.Attachment}, {}} {
		_, err := b.Store.Open(b.Context(), key, 0, -1)
		b.Fails(fmt.Sprintf("Open of the missing file %s", key), fault.AttachmentNotFound, err)
	}
}

func deletion(b *Bench) {
	gone, stays, other := b.Key(7), b.Key(7), b.Key(70)
	for _, key := range []blob.Key{gone, stays, other} {
		b.Must("Put", b.Store.Put(b.Context(), key, bytes.NewReader([]byte(key.String()))))
	}
	for range 2 {
		b.Must("Delete", b.Store.Delete(b.Context(), gone))
		b.Must("Delete of what was never there", b.Store.Delete(b.Context(), b.Key(9)))
		b.HasNot(gone)
		b.Reopen()
		b.HasNot(gone)
	}
	b.Has(stays, []byte(stays.String()))
	b.Has(other, []byte(other.String()))
	b.Must("Delete of the last file of a problem", b.Store.Delete(b.Context(), stays))
	again := b.Key(7)
	b.Must("Put after it", b.Store.Put(b.Context(), again, bytes.NewReader([]byte("again"))))
	b.Has(again, []byte("again"))
}

func listing(b *Bench) {
	began := time.Now().Add(-time.Minute)
	var keys []blob.Key
	sizes := map[blob.Key]int64{}
	for i, of := range []int64{9, 10, 1, 100, 9, 2, 10, 9007199254740990} {
		key := b.Key(of)
		keys = append(keys, key)
		sizes[key] = int64(i * 1000)
		b.Must("Put", b.Store.Put(b.Context(), key, bytes.NewReader(b.Bytes(i*1000))))
	}
	ended := time.Now().Add(time.Minute)
	slices.SortFunc(keys, blob.Key.Compare)
	for from := range len(keys) + 1 {
		var after blob.Key
		if from > 0 {
			after = keys[from-1]
		}
		b.Lists(after, keys[from:])
	}
	b.Lists(blob.Key{Problem: 10, Attachment: ident.None}, slices.DeleteFunc(slices.Clone(keys), func(k blob.Key) bool {
		return k.Compare(blob.Key{Problem: 10}) < 0
	}))
	for info, err := range b.Store.List(b.Context(), blob.Key{}) {
		b.Must("List", err)
		if info.Size != sizes[info.Key] || info.Stored.Before(began) || info.Stored.After(ended) {
			b.Errorf("List has %s with %d bytes, of %v; want %d bytes, of %v to %v", info.Key, info.Size, info.Stored, sizes[info.Key], began, ended)
		}
		break // an iteration can end early
	}
	b.Must("Delete", b.Store.Delete(b.Context(), keys[3]))
	b.Lists(blob.Key{}, slices.Delete(keys, 3, 4))
}

func owner(b *Bench) {
	for _, want := range []ident.ID{ident.None, b.ID(), b.ID()} {
		if !want.IsNone() {
			b.Must("Own", b.Store.Own(b.Context(), want))
		}
		for range 2 {
			got, err := b.Store.Owner(b.Context())
			b.Must("Owner", err)
			if got != want {
				b.Errorf("the owner is %v, want %v", got, want)
			}
			b.Reopen()
		}
	}
	var all sync.WaitGroup
	for range 8 {
		name := b.ID()
		all.Go(func() {
			if err := b.Store.Own(b.Context(), name); err != nil {
				b.Errorf("Own at once with others: %v", err)
			}
		})
	}
	all.Wait()
	b.Lists(blob.Key{}, nil)
}

func kinds(b *Bench) {
	key := b.Key(7)
	b.Must("Put", b.Store.Put(b.Context(), key, bytes.NewReader([]byte("one"))))
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	_, openErr := b.Store.Open(ctx, key, 0, -1)
	_, ownerErr := b.Store.Owner(ctx)
	var listErr error
	for _, err := range b.Store.List(ctx, blob.Key{}) {
		listErr = err
	}
	for name, err := range map[string]error{
		"Put": b.Store.Put(ctx, b.Key(7), bytes.NewReader(nil)), "Open": openErr, "Owner": ownerErr, "List": listErr,
	} {
		b.Fails(name+" with a cancelled context", fault.Unavailable, err)
	}
}
