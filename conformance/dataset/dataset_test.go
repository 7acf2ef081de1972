package dataset

import (
	"crypto/sha256"
	"io"
	"iter"
	"math"
	"reflect"
	"slices"
	"testing"
	"unicode"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// records returns all that the tracker has.
func records(t *testing.T, tracker *Tracker) (all []transfer.Record) {
	t.Helper()
	for r, err := range transfer.Records(t.Context(), tracker) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// source is a transfer.Source of records.
type source []transfer.Record

func (s *source) Next() (int64, transfer.Record, error) {
	if len(*s) == 0 {
		return 0, nil, io.EOF
	}
	next := (*s)[0]
	*s = (*s)[1:]
	return 0, next, nil
}

func TestSameArgumentsGiveTheSame(t *testing.T) {
	t.Parallel()
	one, other := access.Digest{1}, access.Digest{2}
	first := records(t, New(500, one))
	if !reflect.DeepEqual(first, records(t, New(500, one))) {
		t.Error("the same arguments give two data sets")
	}
	if reflect.DeepEqual(first, records(t, New(500, other))) || reflect.DeepEqual(first, records(t, New(501, one))) {
		t.Error("other arguments give the same data set")
	}
}

// An Archive is what an import of the same tracker hands to a store.
func TestArchiveIsThatOfAnImport(t *testing.T) {
	t.Parallel()
	digest := access.Digest{1}
	from := source(records(t, New(300, digest)))
	loaded, err := transfer.Load(&from, ident.None)
	if err != nil {
		t.Fatal(err)
	}
	loaded.Metadata = metadata.NewCatalogue(ident.Version{Number: loaded.Catalogue}, loaded.Metadata).Content() // in its order
	got := New(300, digest).Archive()
	if got.Catalogue != loaded.Catalogue || !reflect.DeepEqual(got.Head(), loaded.Head()) {
		t.Errorf("the head is\n%+v\nwant\n%+v", got.Head(), loaded.Head())
	}
	next, stop := iter.Pull2(got.Problems)
	defer stop()
	for want, err := range loaded.Problems {
		if err != nil {
			t.Fatal(err)
		}
		if d, _, ok := next(); !ok || !reflect.DeepEqual(d, want) {
			t.Fatalf("there is\n%+v\nwant\n%+v", d, want)
		}
	}
	if d, _, ok := next(); ok {
		t.Errorf("there is one more problem: %+v", d)
	}
}

// What is imported is checked record by record, from the log of each problem to the
// problem: the checker is the importer's own.
func TestArchiveCanBeImported(t *testing.T) {
	t.Parallel()
	digests := make([]access.Digest, Users)
	for i := range digests {
		digests[i] = sha256.Sum256([]byte{byte(i)})
	}
	from := source(records(t, New(2000, digests...)))
	loaded, err := transfer.Load(&from, ident.None)
	if err != nil {
		t.Fatal(err)
	}
	problems, relationships := 0, 0
	for d, err := range loaded.Problems {
		if err != nil {
			t.Fatal(err)
		}
		problems++
		relationships += len(d.Relationships)
		if len(d.Keywords) != 2 {
			t.Errorf("problem %d has %d keywords; want 2", d.ID, len(d.Keywords))
		}
	}
	if problems != 2000 || relationships != 400 || len(loaded.Metadata.Users) != Users || len(loaded.Tokens) != Users || len(loaded.Metadata.Milestones) != 50 {
		t.Errorf("there are %d problems, %d relationships, %d users, %d tokens, %d milestones; want 2000, 400, %d, %d, 50",
			problems, relationships, len(loaded.Metadata.Users), len(loaded.Tokens), len(loaded.Metadata.Milestones), Users, Users)
	}
	for n, token := range loaded.Tokens {
		if want := map[bool]access.Scope{true: access.Admin, false: access.Write}[n == 0]; token.Scope != want {
			t.Errorf("the token of user %d has the scope %s; want %s", n, token.Scope, want)
		}
	}
}

func TestShape(t *testing.T) {
	t.Parallel()
	const problems = 10_000
	dossiers, err := New(problems).Dossiers(t.Context(), 0, problems)
	if err != nil || len(dossiers) != problems {
		t.Fatalf("%d dossiers, %v", len(dossiers), err)
	}
	share := func(holds func(d store.Dossier) bool) float64 {
		n := 0
		for _, d := range dossiers {
			if holds(d) {
				n++
			}
		}
		return float64(n) / problems
	}
	owned := map[ident.ID]float64{}
	for _, d := range dossiers {
		owned[d.Assignee] += 1. / problems
	}
	shares := make([]float64, 0, len(owned))
	for _, s := range owned {
		shares = append(shares, s)
	}
	slices.Sort(shares)
	most := shares[len(shares)-Users/100:]
	lengths := func(length func(d store.Dossier) int) (none, some, mean float64, longest int) {
		for _, d := range dossiers {
			mean += float64(length(d)) / problems
			longest = max(longest, length(d))
		}
		return share(func(d store.Dossier) bool { return length(d) == 0 }), share(func(d store.Dossier) bool { return length(d) == 1 }), mean, longest
	}
	none, one, comments, mostCommented := lengths(func(d store.Dossier) int { return len(d.Comments) })
	_, _, entries, longest := lengths(func(d store.Dossier) int { return len(d.Log) })
	for _, c := range []struct {
		what      string
		got, want float64
		within    float64
	}{
		{"owners", float64(len(owned)), Users, 0},
		{"owned by one of a hundred", most[0], .30, .02},
		{"owned by the next one", shares[len(shares)-2], .70 / (Users - 1), .005},
		{"closed", share(func(d store.Dossier) bool { return !d.Resolved.IsZero() }), .80, .02},
		{"titles in other scripts", share(func(d store.Dossier) bool { return other(d.Title) }), .05, .001},
		{"planned for a milestone", share(func(d store.Dossier) bool { return !d.Milestone.IsNone() }), .20, .001},
		{"blocked", share(func(d store.Dossier) bool { return len(d.Relationships) > 0 && d.Relationships[0].Other < d.ID }), .10, .001},
		// Zipf's law of exponent 2: of 0, 1, 2 … the nth is 1/n² as frequent
		// as the first, and those together are π²/6 of it.
		{"without a comment", none, 6 / (math.Pi * math.Pi), .02},
		{"with one comment", one, 6 / (math.Pi * math.Pi) / 4, .02},
		{"comments of a problem", comments, 2.6, .5},
		{"the most comments, to the nearest 50", math.Round(float64(mostCommented)/50) * 50, mostComments, 0},
		{"log entries of a problem", entries, 1 + 2 + 2.6 + 2.2 + .2 + .8, .7},
		{"the longest log is at least that much longer than others", min(20, float64(longest)/entries), 20, 0},
	} {
		if math.Abs(c.got-c.want) > c.within {
			t.Errorf("%s: %v; want %v, within %v", c.what, c.got, c.want, c.within)
		}
	}
}

// other reports whether a title is in another script than plain Latin.
func other(title string) bool {
	for _, r := range title {
		if r > unicode.MaxASCII {
			return true
		}
	}
	return false
}
