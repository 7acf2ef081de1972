package sqlite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
)

// Finding is a fault of a file, and the way to mend it.
type Finding = sqlstore.Finding

// Examine finds faults of a file, beside its service. It changes nothing. It reads the
// whole file. It fails when it cannot look.
func Examine(ctx context.Context, o Options) ([]Finding, error) {
	f, err := find(o)
	if err != nil {
		return nil, err
	}
	o.Existing = true
	if _, err := f.inspect(ctx, o); err != nil {
		return nil, err
	}
	log, err := size(f.logPath())
	if err != nil {
		return nil, err
	}
	findings := append(f.surroundings(spaceOf(filepath.Dir(f.path))), f.rights()...)
	journal, err := size(f.journalPath())
	if err != nil {
		return nil, err
	}
	if journal > 0 { // what reads the file alone takes it for malformed
		return append(findings, Finding{What: fmt.Sprintf("an import into %s is under way, or was cut off", f.path), Mend: "wait for its end; if none is under way, begin it again, or start the service: both undo what was cut off"}), nil
	}
	err = f.read(log >= 0, func(db *bun.DB) error {
		e := examination{ctx: ctx, file: f, db: db}
		err := e.run()
		findings = append(findings, e.findings...)
		return err
	})
	if err != nil {
		return nil, f.failure(err)
	}
	return findings, nil
}

// space describes a file system.
type space struct {
	known   bool
	free    int64 // in bytes, for the user of this process
	network string
}

// least is the least free space: with less, writes may soon fail. The write-ahead log alone
// can take a quarter of it.
const least = 256 << 20

// surroundings judges the rights of the file and the file system with it.
func (f file) surroundings(disk space) (findings []Finding) {
	if mode := f.info.Mode().Perm(); mode&0o077 != 0 {
		findings = append(findings, Finding{What: fmt.Sprintf("other users of this machine can read %s, with the digests of all tokens", f.path), Mend: "chmod 600 " + f.path})
	}
	if disk.network != "" {
		findings = append(findings, Finding{Grave: true, What: fmt.Sprintf("%s is on a network file system (%s), where SQLite can lose data", f.path, disk.network), Mend: "move the file to a disk of this machine, or use PostgreSQL"})
	}
	switch {
	case !disk.known:
	case disk.free < least:
		findings = append(findings, Finding{Grave: true, What: fmt.Sprintf("the disk of %s has %d MiB left: soon no write succeeds", f.path, disk.free>>20), Mend: "make room there, or move the store to a larger disk"})
	case disk.free < f.info.Size():
		findings = append(findings, Finding{What: fmt.Sprintf("the disk of %s has %d MiB left, which is less than the file has: a backup does not fit", f.path, disk.free>>20), Mend: "make room there, or write backups to another disk"})
	}
	return findings
}

// examination reads the file for Examine.
type examination struct {
	ctx      context.Context
	file     file
	db       *bun.DB
	findings []Finding
}

func (e *examination) grave(mend, what string, args ...any) {
	e.findings = append(e.findings, Finding{Grave: true, What: fmt.Sprintf(what, args...), Mend: mend})
}

// restore is the last way to mend a file.
const restore = `stop the service, keep a copy of the file, and put a backup in its place`

func (e *examination) run() error {
	var faults []string
	if err := e.db.NewRaw("PRAGMA quick_check(3)").Scan(e.ctx, &faults); err != nil {
		return err
	}
	if len(faults) != 1 || faults[0] != "ok" {
		e.grave(restore, "the file is damaged: %s", strings.Join(faults, "; "))
		return nil
	}
	all, err := status(e.ctx, e.db, e.file.steps)
	if err != nil {
		return err
	}
	if left := sqlstore.Left(all); left != nil {
		e.findings = append(e.findings, left...)
		return nil // nobody knows what the schema should have
	}
	if whole, err := e.schema(); err != nil || !whole {
		return err
	}
	done, err := sqlstore.IsFolded(e.ctx, e.db)
	if err == nil && !done {
		e.findings = append(e.findings, sqlstore.NotFolded())
	}
	return errors.Join(err, e.numbers(), e.parts())
}

// schema looks for missing tables and indexes. It reports whether all tables are there.
func (e *examination) schema() (whole bool, err error) {
	tables, indexes, err := e.file.steps.Created()
	if err != nil {
		return false, err
	}
	var have []string
	if err := e.db.NewRaw("SELECT type || ' ' || name FROM sqlite_schema").Scan(e.ctx, &have); err != nil {
		return false, err
	}
	whole = true
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if !slices.Contains(have, "table "+name) {
			whole = false
			e.grave(restore, "the table %s is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(indexes)) {
		if !slices.Contains(have, "index "+name) {
			statement := strings.TrimSuffix(strings.Join(strings.Fields(indexes[name]), " "), ";")
			e.findings = append(e.findings, Finding{What: fmt.Sprintf("the index %s is missing, so that searches are slow", name), Mend: fmt.Sprintf("sqlite3 %s %q", e.file.path, statement)})
		}
	}
	return whole, nil
}

// numbers compares the number of the last position with those in use, and looks for rows
// that refer to nothing.
func (e *examination) numbers() error {
	var last, highest int64
	var orphans int
	used, err := e.file.steps.HighestPosition()
	if err != nil {
		return err
	}
	if err := e.db.NewRaw("SELECT position, (?), (SELECT count(*) FROM pragma_foreign_key_check) FROM versions", bun.Safe(used)).Scan(e.ctx, &last, &highest, &orphans); err != nil {
		return err
	}
	if last < highest {
		e.grave(fmt.Sprintf(`stop the service, then: sqlite3 %s "UPDATE versions SET position = %d"`, e.file.path, highest), "the store is at position %d, but %d is used already: somebody has written to the file by other means", last, highest)
	}
	if orphans > 0 {
		e.grave(restore, "%d rows refer to others that are missing: somebody has written to the file by other means", orphans)
	}
	return nil
}

// parts looks for the latest indexed texts in the index of parts, and for the triggers that change it.
func (e *examination) parts() error {
	for _, p := range []parted{partedTitles, partedComments} {
		var triggers int
		if err := e.db.NewRaw(p.statement("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND name IN ('{parts}_added', '{parts}_changed')")).Scan(e.ctx, &triggers); err != nil {
			return err
		}
		if triggers < 2 {
			e.grave(restore, "a trigger of the index %s is missing, so that searches do not find new texts", p.parts)
			continue
		}
		var texts []struct {
			Number int64
			Text   string
		}
		if err := e.db.NewRaw(p.statement("SELECT {key} AS number, {text} AS text FROM {table} WHERE {key} <= (SELECT {parts} FROM versions) AND length({text}) >= ? ORDER BY {key} DESC LIMIT 100"), sqlsearch.LeastSought).Scan(e.ctx, &texts); err != nil {
			return err
		}
		for _, t := range texts {
			var found bool
			if err := e.db.NewRaw(p.statement("SELECT EXISTS (SELECT 1 FROM {parts} WHERE {parts} MATCH ? AND rowid = ?)"), trigrams(t.Text), t.Number).Scan(e.ctx, &found); err != nil {
				return err
			}
			if !found {
				e.grave(fmt.Sprintf(`stop the service, then: sqlite3 %s "%s"; the service fills it again`, e.file.path, p.statement("INSERT INTO {parts} ({parts}) VALUES ('delete-all'); UPDATE versions SET {parts} = 0")),
					"the index %s lacks texts, so that searches do not find them: somebody has written to the file by other means", p.parts)
				break
			}
		}
	}
	return nil
}
