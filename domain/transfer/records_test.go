package transfer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// paged is a reader that notes how many problems it is asked for.
type paged struct {
	reader
	limits *[]int
}

func (p paged) Dossiers(ctx context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	*p.limits = append(*p.limits, limit)
	return p.reader.Dossiers(ctx, after, limit)
}

// dossiers returns as many problems as there are sizes, each with about so many
// bytes in what edit sets.
func dossiers(edit func(*store.Dossier, string), sizes ...int) []store.Dossier {
	all := make([]store.Dossier, len(sizes))
	for i, size := range sizes {
		all[i].ID = problem.ID(i + 1)
		edit(&all[i], strings.Repeat("x", size))
	}
	return all
}

func TestRecordsReadAsMuchAsFits(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	comment := func(d *store.Dossier, text string) { d.Comments = []problem.Comment{{Text: text}} }
	for _, test := range []struct {
		rule     string
		dossiers []store.Dossier
		limits   []int
	}{
		{"nothing", nil, []int{1}},
		{"pages of little grow, up to a limit", dossiers(comment, make([]int, 600)...), []int{1, 2, 4, 8, 16, 32, 64, 128, 200, 200}},
		{"pages of enough stay as they are", dossiers(comment, slices.Repeat([]int{2 * mib}, 3)...), []int{1, 1, 1, 1}},
		{"pages of too much shrink", dossiers(comment, append(make([]int, 7), slices.Repeat([]int{3 * mib}, 14)...)...), []int{1, 2, 4, 8, 4, 2, 2}},
		{"a page has one problem at least", dossiers(comment, slices.Repeat([]int{9 * mib}, 2)...), []int{1, 1, 1}},
		{"HTML counts", dossiers(func(d *store.Dossier, text string) {
			d.Comments = []problem.Comment{{HTML: problem.Text(text)}}
		}, 2*mib), []int{1, 1}},
		{"values of keywords count", dossiers(func(d *store.Dossier, text string) {
			d.Keywords = []problem.Keyword{{Value: problem.Text(text)}}
		}, 2*mib), []int{1, 1}},
		{"the log counts", dossiers(func(d *store.Dossier, text string) {
			d.Log = []problem.LogEntry{{From: problem.LogValue(text)}, {To: problem.LogValue(text)}}
		}, mib/2), []int{1, 1}},
		{"titles count", dossiers(func(d *store.Dossier, text string) {
			d.Title = text
			d.Savepoints = []store.Savepoint{{Problem: problem.Problem{Fields: problem.Fields{Title: text}}}}
		}, mib/2), []int{1, 1}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			var limits []int
			var problems int
			for record, err := range transfer.Records(t.Context(), paged{reader{dossiers: test.dossiers}, &limits}) {
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := record.(transfer.Problem); ok {
					problems++
				}
			}
			if problems != len(test.dossiers) {
				t.Errorf("%d problems, want %d", problems, len(test.dossiers))
			}
			if !slices.Equal(limits, test.limits) {
				t.Errorf("the store was asked for %v problems, want %v", limits, test.limits)
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
