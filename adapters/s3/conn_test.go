package s3

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// D48: a transfer that moves goes on, however slowly. It fails after 30 seconds without a byte.
func TestPause(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		between time.Duration // of 8 KiB that the server takes or gives
		until   int           // bytes; then it is silent
		limit   time.Duration // of the transfer; 0: it succeeds
	}{
		"slow":    {20 * time.Second, fileSize, 0},
		"stalled": {0, fileSize / 2, 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := servedBy(t, func(closed <-chan struct{}, move func(n int64) error) {
					for n := 0; n < c.until; n += 8 << 10 {
						time.Sleep(c.between)
						if move(8<<10) != nil {
							return
						}
					}
					if c.until < fileSize {
						<-closed
					}
				})
				key := blob.Key{Problem: problem.ID(1), Attachment: ident.ID{1}}
				check := func(what string, began time.Time, err error) {
					took := time.Since(began)
					if c.limit == 0 && (err != nil || took < 5*c.between) || c.limit > 0 && (!fault.Is(err, fault.Unavailable) || took > c.limit) {
						t.Errorf("%s: %v after %v", what, err, took)
					}
				}
				began := time.Now()
				check("upload", began, s.Put(t.Context(), key, bytes.NewReader(make([]byte, fileSize))))
				began = time.Now()
				r, err := s.Open(t.Context(), blob.Key{Problem: problem.ID(2), Attachment: ident.ID{1}}, 0, -1)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				_, err = io.Copy(io.Discard, iotest.OneByteReader(r))
				check("download", began, err)
			})
		})
	}
}

const fileSize = 40 << 10

// servedBy returns a store on a server that has the file 2/…, of fileSize bytes. serve moves the
// bytes of an upload or a download; closed is that of the server.
func servedBy(t *testing.T, serve func(closed <-chan struct{}, move func(n int64) error)) *Store {
	t.Helper()
	l := pipes{make(chan net.Conn), make(chan struct{})}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
		switch {
		case r.Method == http.MethodPut:
			serve(l.done, func(n int64) error {
				_, err := io.CopyN(io.Discard, r.Body, n)
				return err
			})
		case !strings.HasPrefix(r.URL.Path, "/files/2/"):
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Length", strconv.Itoa(fileSize))
			w.(http.Flusher).Flush()
			if r.Method == http.MethodGet {
				serve(l.done, func(n int64) error {
					_, err := w.Write(make([]byte, n))
					w.(http.Flusher).Flush()
					return err
				})
			}
		}
	})}
	go func() { _ = server.Serve(l) }()
	s, err := Open(Options{Bucket: "files", Endpoint: &url.URL{Scheme: "http", Host: "s3.test"}, Region: "us-east-1", Style: "path", Now: time.Now,
		dial: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			l.conns <- far
			return near, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Close(), server.Close() })
	return s
}

// pipes is a listener in memory: a network would have a clock of its own.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error   { close(p.done); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }
