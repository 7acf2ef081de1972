package s3

import (
	"context"
	"io"
	"math"
	"runtime"
	"testing"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Buffers of uploads are within the budget of the requests. A small file takes little of it.
func TestMemory(t *testing.T) {
	t.Parallel()
	s := servedBy(t, func(_ <-chan struct{}, move func(int64) error) { _ = move(math.MaxInt64) })
	memory := budget.New(2 * partSize)
	put := func(ctx context.Context, n byte) (file *io.PipeWriter, stored chan error) {
		account := memory.Open(nil)
		account.For(ident.ID{n})
		r, file := io.Pipe()
		stored = make(chan error, 1)
		go func() {
			err := s.Put(budget.With(ctx, account), blob.Key{Problem: problem.ID(1), Attachment: ident.ID{n}}, r)
			r.CloseWithError(err)
			stored <- err
		}()
		return file, stored
	}
	held := func(least, most int64) {
		t.Helper()
		if got, _ := memory.Held(); got < least || got > most {
			t.Errorf("%d bytes are held, want %d to %d", got, least, most)
		}
	}
	const small, large = 100 << 10, partSize - 1
	first, firstStored := put(t.Context(), 1)
	_, _ = first.Write(make([]byte, small))
	held(small, 4*small)
	second, secondStored := put(t.Context(), 2)
	_, _ = second.Write(make([]byte, large))
	held(small+large, 4*small+partSize)

	ctx, cancel := context.WithCancel(t.Context())
	third, refused := put(ctx, 3)
	go func() { _, _ = third.Write(make([]byte, large)) }()
	for _, waiting := memory.Held(); waiting == 0; _, waiting = memory.Held() {
		runtime.Gosched()
	}
	cancel()
	if err := <-refused; !fault.Is(err, fault.Unavailable) {
		t.Errorf("an upload without memory: %v", err)
	}
	held(small+large, 4*small+partSize)

	first.Close()
	second.Close()
	for _, stored := range []chan error{firstStored, secondStored} {
		if err := <-stored; err != nil {
			t.Error(err)
		}
	}
	held(0, 0)
}
