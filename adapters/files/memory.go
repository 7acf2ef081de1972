package files

import (
	"bytes"
	"context"
	"io"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/ident"
)

// Memory is a blob.Store in memory, for tests and for trying things out.
type Memory struct {
	now   func() time.Time
	mu    sync.Mutex
	files map[blob.Key]held
	owner ident.ID
}

type held struct {
	data   []byte
	stored time.Time
}

var _ blob.Store = (*Memory)(nil)

// NewMemory returns an empty Memory.
func NewMemory(now func() time.Time) *Memory {
	return &Memory{now: now, files: map[blob.Key]held{}}
}

// Put implements blob.Store.
func (m *Memory) Put(ctx context.Context, key blob.Key, r io.Reader) error {
	from := &source{ctx: ctx, r: r}
	data, _ := io.ReadAll(from) // its error is that of the source
	if from.err != nil {
		return from.err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.files[key]; there {
		return taken(key)
	}
	m.files[key] = held{data, m.now()}
	return nil
}

// Open implements blob.Store.
func (m *Memory) Open(ctx context.Context, key blob.Key, from, n int64) (io.ReadCloser, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	file, there := m.files[key]
	if !there {
		return nil, missing(key)
	}
	data := file.data[min(max(from, 0), int64(len(file.data))):]
	if n >= 0 {
		data = data[:min(n, int64(len(data)))]
	}
	return &reading{source{ctx: ctx, r: bytes.NewReader(data)}, io.NopCloser(nil)}, nil
}

// Delete implements blob.Store.
func (m *Memory) Delete(ctx context.Context, key blob.Key) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, key)
	return ended(ctx)
}

// List implements blob.Store.
func (m *Memory) List(ctx context.Context, after blob.Key) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		m.mu.Lock()
		files := maps.Clone(m.files)
		m.mu.Unlock()
		for _, key := range slices.SortedFunc(maps.Keys(files), blob.Key.Compare) {
			if err := ended(ctx); err != nil {
				yield(blob.Info{}, err)
				return
			}
			if after != (blob.Key{}) && key.Compare(after) <= 0 {
				continue
			}
			if !yield(blob.Info{Key: key, Size: int64(len(files[key].data)), Stored: files[key].stored}, nil) {
				return
			}
		}
	}
}

// Owner implements blob.Store.
func (m *Memory) Owner(ctx context.Context) (ident.ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.owner, ended(ctx)
}

// Own implements blob.Store.
func (m *Memory) Own(ctx context.Context, owner ident.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.owner = owner
	return ended(ctx)
}

// Close implements blob.Store.
func (m *Memory) Close() error { return nil }
