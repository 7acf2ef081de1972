package transfer_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// paged is a reader that notes the pages of problems that it gives.
type paged struct {
	reader
	pages *[][]int64 // the size of each problem
}

func (p paged) Dossiers(ctx context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	dossiers, err := p.reader.Dossiers(ctx, after, limit)
	page := make([]int64, len(dossiers))
	for i, d := range dossiers {
		page[i] = d.Size()
	}
	*p.pages = append(*p.pages, page)
	return dossiers, err
}

// dossiers returns as many problems as there are sizes, each with about so many bytes.
func dossiers(sizes ...int) []store.Dossier {
	text := strings.Repeat("x", slices.Max(append(sizes, 0)))
	all := make([]store.Dossier, len(sizes))
	for i, size := range sizes {
		all[i].ID = problem.ID(i + 1)
		all[i].Comments = []problem.Comment{{Text: text[:size]}}
	}
	return all
}

func TestRecordsReadAsMuchAsFits(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	gaps := dossiers(1, 1, 1, 1, 1)
	for i, id := range []problem.ID{7, 1000, 1001, 1200, 1201} {
		gaps[i].ID = id
	}
	random := rand.New(rand.NewPCG(1, 2))
	var mixed []int
	for range 1000 {
		mixed = append(mixed, random.IntN(20*mib)>>random.IntN(20))
	}
	for _, test := range []struct {
		rule     string
		dossiers []store.Dossier
		lengths  []int // of the pages; nil for any
	}{
		{"nothing", nil, []int{0}},
		{"pages of little have a limit", dossiers(make([]int, 500)...), []int{200, 200, 100, 0}},
		{"pages end before the size", dossiers(slices.Repeat([]int{3 * mib}, 3)...), []int{2, 1, 0}},
		{"a page has one problem at least", dossiers(slices.Repeat([]int{20 * mib}, 2)...), []int{1, 1, 0}},
		{"a large problem has its own page", dossiers(1, 1, 20*mib, 1, 1), []int{2, 1, 2, 0}},
		{"many small problems come before large ones", dossiers(append(make([]int, 200), slices.Repeat([]int{20 * mib}, 200)...)...), slices.Concat([]int{200}, slices.Repeat([]int{1}, 200), []int{0})},
		{"gaps between numbers", gaps, []int{1, 1, 2, 1, 0}},
		{"problems of all sizes", dossiers(mixed...), nil},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			var pages [][]int64
			var problems []problem.ID
			for record, err := range transfer.Records(t.Context(), paged{reader{dossiers: test.dossiers}, &pages}) {
				if err != nil {
					t.Fatal(err)
				}
				if p, ok := record.(transfer.Problem); ok {
					problems = append(problems, p.ID)
				}
			}
			var want []problem.ID
			for _, d := range test.dossiers {
				want = append(want, d.ID)
			}
			if !slices.Equal(problems, want) {
				t.Errorf("the problems are %v, want %v", problems, want)
			}
			var lengths []int
			for _, page := range pages {
				lengths = append(lengths, len(page))
				var size int64
				for _, n := range page {
					size += n
				}
				if len(page) > 1 && size > 8*mib || len(page) > 200 {
					t.Errorf("a page of %d problems has %d bytes", len(page), size)
				}
			}
			if test.lengths != nil && !slices.Equal(lengths, test.lengths) {
				t.Errorf("the pages have %v problems, want %v", lengths, test.lengths)
			}
		})
	}
}

// Whatever number a catalogue has, its store can be written and loaded again.
func TestRecordsHaveNumbersThatJSONHas(t *testing.T) {
	t.Parallel()
	archive, dossiers := mustLoad(t, sample())
	for number, want := range map[int64]int64{6: 6, transfer.MaxInteger: transfer.MaxInteger, transfer.MaxInteger + 1: transfer.MaxInteger} {
		archive.Catalogue = number
		for record, err := range transfer.Records(t.Context(), reader{archive: archive, dossiers: dossiers}) {
			if err != nil {
				t.Fatal(err)
			}
			if start, ok := record.(transfer.Start); ok && start.Catalogue != want {
				t.Errorf("version %d comes as %d, want %d", number, start.Catalogue, want)
			}
		}
	}
	_, err := transfer.Load(&source{start: &transfer.Start{Catalogue: transfer.MaxInteger + 1}, records: sample()}, ident.None)
	if f, ok := errors.AsType[*transfer.Fault](err); !ok || f.Field != "/catalogueVersion" || !strings.HasPrefix(f.Reason, "must be at most") {
		t.Errorf("a version above is loaded with %v", err)
	}
}
