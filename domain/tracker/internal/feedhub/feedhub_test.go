package feedhub

import (
	"testing"
	"time"
)

// Many listeners get their events in fewer and larger parts, within the time for them.
func TestPauseGrowsWithListeners(t *testing.T) {
	t.Parallel()
	for listeners, want := range map[int]time.Duration{0: shortestPause, 100: 30 * time.Millisecond, 100_000: longestPause} {
		h := &Hub{listeners: listeners}
		if got := h.pause(); got != want {
			t.Errorf("the pause with %d listeners is %v, want %v", listeners, got, want)
		}
	}
}
