package webhook

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// rotated returns the reference after a rotation that has to succeed.
func rotated(t *testing.T, r SecretRef, key KeyID, at time.Time, endEarlier bool) SecretRef {
	t.Helper()
	next, err := r.Rotate(key, at, endEarlier)
	if err != nil || next.Generation != r.Generation+1 {
		t.Fatalf("%+v became %+v, %v", r, next, err)
	}
	return next
}

func TestRotate(t *testing.T) {
	t.Parallel()
	one, other := KeyID{1}, KeyID{2}
	hour := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
	first := SecretRef{Key: one, Generation: 1}
	second := rotated(t, first, one, noon, false)
	third := rotated(t, second, one, hour(1), false)
	for name, c := range map[string]struct {
		ref  SecretRef
		at   time.Time
		want []int64
	}{
		"never rotated":           {first, noon, []int64{1}},
		"at once":                 {second, noon, []int64{2, 1}},
		"within a day":            {second, noon.Add(24*time.Hour - 1), []int64{2, 1}},
		"after a day":             {second, hour(24), []int64{2}},
		"clock stepped back":      {second, hour(-1), []int64{2, 1}},
		"rotated twice":           {third, hour(2), []int64{3, 2, 1}},
		"a day after the first":   {third, hour(24), []int64{3, 2}},
		"a day after the second":  {third, hour(25), []int64{3}},
		"rotated a day later":     {rotated(t, second, one, hour(24), false), hour(24), []int64{3, 2}},
		"rotated often, in days":  {rotated(t, third, one, hour(24), false), hour(24), []int64{4, 3, 2}},
		"the earlier one ended":   {rotated(t, first, one, noon, true), noon, []int64{2}},
		"both ended":              {rotated(t, third, one, hour(2), true), hour(2), []int64{4}},
		"ended, and rotated":      {rotated(t, rotated(t, third, one, hour(2), true), one, hour(3), false), hour(3), []int64{5, 4}},
		"by another key":          {rotated(t, first, other, noon, false), noon, []int64{2}},
		"by another key late":     {rotated(t, second, other, hour(1), false), hour(2), []int64{3}},
		"by another key at three": {rotated(t, third, other, hour(2), false), hour(2), []int64{4}},
	} {
		if got := c.ref.Generations(c.at); !slices.Equal(got, c.want) {
			t.Errorf("%s: the generations %v sign, want %v", name, got, c.want)
		}
	}
	if got, err := third.Rotate(one, hour(2), false); !fault.Is(err, fault.InUse) || !strings.Contains(err.Error(), "2026-03-15T12:00:00Z") || got != third {
		t.Errorf("a third rotation within a day makes %+v, %v", got, err)
	}
}

// A secret signs until a day after its own rotation, or until a rotation that ends it, and no
// more than MostSecrets sign at a time.
func TestRotations(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		ref, at := SecretRef{Key: KeyID{1}, Generation: 1}, noon
		ends := map[int64]time.Time{} // of the earlier generations
		for range 30 {
			at = at.Add(time.Duration(random.IntN(20)) * time.Hour)
			want := []int64{ref.Generation}
			for g := ref.Generation - 1; g > 0 && at.Before(ends[g]); g-- {
				want = append(want, g)
			}
			if got := ref.Generations(at); !slices.Equal(got, want) || len(got) > MostSecrets {
				t.Fatalf("seed %d: of %+v, %v sign at %s, want %v", seed, ref, got, at, want)
			}
			end := random.IntN(5) == 0
			next, err := ref.Rotate(ref.Key, at, end)
			if full := len(want) == MostSecrets && !end; full != (err != nil) {
				t.Fatalf("seed %d: while %v sign, a rotation fails with %v", seed, want, err)
			}
			if err != nil {
				continue
			}
			if ends[ref.Generation] = at.Add(RotationFor); end {
				clear(ends)
			}
			ref = next
		}
	}
}

// A rotation at the time that the refusal names succeeds.
func TestRotateAtTheNamedTime(t *testing.T) {
	t.Parallel()
	for _, part := range []time.Duration{0, time.Millisecond, 999 * time.Millisecond} {
		at := time.Date(2026, 1, 1, 12, 0, 0, int(part), time.UTC)
		r := SecretRef{Generation: 1, Rotated: at.Add(time.Minute), RotatedBefore: at}
		_, err := r.Rotate(r.Key, at.Add(time.Hour), false)
		if err == nil {
			t.Fatal("a fourth secret signs")
		}
		named, parseErr := time.Parse(time.RFC3339, regexp.MustCompile(`\d{4}-\S+Z`).FindString(err.Error()))
		if parseErr != nil || named.Sub(at.Add(RotationFor)) >= time.Second {
			t.Errorf("after %v: %v; want a time within a second after %v", part, err, at.Add(RotationFor))
		}
		if _, err := r.Rotate(r.Key, named, false); err != nil {
			t.Errorf("after %v, at the named time: %v", part, err)
		}
	}
}
