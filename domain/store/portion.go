package store

// Portion returns what Reader.Log and Reader.Comments return of all that there are: at
// most limit after the first skip ones, up to the one with which their sizes reach room.
// It is ready made for stores that have all of them in memory, and shares it.
func Portion[T any](all []T, skip, limit int, room int64, size func(*T) int64) []T {
	all = all[min(max(skip, 0), len(all)):]
	all = all[:min(limit, len(all))]
	for i := range all {
		if room -= size(&all[i]); room <= 0 {
			return all[:i+1]
		}
	}
	return all
}
