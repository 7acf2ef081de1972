package transfer_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/app/internal/transfer"
)

// ticking is a clock that goes on by a step each time that somebody looks.
func ticking(step time.Duration) func() time.Time {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

func TestProgressShowsHowFar(t *testing.T) {
	t.Parallel()
	var terminal bytes.Buffer
	p := &transfer.Progress{Terminal: &terminal, Now: ticking(time.Second), Total: 4 << 20}
	r := p.Reader(bytes.NewReader(make([]byte, 3<<20)))
	for range 3 {
		if _, err := io.ReadFull(r, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	p.End()
	want := "\r[#######-----------------------]  25 % of 4.0 MiB\x1b[K" +
		"\r[###############---------------]  50 % of 4.0 MiB\x1b[K" +
		"\r[######################--------]  75 % of 4.0 MiB\x1b[K" +
		"\r\x1b[K"
	if terminal.String() != want {
		t.Errorf("shown: %q\nwant: %q", terminal.String(), want)
	}
}

func TestProgressWithoutTotal(t *testing.T) {
	t.Parallel()
	var terminal bytes.Buffer
	p := &transfer.Progress{Terminal: &terminal, Now: ticking(time.Second)}
	if _, err := p.Writer(io.Discard).Write(make([]byte, 3<<19)); err != nil {
		t.Fatal(err)
	}
	if want := "\r1.5 MiB\x1b[K"; terminal.String() != want {
		t.Errorf("shown: %q, want %q", terminal.String(), want)
	}
}

func TestProgressIsNotShownTooOften(t *testing.T) {
	t.Parallel()
	var terminal bytes.Buffer
	p := &transfer.Progress{Terminal: &terminal, Now: ticking(10 * time.Millisecond)}
	w := p.Writer(io.Discard)
	for range 100 { // a second
		if _, err := w.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(terminal.String(), "\r"); got != 10 {
		t.Errorf("shown %d times in a second, want 10", got)
	}
}

func TestProgressWithoutTerminal(t *testing.T) {
	t.Parallel()
	p := new(transfer.Progress)
	if _, err := io.Copy(p.Writer(io.Discard), p.Reader(strings.NewReader("text"))); err != nil {
		t.Error(err)
	}
	p.End()
}
