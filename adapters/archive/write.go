package archive

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/problemtracking/problems/domain/transfer"
)

// Write writes the whole content of the store at the Reader's moment. The output is of
// use only without an error. Errors of w and of the Reader are returned as they are.
func Write(ctx context.Context, w io.Writer, r transfer.Reader) (Summary, error) {
	out := writer{Writer: bufio.NewWriterSize(w, 1<<16), codec: newCodec(), tally: newTally()}
	for record, err := range transfer.Records(ctx, r) {
		if err == nil {
			err = out.record(record)
		}
		if err != nil {
			return Summary{}, err
		}
	}
	return out.summary(), out.Flush()
}

type writer struct {
	*bufio.Writer
	*codec
	*tally
	buffer []byte // the latest line
}

func (w *writer) record(record transfer.Record) error {
	if end, ok := record.(transfer.End); ok {
		return w.line(w.manifestLine(Version, &end.Next))
	}
	kind := transfer.KindOf(record)
	w.put(record)
	if err := w.line(w.objects[kind]); err != nil {
		return err
	}
	w.add(kind, w.buffer)
	return nil
}

func (w *writer) line(o object) error {
	b, err := o.appendTo(w.buffer[:0])
	if err == nil && len(b) > maxLine {
		err = fmt.Errorf("a line of an archive has at most %d bytes, and this one would have %d", maxLine, len(b))
	}
	if err != nil {
		return fmt.Errorf("%s… cannot be written: %w", b[:min(len(b), 100)], err)
	}
	w.buffer = append(b, '\n')
	_, err = w.Write(w.buffer)
	return err
}
