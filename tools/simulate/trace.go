package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// trace is the record of a run, in the order of time.
type trace struct {
	on    bool
	start time.Time
	mu    sync.Mutex
	lines []traced
}

type traced struct {
	at   time.Duration
	slot int
	text string
}

// add appends a line by an actor. Several by one actor at one time keep their order.
func (t *trace) add(a *actor, format string, args ...any) {
	if !t.on {
		return
	}
	line := traced{time.Since(t.start), a.slot, fmt.Sprintf(format, args...)}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
}

func (t *trace) String() string {
	slices.SortStableFunc(t.lines, func(a, b traced) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.slot, b.slot)) })
	var b strings.Builder
	for _, l := range t.lines {
		fmt.Fprintf(&b, "%14v  %s\n", l.at, l.text)
	}
	return b.String()
}
