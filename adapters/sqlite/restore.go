package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"

	"github.com/uptrace/bun"
	"modernc.org/sqlite"

	"github.com/problemtracking/problems/domain/store"
)

// Restore implements store.Store. It is one task of the writer: other Commits
// wait until it is done, reads do not. The task is alone, because the problems
// can be ranged over only once.
func (s *Store) Restore(ctx context.Context, archive store.Archive) error {
	return s.hand(ctx, task{alone: true, do: func(t *transaction) error { return t.restore(ctx, archive) }})
}

// fill does the task of a Restore, and answers it.
func (s *Store) fill(t task) {
	answer, done := t.done, make(chan error, 1)
	t.done = done
	back := s.leaveLog()
	s.writer.finish([]task{t}, nobody)
	back() // first: a View after the answer shows the result
	answer <- <-done
}

// mostImage is more pages than an empty store has. A larger file keeps its log: Restore will refuse
// it, and its image would take its length in memory.
const mostImage = 4096

// leaveLog has the writer use a rollback journal in place of the log, and returns the way back. A
// log would become as long as the file, and slow; a journal has no new pages. It needs the file
// for the writer alone. So Views show an image of the empty store meanwhile, and no other process
// opens the file. Where somebody has it open, or a View is under way, the log stays.
func (s *Store) leaveLog() (back func()) {
	w, stay := &s.writer, func() {}
	var pages int
	if _, err := w.one([]any{&pages}, "PRAGMA page_count"); w.exclusive || err != nil || pages > mostImage {
		return stay
	}
	for range Readers {
		select {
		case c := <-s.idle:
			defer func() { s.idle <- c }()
			c.drop()
		default:
			return stay
		}
	}
	restoring, err := pool(s.file.path, 1, forRestoring)
	if err != nil || w.removeLog(s.file) != nil { // the log serves as well
		w.drop()
		return stay
	}
	use := func(db *bun.DB) {
		w.drop()
		w.pool, w.unlogged = db.DB, db == restoring
	}
	use(restoring)
	images, err := w.image()
	if err != nil {
		use(s.writing)
		_ = restoring.Close()
		return stay
	}
	s.shown.Store(images)
	return func() {
		use(s.writing)
		// A View before the log would hold up writes; they try it again. A read begins it as every
		// connection does, which clears away its index when the last one closes.
		if err := w.prepare(false); err != nil {
			w.log.Warn("the write-ahead log cannot be begun", "error", err)
		}
		s.shown.Store(s.reading.DB)
		_ = errors.Join(restoring.Close(), images.Close()) // a View under way keeps its connection
	}
}

// image returns a database in memory with the content of the file. It fails when the file
// has a log, or a mark.
func (c *conn) image() (*sql.DB, error) {
	var content []byte
	err := c.use(func(session connection) (err error) {
		content, err = session.(interface{ Serialize() ([]byte, error) }).Serialize()
		return err
	})
	if err != nil {
		return nil, err
	}
	const written, mark = 18, 60 // places in the head of a file
	if content[written] != 1 || binary.BigEndian.Uint32(content[mark:]) != complete {
		return nil, errors.New("others use the file")
	}
	connector, err := sqlite.NewConnector("file::memory:?" + forReading)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(imaged{connector, content}), nil
}

// imaged makes connections to copies of a database in memory.
type imaged struct {
	driver.Connector
	content []byte
}

// Connect implements driver.Connector.
func (i imaged) Connect(ctx context.Context) (driver.Conn, error) {
	session, err := i.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := session.(interface{ Deserialize([]byte) error }).Deserialize(i.content); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return session, nil
}

func (t *transaction) restore(ctx context.Context, archive store.Archive) error {
	if err := t.expect(store.StoreEmpty{}); err != nil {
		return err
	}
	if err := t.apply(archive.Head()); err != nil {
		return err
	}
	t.Versions = archive.Versions()
	for dossier, err := range archive.Problems {
		if err != nil {
			return err
		}
		for _, row := range t.dialect.DossierRows(dossier, archive.BatchOf(dossier)) {
			if err := t.do(row.Statement(t.dialect, t.next)); err != nil {
				return err
			}
		}
		if err := store.Ended(ctx); err != nil {
			return err
		}
	}
	if err := t.restoreFeed(ctx, archive); err != nil {
		return err
	}
	t.changes++
	return store.Ended(ctx)
}

func (t *transaction) restoreFeed(ctx context.Context, archive store.Archive) error {
	if archive.Feed == nil {
		return nil
	}
	for entry, err := range archive.Feed {
		if err != nil {
			return err
		}
		row, err := t.dialect.FeedRow(entry)
		if err != nil {
			return err
		}
		if err := t.do(row.Statement(t.dialect, t.next)); err != nil {
			return err
		}
		if err := store.Ended(ctx); err != nil {
			return err
		}
	}
	return nil
}
