package sqlite

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// hasParts compares the index with the texts up to the last indexed ones: nothing is missing, and
// nothing of a former text is found.
func (b *bench) hasParts(titles, comments int) {
	b.Helper()
	db, err := pool(b.path, 1, forWriting)
	b.must(err)
	defer db.Close()
	for p, want := range map[parted]int{partedTitles: titles, partedComments: comments} {
		var expected, got []string
		count := 0
		b.must(b.read(b.Context(), func(c *conn) error {
			return c.each(func(scan func(...any) error) error {
				var key int64
				var text string
				if err := scan(&key, &text); err != nil {
					return err
				}
				count++
				for i, runes := 0, []rune(text); i+3 <= len(runes); i++ {
					expected = append(expected, fmt.Sprint(key, " ", string(runes[i:i+3])))
				}
				return nil
			}, p.statement("SELECT {key}, {text} FROM {table} WHERE {key} <= (SELECT {parts} FROM versions)"))
		}))
		_, err := db.ExecContext(b.Context(), p.statement("CREATE VIRTUAL TABLE temp.seen USING fts5vocab(main, {parts}, instance)"))
		b.must(err)
		b.must(db.NewRaw("SELECT doc || ' ' || term FROM temp.seen").Scan(b.Context(), &got))
		_, err = db.ExecContext(b.Context(), "DROP TABLE temp.seen")
		b.must(err)
		slices.Sort(expected)
		slices.Sort(got)
		if expected = slices.Compact(expected); count != want || !slices.Equal(got, expected) {
			b.Errorf("%s has, for %d rows of %d,\n%q; want\n%q", p.parts, count, want, got, expected)
		}
	}
}

func (b *bench) comment(id problem.ID, text string) store.AddComment {
	return store.AddComment{Problem: id, Comment: problem.Comment{ID: b.id(), Author: b.id(), Created: start, Text: text}}
}

// The index of parts follows the texts, whether it has them already or not.
func TestPartsFollowTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, late := b.create(2, "Crème secret brûlée"), b.create(1, "a late number")
	added := b.comment(2, "ÉTÉ, and a Zephyr")
	first.Effects = append(first.Effects, added, b.comment(2, "x"))
	b.commit(first)
	b.hasParts(0, 0)
	for more, err := true, error(nil); more; {
		more, err = b.addParts(t.Context(), 0)
		b.must(err)
	}
	b.hasParts(1, 2)
	b.commit(late)
	b.commit(b.create(3, "not yet in it"))
	b.hasParts(2, 2)

	renamed := first.Effects[0].(store.CreateProblem).Problem
	renamed.Title, renamed.Revision = "Crème *** brûlée", 2
	edited := added.Comment
	edited.Text = "nothing"
	b.commit(b.change(store.UpdateProblem{Problem: renamed}, store.PutComment{Problem: 2, Comment: edited}))
	b.hasParts(2, 2)
	db, err := pool(b.path, 1, forWriting)
	b.must(err)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), "UPDATE versions SET folding = 0; UPDATE problems SET (title_c, title_cd) = (NULL, NULL)")
	b.must(err)
	b.must(b.dialect.Fold(t.Context(), db, "BEGIN IMMEDIATE", func(int) {}))
	b.hasParts(2, 2)
	if findings, err := Examine(t.Context(), Options{Path: b.path}); err != nil || len(findings) > 0 {
		t.Errorf("an examination finds %+v, %v", findings, err)
	}
	b.must(db.Close())
	b.must(b.Close())
	b.must(Compact(t.Context(), Options{Path: b.path}, func(string, int64) {}))
	b.Store = b.open(Options{})
	b.hasParts(2, 2)
	var left int
	b.must(b.reading.NewRaw("SELECT (SELECT count(*) FROM title_parts_data WHERE instr(block, CAST('secr' AS BLOB)) > 0 OR instr(block, CAST('sec' AS BLOB)) > 0) + "+
		"(SELECT count(*) FROM comment_parts_data WHERE instr(block, CAST('zep' AS BLOB)) > 0)").Scan(t.Context(), &left))
	if left > 0 {
		t.Errorf("%d blocks have former texts", left)
	}
}

// A server fills the index in portions, until it has all texts.
func TestServerFillsParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	many := b.change()
	const all = 3*portionRows + 1
	for id := range problem.ID(all) {
		many.Effects = append(many.Effects, b.create(id+1, fmt.Sprint("number ", id)).Effects...)
	}
	many.Effects = append(many.Effects, b.comment(1, "one comment"))
	b.commit(many)
	b.must(b.Close())
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), Options{Path: b.path, Exclusive: true})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	b.Store = b.open(Options{})
	b.hasParts(all, 1)
}
