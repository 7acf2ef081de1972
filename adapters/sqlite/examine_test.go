package sqlite

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestExamineFindsFaults plants each fault in a file of its own. Nothing else is found.
func TestExamineFindsFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant string
		what  string
		mend  string
		grave bool
	}{
		"nothing":                 {"SELECT 1", "", "", false},
		"step left":               {"DELETE FROM bun_migrations WHERE name = '0100'", "the schema lacks 0100_initial", `run "problems migrate"`, true},
		"missing index":           {"DROP INDEX batches_at", "the index batches_at is missing", `"CREATE INDEX batches_at ON batches (at)"`, false},
		"missing table":           {"DROP TABLE leases", "the table leases is missing", "put a backup in its place", true},
		"position behind":         {"INSERT INTO batches (id, position, at) VALUES ('x', 1000000, 0)", "but 1000000 is used already", "UPDATE versions SET position = 1000000", true},
		"orphan":                  {"PRAGMA foreign_keys = 0; INSERT INTO state_next (state, next, place) VALUES ('x', 'y', 0)", "refer to others that are missing", "put a backup in its place", true},
		"no index of parts":       {"DROP TABLE title_parts", "the table title_parts is missing", "put a backup in its place", true},
		"no trigger":              {"DROP TRIGGER comment_parts_changed", "a trigger of the index comment_parts is missing", "put a backup in its place", true},
		"texts outside the index": {"UPDATE versions SET title_parts = 1", "the index title_parts lacks texts", "('delete-all'); UPDATE versions SET title_parts = 0", true},
		"texts of an old version": {"UPDATE versions SET folding = 0", "searches for texts compare as an older version did", `run "problems migrate"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.commit(b.create(1, "one"))
			db, err := sql.Open("sqlite", b.path)
			b.must(err)
			defer db.Close()
			_, err = db.ExecContext(t.Context(), c.plant)
			b.must(err)
			findings, err := Examine(t.Context(), Options{Path: b.path})
			b.must(err)
			if c.what == "" {
				if len(findings) > 0 {
					t.Errorf("in a sound file it finds %+v", findings)
				}
				return
			}
			if len(findings) != 1 || !strings.Contains(findings[0].What, c.what) || !strings.Contains(findings[0].Mend, c.mend) || findings[0].Grave != c.grave {
				t.Errorf("it finds %+v; want %q, grave: %t, mended by %q", findings, c.what, c.grave, c.mend)
			}
		})
	}
}

// TestExamineFindsDamage overwrites a page in the middle of a file.
func TestExamineFindsDamage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "one"))
	b.must(b.Close())
	content, err := os.ReadFile(b.path)
	b.must(err)
	for i := 4096 * 5; i < 4096*9; i++ {
		content[i] ^= 0xff
	}
	b.must(os.WriteFile(b.path, content, 0o600))
	findings, err := Examine(t.Context(), Options{Path: b.path})
	b.must(err)
	if len(findings) != 1 || !findings[0].Grave || !strings.Contains(findings[0].What, "the file is damaged: ") {
		t.Errorf("it finds %+v", findings)
	}
}

// fileInfo is a file of a size and a mode.
type fileInfo struct {
	size int64
	mode fs.FileMode
}

func (i fileInfo) Name() string       { return "problems.db" }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }

func TestSurroundingsAreJudged(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for name, c := range map[string]struct {
		info  fileInfo
		disk  space
		what  string
		grave bool
	}{
		"fine":          {fileInfo{gib, 0o600}, space{known: true, free: 2 * gib}, "", false},
		"unknown":       {fileInfo{gib, 0o600}, space{}, "", false},
		"full":          {fileInfo{0, 0o600}, space{known: true, free: 100 << 20}, "has 100 MiB left: soon no write succeeds", true},
		"no backup":     {fileInfo{2 * gib, 0o600}, space{known: true, free: gib}, "a backup does not fit", false},
		"network":       {fileInfo{0, 0o600}, space{known: true, free: gib, network: "NFS"}, "network file system (NFS)", true},
		"readable":      {fileInfo{0, 0o640}, space{}, "other users of this machine can read", false},
		"others' group": {fileInfo{0, 0o604}, space{}, "other users of this machine can read", false},
	} {
		findings := file{path: "/var/problems.db", info: c.info}.surroundings(c.disk)
		switch {
		case c.what == "" && len(findings) > 0:
			t.Errorf("%s: it finds %+v", name, findings)
		case c.what != "" && (len(findings) != 1 || !strings.Contains(findings[0].What, c.what) || findings[0].Grave != c.grave || findings[0].Mend == ""):
			t.Errorf("%s: it finds %+v; want %q, grave: %t", name, findings, c.what, c.grave)
		}
	}
	if disk := spaceOf(t.TempDir()); disk.known && disk.free <= 0 {
		t.Errorf("the disk of the tests has %d bytes", disk.free)
	}
}

func TestExamineNeedsStore(t *testing.T) {
	t.Parallel()
	if _, err := Examine(t.Context(), Options{Path: filepath.Join(t.TempDir(), "nothing.db")}); err == nil || !strings.Contains(err.Error(), "there is no store at") {
		t.Errorf("without a file: %v", err)
	}
}

// TestExamineKnowsAllPositions puts a high position into each table with positions, by the
// schema in the file.
func TestExamineKnowsAllPositions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "one"))
	db, err := sql.Open("sqlite", b.path)
	b.must(err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, group_concat(CASE WHEN c.name = 'position' THEN 1000000 WHEN c.type = 'INTEGER' THEN 0 WHEN c.type = 'BLOB' THEN 'zeroblob(1)' ELSE 'hex(1)' END, ', ' ORDER BY c.cid)
		FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name <> 'versions' GROUP BY m.name HAVING max(c.name = 'position')`)
	b.must(err)
	values := map[string]string{}
	for rows.Next() {
		var table, row string
		b.must(rows.Scan(&table, &row))
		values[table] = row
	}
	b.must(errors.Join(rows.Err(), rows.Close()))
	if _, ok := values["webhooks"]; len(values) < 9 || !ok {
		t.Fatalf("the tables with positions are %v", values)
	}
	for table, row := range values {
		_, err := db.ExecContext(t.Context(), "PRAGMA foreign_keys = 0; INSERT INTO "+table+" VALUES ("+row+")")
		b.must(err)
		findings, err := Examine(t.Context(), Options{Path: b.path})
		b.must(err)
		if len(findings) == 0 || !strings.Contains(findings[0].What, "but 1000000 is used already") {
			t.Errorf("with a high position in %s it finds %+v", table, findings)
		}
		_, err = db.ExecContext(t.Context(), "DELETE FROM "+table+" WHERE position = 1000000")
		b.must(err)
	}
}
