package postgres

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// What a version before has left, without columns for folded texts.
const old = `
	INSERT INTO problems (id, title, created, modified, revision) VALUES (1, 'Crème BRÛLÉE', 1000, 2000, 3), (2, 'plain', 1000, 2000, 1);
	UPDATE versions SET catalogue = 6;
	INSERT INTO comments (position, problem, id, created, text) VALUES (7, 1, '00000000-0000-0000-0000-000000000001', 1000, 'It''s ÉTÉ\? No'), (8, 2, '00000000-0000-0000-0000-000000000002', 1000, 'x');
	INSERT INTO log (problem, position, id, type, created, batch, field, old_value, new_value, revision) VALUES
		(1, 9, '00000000-0000-0000-0000-000000000003', 'FieldChanged', 1000, '00000000-0000-0000-0000-000000000004', 'title', '"é"', '"Crème BRÛLÉE"', 3);
	INSERT INTO savepoints (problem, position, batch, title, created, modified, revision) VALUES
		(1, 10, '00000000-0000-0000-0000-000000000004', 'Crème BRÛLÉE', 1000, 1000, 3);
	INSERT INTO keywords (problem, name, value) VALUES (1, 'Tag', NULL), (1, 'Zoë', 'ÄÖ'), (2, 'tag', 'Straße')`

// folded is how the texts of old stand in their columns.
var folded = []string{
	"Crème BRÛLÉE|crème brûlée|creme brulee", "plain||",
	`It's ÉTÉ\? No|it's été\? no|it's ete\? no`, "x||",
	"Tag|tag|", "Zoë|zoë|zoe", "tag||", "-||", "ÄÖ|äö|ao", "Straße|straße|",
}

const foldedNow = `
	SELECT title || '|' || coalesce(title_c, '') || '|' || coalesce(title_cd, '') FROM (SELECT * FROM problems ORDER BY id) p UNION ALL
	SELECT text || '|' || coalesce(text_c, '') || '|' || coalesce(text_cd, '') FROM (SELECT * FROM comments ORDER BY position) c UNION ALL
	SELECT name || '|' || coalesce(name_c, '') || '|' || coalesce(name_cd, '') FROM (SELECT * FROM keywords ORDER BY problem, name) k UNION ALL
	SELECT coalesce(value, '-') || '|' || coalesce(value_c, '') || '|' || coalesce(value_cd, '') FROM (SELECT * FROM keywords ORDER BY problem, name) v`

// A database of the first version keeps what it has, and its texts are folded.
func TestUpgradeFromTheFirstStep(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	const name = "migrations/0001_initial.up.sql"
	text, err := files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	first := sqlstore.Steps{Files: fstest.MapFS{name: {Data: text}}, Table: builtin.Table}
	_, err = Options{URL: d.url}.directly(t.Context(), true, func(_ Options, db *bun.DB) ([]Migration, error) {
		all, err := first.Compare(nil, 0)
		return nil, errors.Join(err, first.Apply(context.Background(), db, all))
	})
	if err != nil {
		t.Fatal(err)
	}
	d.exec(old)
	if _, err := Migrate(t.Context(), Options{URL: d.url}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{URL: d.url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	err = s.View(t.Context(), func(r store.Reader) error {
		p, err := r.Problem(t.Context(), 1, ident.None, store.Keywords|store.Comments)
		all, failure := r.Dossiers(t.Context(), 0, 1)
		if failure != nil || len(all) != 1 || p.Size != all[0].Size() {
			t.Errorf("the size of the problem is %d, with %+v (%v)", p.Size, all, failure)
		}
		if err == nil && (p.Title != "Crème BRÛLÉE" || p.Revision != 3 || len(p.Keywords) != 2 || len(p.Comments) != 1) {
			t.Errorf("the problem is %+v", p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	identified(t, s, func() {
		d.exec("UPDATE problems SET revision = revision + 1 WHERE id = 1; UPDATE versions SET catalogue = catalogue + 1")
	})
	if got := d.strings(foldedNow); !slices.Equal(got, folded) {
		t.Errorf("the texts are\n%q; want\n%q", got, folded)
	}
	if err := d.prepare(Options{}); err != nil {
		t.Errorf("something is left to do: %v", err)
	}
}

// identified shows how an upgraded store goes on from revisions and versions without
// a batch, beside a server of the version before, which only raises their numbers.
func identified(t *testing.T, s store.Store, before func()) {
	t.Helper()
	var seen store.Snapshot
	commit := func(batch byte, expect ...store.Expectation) error {
		t.Helper()
		if err := s.View(t.Context(), func(r store.Reader) (err error) {
			seen, err = r.Problem(t.Context(), 1, ident.None, 0)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		next := seen.Problem
		next.Revision++
		_, err := s.Commit(t.Context(), store.Change{
			Batch: ident.ID{15: batch}, At: next.Modified, Expect: expect,
			Effects: []store.Effect{store.UpdateProblem{Problem: next}, store.PutUser{User: user.User{ID: ident.ID{14: 1, 15: batch}, Name: "A", Email: "a@b"}}},
		})
		return err
	}
	at := func(revision, catalogue int64, batch byte) []store.Expectation {
		id := ident.ID{15: batch}
		return []store.Expectation{store.ProblemAt{ID: 1, Revision: revision, Batch: id}, store.CatalogueAt{Version: ident.Version{Number: catalogue, Batch: id}}}
	}
	if err := commit(8, at(3, 6, 9)...); !fault.Is(err, fault.Conflict) {
		t.Errorf("with a batch where there is none: %v", err)
	}
	if err := commit(9, at(3, 6, 0)...); err != nil {
		t.Errorf("without a batch: %v", err)
	}
	before()
	if err := commit(10, at(4, 7, 9)...); !fault.Is(err, fault.Conflict) {
		t.Errorf("after a server of the version before: %v", err)
	}
	if err := commit(11, at(5, 8, 9)...); err != nil {
		t.Errorf("after a server of the version before, as it has left it: %v", err)
	}
	if err := commit(12, at(6, 9, 11)...); err != nil {
		t.Errorf("after one more: %v", err)
	}
}

// Texts that another version has folded are folded anew, more of them than fit into
// one transaction, by whoever may migrate.
func TestFoldedByAnotherVersion(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	d.exec(old + `;
		UPDATE problems SET title_c = 'wrong', title_cd = 'wrong'; UPDATE keywords SET name_cd = 'wrong', value_c = 'wrong';
		INSERT INTO problems (id, title, title_c, created, modified, revision) SELECT n, 'Many', 'wrong', 1000, 2000, 1 FROM generate_series(3, 1202) n;
		UPDATE versions SET folding = 12345`)
	if _, err := Migrate(t.Context(), Options{URL: d.url}); err != nil {
		t.Fatal(err)
	}
	got := d.strings(foldedNow)
	many := len(got) - len(folded)
	got = slices.DeleteFunc(got, func(text string) bool { return text == "Many|many|" })
	if !slices.Equal(got, folded) || many != 1200 {
		t.Errorf("the texts are\n%q; want\n%q", got, folded)
	}
	if err := d.prepare(Options{}); err != nil {
		t.Errorf("something is left to do: %v", err)
	}
}
