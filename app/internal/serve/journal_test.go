package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// line is what the tests read of a line of the log.
type line struct {
	Level     string `json:"level"`
	Message   string `json:"msg"`
	Status    int    `json:"status"`
	Requests  int    `json:"requests"`
	Errors    int    `json:"errors"`
	Addresses int    `json:"addresses"`
	Statuses  map[string]int
	Messages  map[string]int
	Cause     string
}

// linesOf takes the lines out of a log.
func linesOf(t *testing.T, log *buffer) []line {
	t.Helper()
	log.mu.Lock()
	defer log.mu.Unlock()
	var all []line
	for text := range bytes.Lines(log.b.Bytes()) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		all = append(all, l)
	}
	log.b.Reset()
	return all
}

// A line has a limit, whatever a client makes part of it.
func TestLengthOfLines(t *testing.T) {
	t.Parallel()
	var log buffer
	logger := newLogger(&log, slog.LevelInfo)
	long := strings.Repeat("ä", longest)
	logger.Info("text", "cause", long, "short", 1)
	logger.Info("error", "cause", errors.New(long))
	logger.Info(long, "cause", "")
	logger.Info("short", "cause", errors.New("short"))
	if size := len(log.String()); size > 4*longest {
		t.Errorf("%d bytes are logged", size)
	}
	got := linesOf(t, &log)
	for i, text := range []string{got[0].Cause, got[1].Cause, got[2].Message} {
		if !strings.HasPrefix(text, "ää") || !strings.HasSuffix(text, fmt.Sprintf("… (%d more bytes)", longest)) {
			t.Errorf("line %d has a text of %d bytes, with the end %q", i, len(text), text[len(text)-30:])
		}
	}
	if got[3].Cause != "short" {
		t.Errorf("a short error is logged as %q", got[3].Cause)
	}
}
