package postgres

import (
	"context"
	"sync"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// confirmations lets concurrent callers of Confirm share a write.
type confirmations struct {
	mu      sync.Mutex
	next    *confirmation // the next one, for new callers
	running bool
}

// confirmation is a write. It begins after all its callers have asked.
type confirmation struct {
	done    chan struct{} // closed at its end
	history store.History // of the server behind the write
	err     error
}

// join returns the next confirmation. It starts write unless write is under way already.
func (c *confirmations) join(write func() (store.History, error)) *confirmation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = &confirmation{done: make(chan struct{})}
	}
	if !c.running {
		c.running = true
		go c.run(write)
	}
	return c.next
}

// run makes one confirmation after the other, until nobody asks for one.
func (c *confirmations) run(write func() (store.History, error)) {
	for {
		c.mu.Lock()
		current := c.next
		c.next = nil
		if current == nil {
			c.running = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		current.history, current.err = write()
		close(current.done)
	}
}

// confirm writes to the log of the database, and nothing else, where standbys have to
// confirm commits. They confirm in the order of the log, so a confirmed message confirms
// everything visible before it. Without such standbys there is nothing to wait for: a
// commit is visible once it is synced. A message needs no table and locks nothing.
const (
	confirm = "SELECT CASE WHEN current_setting('synchronous_standby_names', true) <> '' " +
		"THEN pg_logical_emit_message(true, 'problems', '') IS NULL END"
	confirmTimeline = confirm + ", pg_walfile_name(pg_current_wal_lsn())"
)

// Confirm implements store.Store. While a standby has to confirm commits, it commits a
// message. Concurrent callers share one message.
func (s *Store) Confirm(ctx context.Context, shown store.History) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	shared := s.confirmations.join(s.confirm)
	switch {
	case !s.wait(ctx, shared.done):
		return interrupted(ctx, classify(errUndecided))
	case shared.err != nil:
		return shared.err
	case shown != 0 && shown != shared.history:
		return fault.New(fault.Conflict, "another server of the database has taken over since this was read")
	}
	return nil
}

// confirm returns when the server has answered, however long the answer takes: a second
// write would wait as long. It returns the history of that server.
func (s *Store) confirm() (store.History, error) {
	type confirmed struct {
		timeline uint32
		lost     bool
	}
	// A lost idle connection shows only now. The pool has at most one for each of its
	// connections.
	for attempt := 0; ; attempt++ {
		w, err := s.writer(context.Background())
		if err != nil {
			return 0, err
		}
		a := start(w, func(ctx context.Context) (c confirmed, err error) {
			c.timeline, err = s.emit(ctx, w)
			c.lost = w.Conn.Conn().IsClosed()
			return c, err
		})
		<-a.done
		if a.err == nil && a.value.timeline != w.timeline {
			// The connection leads to another server than before, through a pooler.
			s.pool.Reset()
		}
		if a.err == nil || !a.value.lost || attempt > s.options.Connections {
			return store.History(a.value.timeline), classify(a.err)
		}
	}
}

// emit makes the write, and returns the timeline of the server. It does not ask a server
// without a known timeline.
func (s *Store) emit(ctx context.Context, w *writer) (timeline uint32, err error) {
	var written *bool
	if w.timeline == 0 {
		return 0, s.writeRow(ctx, w.Conn, confirm, nil, &written)
	}
	var file string
	err = s.writeRow(ctx, w.Conn, confirmTimeline, nil, &written, &file)
	return timelineIn(file), err
}
