package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// groupSize is the highest number of tasks in one transaction.
const groupSize = 128

// task is one write. The writer can repeat it after its transaction was rolled back,
// unless the task has to be alone in its transaction.
type task struct {
	do    func(*transaction) error
	alone bool
	done  chan<- error
	err   error // of do, for the caller
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	var receipt store.Receipt
	err := s.submit(ctx, func(t *transaction) (err error) {
		receipt, err = t.commit(change)
		return err
	})
	if errors.Is(err, errOverdue) {
		// The writer goes on with it, and with the receipt.
		return store.Receipt{}, fault.Wrap(fault.UnknownOutcome, err, "the time ran out while the change was written")
	}
	if err != nil {
		return store.Receipt{}, err
	}
	return receipt, nil
}

// Outcome implements store.Store. It queues behind the Commits that the writer has begun,
// until the deadline of ctx.
func (s *Store) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	var receipt store.Receipt
	var stored bool
	err := s.submit(ctx, func(t *transaction) (err error) {
		receipt, stored, err = t.outcome(batch, at)
		return err
	})
	if errors.Is(err, errOverdue) {
		return store.Receipt{}, false, fault.Wrap(fault.Unavailable, err, "the time ran out while the change was looked for")
	}
	if err != nil {
		return store.Receipt{}, false, err
	}
	return receipt, stored, nil
}

// errOverdue is the error of a task that the writer has begun and continues after the
// deadline of its caller.
var errOverdue = errors.New("sqlite: the writer was not done at the deadline")

// submit hands a task to the writer and waits until it is done. Nothing is buffered
// between the two: the writer has begun every task that it received. From then on a
// cancelled context no longer counts, but its deadline does: errOverdue.
func (s *Store) submit(ctx context.Context, do func(*transaction) error) error {
	return s.hand(ctx, task{do: do})
}

func (s *Store) hand(ctx context.Context, t task) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	done := make(chan error, 1)
	t.done = done
	tasks := s.tasks
	if t.alone {
		tasks = s.lonely
	}
	select {
	case tasks <- t:
	case <-ctx.Done():
		if s.writer.waits.Load() {
			return fault.Wrap(fault.Unavailable, store.Busy(context.Cause(ctx)), "the store waits for long reads before its next write")
		}
		return store.Ended(ctx)
	}
	if t.alone { // the task reads the caller's values
		return <-done
	}
	if ended, err := store.Await(ctx, done); ended {
		return err
	}
	return errOverdue
}

// write is the writer's goroutine: it does the tasks that wait in one transaction, and
// answers them.
func (s *Store) write() {
	defer close(s.written)
	for {
		select {
		case first, ok := <-s.tasks:
			if !ok {
				return
			}
			s.writer.finish([]task{first}, s.join)
		case first := <-s.lonely:
			s.fill(first)
		}
	}
}

// join appends the tasks of waiting callers to a group with room for them.
func (s *Store) join(group []task) []task {
	for len(group) < groupSize {
		select {
		case next, ok := <-s.tasks:
			if !ok {
				return group
			}
			group = append(group, next)
		default:
			return group
		}
	}
	return group
}

// nobody joins a task that is alone.
func nobody(group []task) []task { return group }

// writer is the one connection for writing. Only the writer's goroutine uses it, except
// for the counters.
type writer struct {
	conn
	file             file
	dialect          *sqlstore.Dialect
	log              *slog.Logger
	commits, changes atomic.Uint64 // see Stats
	// exclusive is true for a server. Other processes set no mark while a server runs: an
	// older server would not clear it.
	exclusive bool
	// unlogged is true during a Restore without a log: see leaveLog.
	unlogged bool
	// wal is the write-ahead log of this connection; nil until the first write.
	wal atomic.Pointer[fs.FileInfo]
	// long is longLog, unless a test sets it.
	long int64
	// kept is the length of the log when shorten last tried to empty it; 0 for a short log.
	kept int64
	// moved is the number of frames in the file after a vain wait of shorten; -1 for none. It
	// stays the same as long as the same View needs the log.
	moved int64
	waits atomic.Bool // true while shorten is at work
}

