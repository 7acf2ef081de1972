package store

// Portion returns the part of all that Reader.Log and Reader.Comments return: at most
// limit after the first skip, up to the one with which the total size reaches budget.
// It is ready made for stores with all of them in memory. The result shares its memory
// with all.
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
