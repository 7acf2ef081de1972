package archive_test

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"testing"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// What was written and read is what it was, and is written in the same way again,
// whatever the texts are.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		const problems = 25
		s := newSynthetic(seed, problems)
		var first bytes.Buffer
		summary, err := archive.Write(t.Context(), &first, s)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		w, err := load(first.String())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !reflect.DeepEqual(w.Metadata, s.content) || !reflect.DeepEqual(w.Archive.Tokens, s.tokens) {
			t.Errorf("seed %d: read %+v and %+v, want %+v and %+v", seed, w.Metadata, w.Archive.Tokens, s.content, s.tokens)
		}
		if !reflect.DeepEqual(w.Archive.Queries, s.queries) || !reflect.DeepEqual(w.Archive.Audit, s.entries) {
			t.Errorf("seed %d: read %+v and %+v, want %+v and %+v", seed, w.Archive.Queries, w.Archive.Audit, s.queries, s.entries)
		}
		if want, _ := s.Webhooks(t.Context(), 0, 3); !reflect.DeepEqual(w.Archive.Webhooks, want) {
			t.Errorf("seed %d: read %+v, want %+v", seed, w.Archive.Webhooks, want)
		}
		if len(w.dossiers) != problems {
			t.Errorf("seed %d: read %d problems, want %d", seed, len(w.dossiers), problems)
		}
		for i, got := range w.dossiers {
			if want := s.dossier(problem.ID(i + 1)); !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d: read %+v, want %+v", seed, got, want)
			}
		}
		if want, _ := s.Feed(t.Context(), 0, 1<<20, 0); !reflect.DeepEqual(w.feed, want) {
			t.Errorf("seed %d: read the feed %+v, want %+v", seed, w.feed, want)
		}
		if want := (archive.Summary{Problems: problems, Records: int64(bytes.Count(first.Bytes(), []byte("\n"))) - 2}); summary != want {
			t.Errorf("seed %d: written is %+v, want %+v", seed, summary, want)
		}
		if again := w.text(t); again != first.String() {
			t.Errorf("seed %d: written %q, and after reading %q", seed, first.String(), again)
		}
	}
}

// FuzzRead reads anything, and what is an archive comes out as it went in.
func FuzzRead(f *testing.F) {
	f.Add([]byte(canonical()))
	f.Add([]byte(whole(body[:11], 1)))
	f.Add([]byte(whole(inUse(), 8)))
	f.Add([]byte(whole(withWebhooks(), 8)))
	f.Add([]byte(whole(body[:1], 1)))
	for _, line := range body {
		f.Add([]byte(body[0] + "\n" + line + "\n"))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := load(string(text))
		if err != nil {
			return
		}
		first := w.text(t)
		again, err := load(first)
		if err != nil {
			t.Fatalf("%q was read, and written as %q: %v", text, first, err)
		}
		if second := again.text(t); second != first {
			t.Errorf("%q was written first as %q, then as %q", text, first, second)
		}
	})
}

// loaded is the number of problems in the archive of the benchmarks.
const loaded = 2_000

// BenchmarkWrite encodes; making up the problems is not counted.
func BenchmarkWrite(b *testing.B) {
	var all bytes.Buffer
	if _, err := archive.Write(b.Context(), &all, newSynthetic(1, loaded)); err != nil {
		b.Fatal(err)
	}
	w, err := load(all.String())
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.Count(all.Bytes(), []byte("\n"))
	b.SetBytes(int64(all.Len()))
	for b.Loop() {
		if _, err := archive.Write(context.Background(), io.Discard, w); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

// BenchmarkRead decodes and checks.
func BenchmarkRead(b *testing.B) {
	var all bytes.Buffer
	if _, err := archive.Write(b.Context(), &all, newSynthetic(1, loaded)); err != nil {
		b.Fatal(err)
	}
	lines := bytes.Count(all.Bytes(), []byte("\n"))
	b.SetBytes(int64(all.Len()))
	b.ReportAllocs()
	for b.Loop() {
		a, err := transfer.Load(archive.NewReader(bytes.NewReader(all.Bytes())), ident.None)
		if err != nil {
			b.Fatal(err)
		}
		var last store.Dossier
		for d, err := range a.Problems {
			if err != nil {
				b.Fatal(err)
			}
			last = d
		}
		if last.ID != loaded {
			b.Fatalf("the last problem is %d, want %d", last.ID, loaded)
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
