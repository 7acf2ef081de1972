package codes

import (
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
)

var (
	secret = access.NewSecret([32]byte{1})
	noon   = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
)

// issue returns a new code.
func issue(t *testing.T, c *Codes) string {
	t.Helper()
	code, err := c.Issue(secret, strings.NewReader("a source of random bytes"), noon)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// A code works within an hour.
func TestTake(t *testing.T) {
	t.Parallel()
	for after, want := range map[time.Duration]bool{0: true, time.Hour - 1: true, time.Hour: false} {
		var c Codes
		if got, _, ok := c.Take(issue(t, &c), noon.Add(after)); ok != want || ok && got != secret {
			t.Errorf("a code of %v has the token %v, want %v", after, ok, want)
		}
	}
	for _, c := range []*Codes{nil, {}} {
		if _, _, ok := c.Take("unknown", noon); ok {
			t.Error("an unknown code has a token")
		}
	}
}

// Of many who take a code at once, one has its token.
func TestTakeAtOnce(t *testing.T) {
	t.Parallel()
	var c Codes
	code := issue(t, &c)
	var taken atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, _, ok := c.Take(code, noon); ok {
				taken.Add(1)
			}
		})
	}
	all.Wait()
	if n := taken.Load(); n != 1 {
		t.Errorf("%d have the token, want 1", n)
	}
}

func TestIssueWithoutRandomBytes(t *testing.T) {
	t.Parallel()
	var c Codes
	if code, err := c.Issue(secret, strings.NewReader("short"), noon); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("too few random bytes make the code %q (%v)", code, err)
	}
}
