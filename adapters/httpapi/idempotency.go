package httpapi

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

// render turns an answer of the service into the response to the client. It is pure.
type render[T any] func(tracker.Answer[T]) answer

// answered renders the answer of a use case; or its error; or brings back the
// first answer to an equal request, byte for byte (D21).
func answered[T any](a tracker.Answer[T], err error, render render[T]) (answer, error) {
	switch {
	case err != nil:
		return answer{}, err
	case a.Replay != nil:
		return replay(a.Replay)
	default:
		return render(a), nil
	}
}

// idempotency reads the header Idempotency-Key; nil when the request has none.
func idempotency[T any](c *call, render render[T]) (*tracker.Idempotency[T], error) {
	lines := c.r.Header.Values("Idempotency-Key")
	if len(lines) == 0 {
		return nil, nil
	}
	key, ok := parseKey(lines[0])
	if !ok || len(lines) > 1 {
		return nil, fault.New(fault.MalformedRequest, "the header Idempotency-Key has to be 1 to 255 visible ASCII characters, bare or in quotes")
	}
	return &tracker.Idempotency[T]{
		Key:         key,
		Fingerprint: c.fingerprint(),
		Render:      func(a tracker.Answer[T]) []byte { return keep(render(a)) },
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
	query, _ := url.ParseQuery(c.r.URL.RawQuery) // parseQuery has refused malformed queries
	h := sha256.New()
	for _, part := range []string{c.r.Method, c.r.URL.EscapedPath(), query.Encode(), c.media} {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	h.Write(c.body)
	return [sha256.Size]byte(h.Sum(nil))
}

// keep turns an answer into bytes: an HTTP/1.1 message, so the format needs no
// documentation of its own.
func keep(a answer) []byte {
	var b bytes.Buffer
	header := http.Header{}
	a.setHeader(header)
	message := http.Response{
		StatusCode: a.status, ProtoMajor: 1, ProtoMinor: 1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(a.body)),
		ContentLength: int64(len(a.body)),
	}
	_ = message.Write(&b) // into memory: does not fail
	return b.Bytes()
}

// replay is the inverse of keep.
func replay(kept []byte) (answer, error) {
	message, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(kept)), nil)
	if err != nil {
		return answer{}, fault.Wrap(fault.Internal, err, "a kept reply cannot be read")
	}
	body, err := io.ReadAll(message.Body)
	if err != nil {
		return answer{}, fault.Wrap(fault.Internal, err, "a kept reply cannot be read")
	}
	message.Header.Del("Content-Length")
	message.Header.Set("Idempotency-Replayed", "true")
	return answer{status: message.StatusCode, header: message.Header, body: body, replayed: true}, nil
}
