package postgres_test

import (
	"fmt"
	"sync"
	"testing"
)

// ledger counts what became of writes, and what of that was not so.
type ledger struct {
	mu sync.Mutex

	acknowledged int
	refused      int
	// Of those of which it was not known at first: found stored, and not.
	unknownStored, unknownLost int

	lost        int // acknowledged, or said to be stored, and not there
	resurrected int // refused, or ruled out, and there
	duplicate   int // there more than once
	torn        int // there in part
	phantom     int // there, though nobody attempted it
}

func (l *ledger) String() string {
	return fmt.Sprintf("%d acknowledged, %d refused, %d unknown and stored, %d unknown and not; LOST %d, RESURRECTED %d, DUPLICATE %d, TORN %d, PHANTOM %d",
		l.acknowledged, l.refused, l.unknownStored, l.unknownLost, l.lost, l.resurrected, l.duplicate, l.torn, l.phantom)
}

// wrong is how many writes are not as was said.
func (l *ledger) wrong() int { return l.lost + l.resurrected + l.duplicate + l.torn + l.phantom }

// check fails the test unless everything is as was said, and says the split.
func (l *ledger) check(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Logf("%s", l)
	if l.wrong() > 0 {
		t.Errorf("the writes are not as was said: %s", l)
	}
}

// verdict is what is said of a write.
type verdict int

const (
	stored verdict = iota
	refused
	foundStored // after it was not known
	foundLost   // after it was not known
)

// enter records a write of which this was said, and how many times each part of it
// is there. It returns what is wrong with that, or "".
func (l *ledger) enter(said verdict, times ...int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	*map[verdict]*int{stored: &l.acknowledged, refused: &l.refused, foundStored: &l.unknownStored, foundLost: &l.unknownLost}[said]++
	there := said == stored || said == foundStored
	none, one := 0, 0
	for _, n := range times {
		switch {
		case n == 0:
			none++
		case n == 1:
			one++
		default:
			l.duplicate++
			return fmt.Sprintf("DUPLICATE: its parts are there %v times", times)
		}
	}
	switch {
	case none > 0 && one > 0:
		l.torn++
		return fmt.Sprintf("TORN: its parts are there %v times", times)
	case there && none > 0:
		l.lost++
		return "LOST"
	case !there && one > 0:
		l.resurrected++
		return "RESURRECTED"
	}
	return ""
}
