package httpapi

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// nowhere is a ResponseWriter that keeps nothing.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n nowhere) WriteHeader(int)             {}

// answered ends the benchmark unless the request that it makes over and over is
// answered with 200.
func (f *fixture) answered(b *testing.B, r *http.Request) {
	b.Helper()
	if w := f.do(r); w.Code != http.StatusOK {
		b.Fatalf("%s %s: %d %s", r.Method, r.URL, w.Code, w.Body)
	}
}

func BenchmarkLoadProblem(b *testing.B) {
	f := setup(b, func(o *Options) { o.Observe = nil })
	r := request("GET", api+"/problems/12", "")
	f.answered(b, r)
	b.ReportAllocs()
	for b.Loop() {
		f.ServeHTTP(nowhere{http.Header{}}, r)
	}
}

// BenchmarkLoadProblemOverTCP is the same over a connection that is kept, with what
// net/http does for each request. The client allocates nothing.
func BenchmarkLoadProblemOverTCP(b *testing.B) {
	f := setup(b, func(o *Options) { o.Observe = nil })
	server := httptest.NewServer(f)
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer connection.Close()
	r := request("GET", api+"/problems/12", "")
	var wire, recorded bytes.Buffer
	if err := r.Write(&wire); err != nil {
		b.Fatal(err)
	}
	answers := bufio.NewReader(io.TeeReader(connection, &recorded))
	if _, err := connection.Write(wire.Bytes()); err != nil {
		b.Fatal(err)
	}
	first, err := http.ReadResponse(answers, r)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, first.Body); err != nil || first.StatusCode != http.StatusOK {
		b.Fatal(first.Status, err)
	}
	answer := make([]byte, recorded.Len()) // all are of the same length
	b.ReportAllocs()
	for b.Loop() {
		if _, err := connection.Write(wire.Bytes()); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(connection, answer); err != nil {
			b.Fatal(err)
		}
	}
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 OK\r\n")) || !bytes.HasSuffix(answer, []byte("}\n")) {
		b.Fatalf("answers are not of the same length: %q", answer)
	}
}

func BenchmarkUpdateProblem(b *testing.B) {
	f := setup(b, func(o *Options) { o.Observe = nil })
	patch := func() *http.Request {
		return request("PATCH", api+"/problems/12?dryRun=true",
			`{"title":"another","state":{"name":"In Progress"},"assignee":{"email":"bob@example.org"},"read":true}`)
	}
	f.answered(b, patch())
	b.ReportAllocs()
	for b.Loop() {
		f.ServeHTTP(nowhere{http.Header{}}, patch())
	}
}

func BenchmarkEncodeProblem(b *testing.B) {
	catalogue, snapshot := sampleCatalogue(), sampleSnapshot()
	b.ReportAllocs()
	for b.Loop() {
		e := encoder{catalogue: catalogue}
		e.problem(snapshot)
	}
}
