package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/problemtracking/problems/app/internal/sink"
)

const (
	// held is how many bytes of the log are kept while nobody takes them: some 4,000
	// requests.
	held = 1 << 20
	// flushing is the time for the last lines at the end of the service.
	flushing = 3 * time.Second
	// longest is the most bytes of one value in a line: a stack fits.
	longest = 16 << 10
)

// newJournal returns the writer of all logs. It holds lines for a slow destination, and
// never makes the service wait.
func newJournal(to io.Writer, now func() time.Time) *sink.Writer {
	return sink.New(sink.Options{To: to, Bytes: held, Now: now, Lost: func(lines uint64, since time.Time) []byte {
		var b bytes.Buffer
		r := slog.NewRecord(now(), slog.LevelWarn, "the log did not take all lines: some are lost", 0)
		r.Add("lines", lines, "since", since)
		_ = slog.NewJSONHandler(&b, nil).Handle(context.Background(), r) // a buffer takes everything
		return b.Bytes()
	}})
}

// newLogger returns a logger of lines with a limited length: parts of them may come from
// a client.
func newLogger(to io.Writer, lowest slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(to, &slog.HandlerOptions{Level: lowest, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		text := ""
		switch a.Value.Kind() {
		case slog.KindString:
			text = a.Value.String()
		case slog.KindAny:
			err, ok := a.Value.Any().(error)
			if !ok {
				return a
			}
			text = err.Error()
		}
		if len(text) > longest {
			a.Value = slog.StringValue(fmt.Sprintf("%s… (%d more bytes)", text[:longest], len(text)-longest))
		}
		return a
	}}))
}
