package httpapi

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

// answered returns the output for the answer of a use case; or its error; or the first
// answer to an equal request, byte for byte (D21).
func answered[T, O any](c *call, a tracker.Answer[T], err error, render func(tracker.Answer[T]) *O) (*O, error) {
	switch {
	case err != nil:
		return nil, err
	case a.Replay != nil:
		c.frame.Replayed = true
		return replay[O](a.Replay)
	default:
		return render(a), nil
	}
}

// idempotency reads the header Idempotency-Key; nil when the request has none. render is
// pure.
func idempotency[T, O any](c *call, render func(tracker.Answer[T]) *O) (*tracker.Idempotency[T], error) {
	lines := c.r.Header.Values("Idempotency-Key")
	if len(lines) == 0 {
		return nil, nil
	}
	key, ok := parseKey(lines[0])
	switch {
	case len(lines) > 1:
		return nil, fault.New(fault.MalformedRequest, "the header Idempotency-Key has to be sent once")
	case !ok:
		return nil, fault.New(fault.MalformedRequest, "the header Idempotency-Key has to be 1 to 255 visible ASCII characters, bare or in quotes")
	}
	return &tracker.Idempotency[T]{
		Key:         key,
		Fingerprint: c.fingerprint(),
		Render: func(a tracker.Answer[T]) []byte {
			out := render(a)
			status := c.op.DefaultStatus
			if own := statusOf(out); own.IsValid() {
				status = int(own.Int())
			}
			return keep(status, out)
		},
	}, nil
}

func parseKey(value string) (key string, ok bool) {
	key = value
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		if key, ok = strings.CutSuffix(quoted, `"`); !ok || strings.ContainsAny(key, `"\`) {
			return "", false
		}
	}
	invisible := func(c rune) bool { return c <= ' ' || c > '~' }
	return key, 1 <= len(key) && len(key) <= 255 && !strings.ContainsFunc(key, invisible)
}

// fingerprint tells equal requests from others: by method, path, query, media type
// and body (D21).
func (c *call) fingerprint() [sha256.Size]byte {
	h := sha256.New()
	for _, part := range []string{c.r.Method, c.r.URL.EscapedPath(), c.query.Encode(), c.media} {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	h.Write(c.body)
	return [sha256.Size]byte(h.Sum(nil))
}

// keep turns an output with a text into bytes: an HTTP/1.1 message, so the format needs no
// documentation of its own.
func keep[O any](status int, out *O) []byte {
	var b bytes.Buffer
	header := http.Header{}
	eachHeader(out, func(name string, value reflect.Value) {
		if value.String() != "" {
			header.Set(name, value.String())
		}
	})
	text, _ := bodyOf(out).Content()
	message := http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(text)),
		ContentLength: int64(len(text)),
	}
	_ = message.Write(&b) // into memory: does not fail
	return b.Bytes()
}

// replay is the inverse of keep.
func replay[O any](kept []byte) (*O, error) {
	message, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(kept)), nil)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "a kept reply cannot be read")
	}
	text, err := io.ReadAll(message.Body)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "a kept reply cannot be read")
	}
	message.Header.Set("Idempotency-Replayed", "true")
	out := new(O)
	eachHeader(out, func(name string, value reflect.Value) { value.SetString(message.Header.Get(name)) })
	bodyOf(out).SetText(text)
	if own := statusOf(out); own.IsValid() {
		own.SetInt(int64(message.StatusCode))
	}
	return out, nil
}

// eachHeader calls a function for each header of an output.
func eachHeader[O any](out *O, do func(name string, value reflect.Value)) {
	of := reflect.ValueOf(out).Elem()
	for _, f := range reflect.VisibleFields(of.Type()) {
		if name := f.Tag.Get("header"); name != "" {
			do(name, of.FieldByIndex(f.Index))
		}
	}
}

// replayed is a body that may come again.
type replayed interface {
	Content() ([]byte, iter.Seq2[[]byte, error])
	SetText([]byte)
}

// statusOf returns the status of an output, if it has one of its own.
func statusOf[O any](out *O) reflect.Value { return reflect.ValueOf(out).Elem().FieldByName("Status") }

func bodyOf[O any](out *O) replayed {
	return reflect.ValueOf(out).Elem().FieldByName("Body").Addr().Interface().(replayed)
}
