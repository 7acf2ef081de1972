package upgradetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/ident"
)

// FoldsInPortions folds large texts. db is a single connection to an empty store, and begin
// starts a transaction. A portion ends before 8 MiB, or after one text.
func FoldsInPortions(t *testing.T, d *sqlstore.Dialect, db *bun.DB, begin string) {
	t.Helper()
	const mib = 1 << 20
	if _, err := db.ExecContext(t.Context(), "INSERT INTO problems (id, title, created, modified, revision) VALUES (1, 'plain', 1000, 2000, 1)"); err != nil {
		t.Fatal(err)
	}
	for i, size := range []int{3 * mib, 3 * mib, 3 * mib, 9 * mib, mib, mib} {
		if _, err := db.ExecContext(t.Context(), "INSERT INTO comments (position, problem, id, created, text) VALUES (?, 1, ?, 1000, ?)",
			i+1, d.ID(ident.ID{15: byte(i + 1)}), "A"+strings.Repeat("x", size-1)); err != nil {
			t.Fatal(err)
		}
	}
	count := func() (folded int) {
		if err := db.NewRaw("SELECT count(*) FROM comments WHERE text_c IS NOT NULL").Scan(t.Context(), &folded); err != nil {
			t.Fatal(err)
		}
		return folded
	}
	portions := []int{0}
	if err := d.Fold(t.Context(), db, begin, func(int) { portions = append(portions, count()) }); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Compact(portions), []int{0, 2, 3, 4, 6}; !slices.Equal(got, want) || count() != 6 {
		t.Errorf("after the portions, %v comments are folded, and %d at the end; want %v", got, count(), want)
	}
}
