package browser

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/tools/launch"
)

var among = flag.Int64("complete.problems", 10_000, "among how many `problems` BenchmarkComplete opens its pages")

// BenchmarkComplete opens the list of the open problems and a problem with 100 log entries,
// with an empty cache of the browser, on a SQLite file. ms/complete is the median of the time
// from the start of the navigation to the end of the load event, as the page itself measures
// it.
func BenchmarkComplete(b *testing.B) {
	s := openAmong(b, *among)
	id := s.api("POST", "/problems", map[string]any{"title": "Version 0"})["identifier"].(float64)
	for n := range 99 {
		s.api("PATCH", fmt.Sprintf("/problems/%.0f", id), map[string]any{"title": fmt.Sprintf("Version %d", n+1)})
	}
	for _, page := range []struct{ name, path string }{{"list", "/problems"}, {"problem", fmt.Sprintf("/problems/%.0f", id)}} {
		b.Run(page.name, func(b *testing.B) {
			p := s.signedIn(s.token)
			var times []float64
			for b.Loop() {
				p.must(p.Leave(), p.Open(page.path), p.Until("performance.getEntriesByType('navigation')[0]?.loadEventEnd > 0"))
				took, err := Get[float64](p.Tab, "performance.getEntriesByType('navigation')[0].loadEventEnd")
				if err != nil {
					b.Fatal(err)
				}
				times = append(times, took)
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "ms/complete")
		})
	}
}

// openAmong starts the program on a SQLite file with the data set of that many problems.
func openAmong(b *testing.B, problems int64) *scene {
	b.Helper()
	secret := newSecret()
	dir := b.TempDir()
	file, err := os.Create(filepath.Join(dir, "archive"))
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriter(file)
	_, err = archive.Write(b.Context(), out, dataset.New(problem.ID(problems), secret.Digest()))
	if err = errors.Join(err, out.Flush(), file.Close()); err != nil {
		b.Fatal(err)
	}
	store := "sqlite:" + filepath.Join(dir, "problems.db")
	if err := (launch.Program{Path: program, Home: dir}).Load(b.Context(), file.Name(), store); err != nil {
		b.Fatal(err)
	}
	s := open(b, store)
	s.token = secret.Reveal()
	return s
}
