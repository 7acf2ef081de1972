package store

// Portion returns the part of all for Reader.Log and Reader.Comments: at most limit
// elements after the first skip. The element that exhausts budget is the last. It is
// ready made for stores with all of them in memory. The result shares its memory with
// all.
func Portion[T any](all []T, skip, limit int, budget int64, size func(*T) int64) []T {
	all = all[min(max(skip, 0), len(all)):]
	all = all[:min(limit, len(all))]
	for i := range all {
		if budget -= size(&all[i]); budget <= 0 {
			return all[:i+1]
		}
	}
	return all
}
