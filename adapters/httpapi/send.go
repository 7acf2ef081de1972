package httpapi

import (
	"fmt"
	"io"
	"iter"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpframe"
)

// answering is Huma's view of a call. Its status waits for the body, because the header has
// the length.
type answering struct {
	humaContext
	call *call
}

type humaContext huma.Context // by another name than its method

func (a *answering) SetStatus(status int)  { a.call.status = status }
func (a *answering) Status() int           { return a.call.status }
func (a *answering) BodyWriter() io.Writer { return bodyWriter{a.call} }

// bodyWriter is the writer of answering: see format.
type bodyWriter struct{ call *call }

// Write is for Huma's report of a failure of format, which only a foreign body causes.
func (b bodyWriter) Write(text []byte) (int, error) {
	b.call.send(text)
	return len(text), nil
}

// format sends the bodies of answers: wire.JSON and failure.
var format = huma.Format{Marshal: func(w io.Writer, v any) error {
	c := w.(bodyWriter).call
	switch body := v.(type) {
	case *failure:
		c.send(body.text)
	case interface {
		Content() ([]byte, iter.Seq2[[]byte, error])
	}:
		c.sendContent(body.Content())
	default:
		return fmt.Errorf("httpapi: %T is no body of an answer", v)
	}
	return nil
}}

func (c *call) sendContent(text []byte, parts iter.Seq2[[]byte, error]) {
	if parts != nil {
		c.sent = true
		c.stream(parts)
		return
	}
	if len(text) > httpframe.FreeOfCharge {
		c.frame.Charge(int64(cap(text)))
	}
	c.send(text)
	c.putBuf(text)
}

// send sends a text as a line.
func (c *call) send(text []byte) {
	c.sent = true
	sendLine(c.w, c.r, c.status, text)
}

// finish sends an answer without a body.
func (c *call) finish() {
	if !c.sent {
		c.w.Header().Del("Content-Type") // Huma sets it before it knows
		httpframe.Send(c.w, c.r, c.status, nil)
	}
}

// sendLine writes a body of JSON as a line, for readers at a terminal.
func sendLine(w http.ResponseWriter, r *http.Request, status int, json []byte) {
	httpframe.Send(w, r, status, append(json, '\n'))
}
