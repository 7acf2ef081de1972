package httpapi

import (
	"net/http"
	"testing"
)

// nowhere is a ResponseWriter that keeps nothing.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n nowhere) WriteHeader(int)             {}

func BenchmarkLoadProblem(b *testing.B) {
	f := setup(b, func(o *Options) { o.Observe = nil })
	r := request("GET", api+"/problems/12", "")
	b.ReportAllocs()
	for b.Loop() {
		f.ServeHTTP(nowhere{http.Header{}}, r)
	}
}

func BenchmarkUpdateProblem(b *testing.B) {
	f := setup(b, func(o *Options) { o.Observe = nil })
	b.ReportAllocs()
	for b.Loop() {
		f.ServeHTTP(nowhere{http.Header{}}, request("PATCH", api+"/problems/12?dryRun=true",
			`{"title":"another","state":{"name":"In Progress"},"assignee":{"email":"bob@example.org"},"read":true}`))
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
