package serve

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// What is printed while nobody reads follows in order.
func TestPrinter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		p := &printer{to: writer}
		for _, lines := range [][]string{{"listening"}, {"token", "hint"}, {"more"}} {
			began := time.Now()
			if err := p.print(lines); !errors.Is(err, errNotTaken) || time.Since(began) != printing {
				t.Errorf("%q is printed with %v after %s", lines, err, time.Since(began))
			}
		}
		const want = "listening\ntoken\nhint\nmore\n"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(reader, got); err != nil || string(got) != want {
			t.Errorf("printed is %q, %v", got, err)
		}
		if err := reader.CloseWithError(http.ErrAbortHandler); err != nil {
			t.Fatal(err)
		}
		if err := p.print([]string{"nobody"}); !errors.Is(err, http.ErrAbortHandler) {
			t.Errorf("with the reader gone, the error is %v", err)
		}
		if err := p.print(nil); err != nil {
			t.Errorf("nothing is printed with %v", err)
		}
	})
}