// missing fails when a write would be lost: see file.missing.
func (w *writer) missing() error {
	if err := w.file.missing(); err != nil {
		return err
	}
	wal := w.wal.Load()
	if wal == nil {
		return nil
	}
	if now, err := os.Stat(w.file.logPath()); err != nil || !os.SameFile(*wal, now) {
		return fault.Wrap(fault.Unavailable, err, "the write-ahead log of the store was moved, replaced or deleted: stop the service, and it moves the whole log into the file")
	}
	return nil
}

// drop ends the connection. The next one finds its log anew.
func (w *writer) drop() {
	w.wal.Store(nil)
	w.conn.drop()
}

// prepare finds the log before the connection writes to it for the first time, and marks
// the file if it is to be marked.
func (w *writer) prepare(mark bool) error {
	if w.unlogged || w.wal.Load() != nil {
		return nil
	}
	if mark {
		if err := w.markLogged(); err != nil {
			w.drop()
			return err
		}
	} else if _, err := w.exec("SELECT 1 FROM versions"); err != nil { // this connects
		return err
	}
	wal, err := os.Stat(w.file.logPath())
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "the write-ahead log of the store cannot be found")
	}
	w.wal.Store(&wal)
	return nil
}

// finish does the tasks of a group and answers them. Others join it until its last statement
// is done: each more in a group saves a sync.
func (w *writer) finish(group []task, join func([]task) []task) {
	group = join(group)
	t, err := w.begin(w.exclusive || group[0].alone) // a task alone fills a store
	if err != nil {
		for _, task := range group {
			task.done <- err
		}
		return
	}
	group, err = t.run(group, join)
	if err == nil && t.changes > 0 {
		err = t.end()
	}
	if err != nil || t.changes == 0 {
		w.rollback()
	}
	if err != nil && len(group) > 1 && !fault.Is(err, fault.UnknownOutcome) {
		// One task has spoilt the transaction for all. Alone, each gets its own outcome.
		w.log.Warn("a group of changes is done again one by one", "changes", len(group), "error", err)
		for i := range group {
			w.finish(group[i:i+1], nobody)
		}
		return
	}
	if err == nil && t.changes > 0 {
		w.commits.Add(1)
		w.changes.Add(t.changes)
		if lost := w.missing(); lost != nil {
			err = fault.Wrap(fault.UnknownOutcome, lost, "the change was written while the store was taken away")
		}
	}
	for _, task := range group {
		if task.err == nil {
			task.err = err
		}
		task.done <- task.err
	}
	if err == nil && t.changes > 0 {
		w.shorten()
	}
}

// begin starts a transaction. It reads the versions anew each time, because
// another process may have written.
func (w *writer) begin(mark bool) (*transaction, error) {
	if err := w.missing(); err != nil {
		return nil, err
	}
	if err := w.prepare(mark); err != nil {
		return nil, err
	}
	if _, err := w.exec("BEGIN EXCLUSIVE"); err != nil { // in the log, readers go on
		return nil, err
	}
	t := &transaction{conn: &w.conn, dialect: w.dialect}
	_, err := w.one(append([]any{&t.position}, w.dialect.VersionsInto(&t.Versions)...), "SELECT position, "+sqlstore.VersionColumns+" FROM versions")
	if err != nil {
		w.rollback()
		return nil, err
	}
	return t, nil
}

// rollback ends a transaction without a trace. SQLite may have ended it already. Then a
// new connection is the way to be sure.
func (w *writer) rollback() {
	if _, err := w.exec("ROLLBACK"); err != nil {
		w.log.Warn("the connection that writes is replaced", "error", err)
		w.drop()
	}
}

// transaction is a transaction of the writer.
type transaction struct {
	*conn
	dialect *sqlstore.Dialect
	store.Versions
	position int64  // the latest one taken
	changes  uint64 // stored ones
}

