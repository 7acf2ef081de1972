package sqlstore

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"
)

// lines is a handler that hands on the lines of a log: the text, and the attributes.
type lines struct {
	slog.Handler
	to chan []string
}

func (l lines) Enabled(context.Context, slog.Level) bool { return true }

func (l lines) Handle(_ context.Context, r slog.Record) error {
	line := []string{r.Message}
	r.Attrs(func(a slog.Attr) bool {
		line = append(line, a.String())
		return true
	})
	l.to <- line
	return nil
}

// TestReported reads the log of work that goes on until its progress was logged.
func TestReported(t *testing.T) {
	t.Parallel()
	log := lines{to: make(chan []string)}
	goOn, ended := make(chan struct{}), make(chan error, 1)
	look := func(context.Context) (Progress, error) {
		return Progress{UnderWay: true, Percent: 43, Waits: "process 7"}, nil
	}
	go func() {
		ended <- Reported(t.Context(), slog.New(log), time.Millisecond, "0007_latest", look, func(context.Context) error {
			<-goOn
			return nil
		})
	}()
	expect := func(want ...string) {
		t.Helper()
		if got := <-log.to; !slices.Equal(got, want) {
			t.Errorf("the log has %q; want %q", got, want)
		}
	}
	underWay := []string{"a step of the schema is under way", "step=0007_latest", "percent=43", "waits_for=process 7"}
	expect("a step of the schema begins", "step=0007_latest")
	expect(underWay...)
	expect(underWay...)
	close(goOn)
	last := <-log.to
	for slices.Equal(last, underWay) {
		last = <-log.to
	}
	if want := []string{"a step of the schema is done", "step=0007_latest"}; !slices.Equal(last, want) {
		t.Errorf("at the end, the log has %q; want %q", last, want)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestReportedFailure has no line that says that the work is done.
func TestReportedFailure(t *testing.T) {
	t.Parallel()
	log, failure := lines{to: make(chan []string, 9)}, errors.New("broken")
	err := Reported(t.Context(), slog.New(log), time.Hour, "0007_latest", nil, func(context.Context) error { return failure })
	if !errors.Is(err, failure) || len(log.to) != 1 {
		t.Errorf("got %v after %d lines; want the failure after one", err, len(log.to))
	}
}
