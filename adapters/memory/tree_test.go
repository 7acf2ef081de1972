package memory

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTree compares a tree, and every earlier version of it, with maps.
func TestTree(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	keys := []uint64{0, 1, fan - 1, fan, fan*fan - 1, fan * fan, 1 << 40, math.MaxUint64 - 1, math.MaxUint64}
	for range 200 {
		keys = append(keys, random.Uint64N(500))
	}
	version, model := tree[int]{}, map[uint64]int{}
	type pair struct {
		tree  tree[int]
		model map[uint64]int
	}
	var versions []pair
	for i := range 100 {
		key := keys[random.IntN(len(keys))]
		next := map[uint64]int{key: i + 1}
		for k, v := range model {
			if k != key {
				next[k] = v
			}
		}
		version, model = version.put(key, i+1), next
		versions = append(versions, pair{version, model})
	}
	for i, v := range versions {
		for _, key := range keys {
			if got := v.tree.get(key); got != v.model[key] {
				t.Fatalf("version %d has %d at key %d, want %d", i, got, key, v.model[key])
			}
		}
		found, last := 0, uint64(0)
		for key, value := range v.tree.all() {
			if value != v.model[key] || key < last {
				t.Fatalf("version %d lists %d at key %d after key %d, want %d", i, value, key, last, v.model[key])
			}
			if value != 0 {
				found++
			}
			last = key
		}
		if found != len(v.model) {
			t.Fatalf("version %d lists %d values, want %d", i, found, len(v.model))
		}
		first := keys[random.IntN(len(keys))]
		for key, value := range v.tree.from(first) {
			if key < first {
				t.Fatalf("version %d lists key %d from key %d on", i, key, first)
			}
			if value != 0 {
				found--
			}
		}
		for key := range v.model {
			if key < first {
				found--
			}
		}
		if found != 0 {
			t.Fatalf("version %d lists %d values too few from key %d on", i, found, first)
		}
	}
}