// next takes a position.
func (t *transaction) next() int64 {
	t.position++
	return t.position
}

// run does the tasks, and those that join them. A refused task has written nothing, and does
// not concern the others; any other error means a lost transaction.
func (t *transaction) run(group []task, join func([]task) []task) ([]task, error) {
	for i := 0; i < len(group); i++ {
		err := group[i].do(t)
		group[i].err = err
		if refused, ok := errors.AsType[refusal](err); ok {
			group[i].err = refused.error
		} else if err != nil {
			return group, err
		}
		if i == len(group)-1 {
			group = join(group)
		}
	}
	return group, nil
}

// refusal is the error of a task that has written nothing.
type refusal struct{ error }

// end stores the versions and commits.
func (t *transaction) end() error {
	_, err := t.exec("UPDATE versions SET (position, "+sqlstore.VersionColumns+") = (?, ?, ?, ?, ?)",
		append([]any{t.position}, t.dialect.VersionValues(t.Versions)...)...)
	if err != nil {
		return err
	}
	return t.with("COMMIT", func(commit statement) error {
		if _, err := commit.ExecContext(context.Background(), nil); err != nil {
			return classifyCommit(err)
		}
		return nil
	})
}

// commit stores a Change. It checks every condition of this server before it writes. Two
// failures show later: another process has taken the number of a new problem, or the disk
// refuses.
func (t *transaction) commit(change store.Change) (store.Receipt, error) {
	for _, expectation := range change.Expect {
		if err := t.expect(expectation); err != nil {
			return t.unexpected(change.Batch, err)
		}
	}
	receipt := store.Receipt{Batch: change.Batch, Position: t.next()}
	settled, known, err := t.settle(change.Batch, receipt.Position, change.At)
	switch {
	case err != nil:
		return store.Receipt{}, err
	case known:
		return t.again(change.Batch, settled)
	}
	if err := t.apply(change); err != nil {
		return store.Receipt{}, err
	}
	t.changes++
	return receipt, nil
}

// unexpected refuses a Change with the error of an expectation, unless the Change is
// known: a stored Change can itself be the reason.
func (t *transaction) unexpected(batch ident.ID, reason error) (store.Receipt, error) {
	if !fault.Is(reason, fault.Conflict) {
		return store.Receipt{}, reason
	}
	settled, known, err := t.settled(batch)
	switch {
	case err != nil:
		return store.Receipt{}, err
	case known:
		return t.again(batch, settled)
	}
	return store.Receipt{}, refusal{reason}
}

// again answers a known Change.
func (t *transaction) again(batch ident.ID, settled int64) (store.Receipt, error) {
	if settled == ruledOut {
		return store.Receipt{}, refusal{fault.New(fault.Abandoned, "this batch was ruled out")}
	}
	return store.Receipt{Batch: batch, Position: settled}, nil
}

// outcome looks for a batch, and rules it out when it is not there.
func (t *transaction) outcome(batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	settled, known, err := t.settle(batch, ruledOut, at)
	if err != nil {
		return store.Receipt{}, false, err
	}
	if !known {
		t.changes++
	}
	if settled == ruledOut {
		return store.Receipt{}, false, nil
	}
	return store.Receipt{Batch: batch, Position: settled}, true, nil
}

// ruledOut is the position of a batch after a ruling against it.
const ruledOut = 0

// settle gives an unknown batch its position, and returns the position of the batch.
func (t *transaction) settle(batch ident.ID, position int64, at time.Time) (settled int64, known bool, err error) {
	added, err := t.exec("INSERT INTO batches (id, position, at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
		batch.String(), position, at.UnixMicro())
	if err != nil || added > 0 {
		return position, false, err
	}
	return t.settled(batch)
}

// settled returns the position of a known batch.
func (t *transaction) settled(batch ident.ID) (position int64, known bool, err error) {
	known, err = t.one([]any{&position}, "SELECT position FROM batches WHERE id = ?", batch.String())
	return position, known, err
}
