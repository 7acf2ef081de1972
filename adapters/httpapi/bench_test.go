package httpapi

import (
	"net/http"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
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
	catalogue, snapshot := samples.Catalogue(), samples.Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		e := wire.Encoder{Catalogue: catalogue}
		e.Problem(snapshot)
	}
}
