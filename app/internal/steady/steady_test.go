package steady_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/problemtracking/problems/app/internal/steady"
)

// The clock goes on with the one of the Go runtime, and never back.
func TestClock(t *testing.T) {
	t.Parallel()
	clock := steady.Clock()
	if clock == nil {
		if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
			t.Fatal("there is no clock")
		}
		return
	}
	outside := time.Now()
	first := clock()
	inside := time.Now()
	for last, limit := first, time.Now().Add(time.Minute); ; {
		now := clock()
		if now < last {
			t.Fatalf("the clock goes back from %v to %v", last, now)
		}
		if last = now; now-first >= time.Millisecond {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("the clock stands at %v", now)
		}
	}
	least := time.Since(inside)
	passed := clock() - first
	if most := time.Since(outside); passed < least || passed > most {
		t.Errorf("%v have passed, by the runtime %v to %v", passed, least, most)
	}
}
