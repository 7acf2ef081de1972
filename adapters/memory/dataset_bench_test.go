package memory_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/store"
)

// searched is how many problems the data set of the benchmarks has.
const searched = 10_000

// restored returns a store with the data set, its catalogue, and a user who owns
// few of its problems, so that all are looked at.
func restored(b *testing.B) (*memory.Store, *metadata.Catalogue, ident.ID) {
	b.Helper()
	s, err := memory.Open(b.Context(), memory.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Restore(b.Context(), dataset.New(searched).Archive()); err != nil {
		b.Fatal(err)
	}
	var catalogue *metadata.Catalogue
	err = s.View(b.Context(), func(r store.Reader) (err error) {
		catalogue, err = r.Catalogue(b.Context())
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	user, ok := catalogue.UserByEmail(dataset.Email(dataset.Busiest + 1))
	if !ok {
		b.Fatal("the data set lacks a user")
	}
	return s, catalogue, user.ID
}

// BenchmarkSearch finds the first page of what is asked for, in several ways, which all
// find something.
func BenchmarkSearch(b *testing.B) {
	s, catalogue, user := restored(b)
	var numbers []string
	for n := range predicate.MaxListMembers {
		numbers = append(numbers, fmt.Sprint(searched+n))
	}
	for _, c := range []struct{ name, text, sort string }{
		{name: "assigned", text: "assignee.identifier = $ApiUser AND state.resolved = NO"},
		{name: "latest", text: "state.resolved = NO", sort: "-modificationDate"},
		{name: "title", text: "title CONTAINS[c] 'PROBLEM 99'"},
		{name: "watching", text: "watching = YES AND state.resolved = NO"},
		{name: "keyword", text: "ANY keywords.value = '1.49' AND state.resolved = NO"},
		{name: "history", text: "SUBQUERY(history, $h, $h.modificationDate > CAST('2020-01-01', 'NSDate') AND $h.modifier.identifier = $ApiUser).@count > 2"},
		{name: "logs", text: "ANY logs.type = 'RelationshipAdded' AND state.resolved = NO"},
		{name: "list", text: "identifier IN {" + strings.Join(numbers, ", ") + "}"},
		{name: "residual", text: "title MATCHES '.*99.*'"},
	} {
		b.Run(c.name, func(b *testing.B) {
			plan, err := check.Compile(c.text, predicate.Problem, predicate.Env{User: user, Now: time.Date(2020, 6, 1, 0, 0, 0, 0, time.UTC)})
			if err != nil {
				b.Fatal(err)
			}
			sort, err := check.CompileOrder(c.sort, predicate.Problem)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				err := s.View(b.Context(), func(r store.Reader) error {
					hits, err := r.Search(b.Context(), store.Query{Plan: plan, Sort: sort, As: user, Catalogue: catalogue, Limit: 51})
					if err == nil && len(hits) == 0 {
						err = fmt.Errorf("%.50s finds nothing", c.text)
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRestore tells how much of the heap a problem takes, with the 13 records that
// it has on average.
func BenchmarkRestore(b *testing.B) {
	live := func() uint64 {
		runtime.GC()
		runtime.GC() // what the first has finalised
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var taken uint64
	for b.Loop() {
		b.StopTimer()
		before := live()
		b.StartTimer()
		s, _, _ := restored(b)
		b.StopTimer()
		taken = live() - before
		runtime.KeepAlive(s)
		b.StartTimer()
	}
	b.ReportMetric(float64(taken)/searched, "heapB/problem")
}
