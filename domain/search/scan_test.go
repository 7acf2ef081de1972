package search

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// sized is an archive that knows the size of each problem, and notes the pages of problems that
// it gives.
type sized struct {
	*archive
	pages [][]int64 // the size of each problem
	loads []problem.ID
}

func (s *sized) Dossiers(ctx context.Context, after problem.ID, limit int) ([]store.Dossier, error) {
	page, err := s.archive.Dossiers(ctx, after, limit)
	var sizes []int64
	for _, d := range page {
		sizes = append(sizes, d.Size())
	}
	s.pages = append(s.pages, sizes)
	return page, err
}

func (s *sized) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	found, err := s.archive.Problems(ctx, ids, as, parts)
	for i := range found {
		found[i].Size = s.size(found[i].ID)
	}
	return found, err
}

func (s *sized) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	s.loads = append(s.loads, id)
	found, err := s.archive.Problem(ctx, id, as, parts)
	found.Size = s.size(id)
	return found, err
}

func (s *sized) size(id problem.ID) int64 {
	return s.dossiers[slices.IndexFunc(s.dossiers, func(d store.Dossier) bool { return d.ID == id })].Size()
}

// Scan holds a page of bounded size, and the parts of one large problem at a time.
func TestScanHoldsLittle(t *testing.T) {
	t.Parallel()
	const large = 3 << 20
	text := strings.Repeat("x", large)
	reader := &sized{archive: new(archive)}
	var want []problem.ID
	for i := range problem.ID(2 * batchSize) {
		d := store.Dossier{Problem: problem.Problem{ID: i + 1, Originator: ann}, Comments: []problem.Comment{{Text: "x"}}}
		if i < batchSize/2 {
			d.Comments[0].Text = text
			want = append(want, d.ID)
		}
		reader.dossiers = append(reader.dossiers, d)
	}
	q := store.Query{Plan: compile(t, "ANY comments.text BEGINSWITH 'x'", predicate.Problem), As: ann, Catalogue: catalogue(), Limit: 3 * batchSize}
	hits, err := Scan(t.Context(), reader, q)
	if err != nil || len(hits) != len(reader.dossiers) {
		t.Fatalf("%d hits, %v, want %d", len(hits), err, len(reader.dossiers))
	}
	for _, page := range reader.pages {
		var bytes int64
		for _, size := range page {
			bytes += size
		}
		if len(page) > 1 && bytes > 8<<20 {
			t.Errorf("a page of %d problems has %d bytes", len(page), bytes)
		}
	}
	if !slices.Equal(reader.loads, want) {
		t.Errorf("the parts of the problems %v are loaded one by one, want %v", reader.loads, want)
	}
}
