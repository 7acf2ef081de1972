package sink_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/app/internal/sink"
)

// lost is the line that stands for lines that were dropped.
func lost(lines uint64, since time.Time) []byte {
	return fmt.Appendf(nil, "LOST %d %s\n", lines, since.UTC().Format(time.TimeOnly))
}

// target is a destination that can block and fail.
type target struct {
	open chan struct{} // nil, or blocks until it is closed

	mu   sync.Mutex
	got  bytes.Buffer
	fail func(b []byte) (int, error) // if not nil, decides what it takes
}

func (to *target) Write(b []byte) (int, error) {
	if to.open != nil {
		<-to.open
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	n, err := len(b), error(nil)
	if to.fail != nil {
		n, err = to.fail(b)
	}
	to.got.Write(b[:n])
	return n, err
}

func (to *target) String() string {
	to.mu.Lock()
	defer to.mu.Unlock()
	return to.got.String()
}

// Whoever writes goes on while the destination takes nothing. What does not fit is
// dropped, counted, and stands in the log as one line in its place.
func TestBlocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &target{open: make(chan struct{})}
		w := sink.New(sink.Options{To: to, Bytes: 35, Now: time.Now, Lost: lost})
		for i := range 5 { // each with 10 bytes
			if n, err := fmt.Fprintf(w, "line %4d\n", i); n != 10 || err != nil {
				t.Fatalf("a line is written with %d, %v", n, err)
			}
			time.Sleep(time.Second)
		}
		if _, err := w.Write([]byte("a\n")); err != nil { // it would fit
			t.Fatal(err)
		}
		if got := w.Dropped(); got != 3 {
			t.Errorf("%d lines were dropped, want 3", got)
		}
		close(to.open)
		synctest.Wait()
		_, _ = w.Write([]byte("no end"))
		if !w.Close(time.Second) {
			t.Error("not everything was written")
		}
		_, _ = w.Write([]byte("too late\n"))
		if want := "line    0\nline    1\nline    2\nLOST 3 00:00:03\nno end\n"; to.String() != want {
			t.Errorf("written was\n%swant\n%s", to, want)
		}
		if got := w.Dropped(); got != 4 {
			t.Errorf("%d lines were dropped, want 4", got)
		}
	})
}

// A line that never fits is dropped alone.
func TestLineLongerThanAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &target{}
		w := sink.New(sink.Options{To: to, Bytes: 10, Now: time.Now, Lost: lost})
		_, _ = w.Write([]byte("longer than ten\n"))
		synctest.Wait()
		_, _ = w.Write([]byte("short\n"))
		w.Close(time.Second)
		if want := "LOST 1 00:00:00\nshort\n"; to.String() != want {
			t.Errorf("written was\n%swant\n%s", to, want)
		}
	})
}

// Without Lost, nothing is written that was not given.
func TestWithoutLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &target{}
		w := sink.New(sink.Options{To: to, Bytes: 10, Now: time.Now})
		_, _ = w.Write([]byte("longer than ten\n"))
		synctest.Wait()
		_, _ = w.Write([]byte("short\n"))
		w.Close(time.Second)
		if want := "short\n"; to.String() != want || w.Dropped() != 1 {
			t.Errorf("written was\n%swant\n%s", to, want)
		}
	})
}

// Close ends when its limit has passed, also with a destination that always asks to try
// again.
func TestCloseHasALimit(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]func() *target{
		"blocked": func() *target { return &target{open: make(chan struct{})} },
		"asks again": func() *target {
			return &target{fail: func([]byte) (int, error) { return 0, syscall.EAGAIN }}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				to := to()
				w := sink.New(sink.Options{To: to, Bytes: 100, Now: time.Now, Lost: lost})
				_, _ = w.Write([]byte("line\n"))
				began := time.Now()
				if w.Close(3*time.Second) || time.Since(began) != 3*time.Second {
					t.Errorf("the end took %s", time.Since(began))
				}
				if to.open != nil {
					close(to.open)
				}
			})
		})
	}
}

// A destination that takes a part and asks to try again gets the rest.
func TestDestinationThatDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turn := 0
		to := &target{fail: func(b []byte) (int, error) {
			if turn++; turn%2 == 1 {
				return min(3, len(b)-1), syscall.EAGAIN
			}
			return len(b), nil
		}}
		w := sink.New(sink.Options{To: to, Bytes: 100, Now: time.Now, Lost: lost})
		_, _ = w.Write([]byte("first\n"))
		synctest.Wait()
		_, _ = w.Write([]byte("second\n"))
		w.Close(time.Second)
		if want := "first\nsecond\n"; to.String() != want || w.Dropped() != 0 {
			t.Errorf("written was\n%swant\n%s", to, want)
		}
	})
}

// Whatever a destination does, the log accounts for every line: it is there as a
// whole and in order, or it is counted.
func TestEveryLineIsAccountedFor(t *testing.T) {
	t.Parallel()
	errRefused := errors.New("refused")
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			to := &target{}
			taking := rand.New(rand.NewPCG(seed, 1))
			to.fail = func(b []byte) (int, error) {
				switch taking.IntN(5) {
				case 0:
					return 0, errRefused
				case 1:
					return taking.IntN(len(b)), errRefused
				case 2:
					return bytes.IndexByte(b, '\n'), errRefused // all but the end of a line
				case 3:
					return taking.IntN(len(b)), syscall.EAGAIN
				}
				return len(b), nil
			}
			w := sink.New(sink.Options{To: to, Bytes: 20_000, Now: time.Now, Lost: func(lines uint64, _ time.Time) []byte {
				return fmt.Appendf(nil, "LOST %d lines\n", lines)
			}})
			given := 1000 + random.IntN(1000)
			for i := range given {
				fmt.Fprintf(w, "<%d %s>\n", i, strings.Repeat("x", random.IntN(100)))
				if random.IntN(100) == 0 {
					time.Sleep(time.Second)
				}
			}
			time.Sleep(time.Minute)
			to.mu.Lock()
			to.fail = nil // it flows again
			to.mu.Unlock()
			fmt.Fprintf(w, "<%d >\n", given)
			given++
			if !w.Close(time.Minute) {
				t.Fatalf("seed %d: not everything was written", seed)
			}
			whole, counted, last := 0, 0, -1
			for line := range strings.Lines(to.String()) {
				var n int
				switch {
				case strings.HasSuffix(line, " lines\n"):
					if _, err := fmt.Sscanf(line, "LOST %d lines\n", &n); err != nil {
						t.Fatalf("seed %d: %q: %v", seed, line, err)
					}
					counted += n
				case strings.HasSuffix(line, ">\n"):
					if _, err := fmt.Sscanf(line, "<%d", &n); err != nil || n <= last {
						t.Fatalf("seed %d: %q comes after line %d: %v", seed, line, last, err)
					}
					whole++
					last = n
				}
			}
			if whole+counted != given || uint64(counted) != w.Dropped() {
				t.Fatalf("seed %d: of %d lines, %d are there, the log counts %d, and Dropped is %d", seed, given, whole, counted, w.Dropped())
			}
			if counted == 0 {
				t.Fatalf("seed %d: nothing was dropped", seed)
			}
		})
	}
}
