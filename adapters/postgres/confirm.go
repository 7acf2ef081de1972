package postgres

import (
	"context"
	"sync"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// confirmations lets all who want to confirm at the same time share a write.
type confirmations struct {
	mu      sync.Mutex
	next    *confirmation // the one that has not begun, for whoever asks now
	running bool
}

// confirmation is a write that begins after everybody who waits for it has asked.
type confirmation struct {
	done    chan struct{} // closed at its end
	history store.History // of the server that has made it
	err     error
}

// join returns the next confirmation, and has write make it unless that is under way
// already.
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
// confirm commits. They confirm in the order of the log, so that whoever has this has
// all that was visible before. Without such standbys there is nothing to wait for: a
// commit is visible once it is synced. A message needs no table and locks nothing.
const (
	confirm = "SELECT CASE WHEN current_setting('synchronous_standby_names', true) <> '' " +
		"THEN pg_logical_emit_message(true, 'problems', '') IS NULL END"
	confirmTimeline = confirm + ", pg_walfile_name(pg_current_wal_lsn())"
)

// Confirm implements store.Store. While a standby has to confirm commits, it commits
// something of its own, which everybody shares who asks at the same time.
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

// confirm returns when the server has answered, however long that takes: a second
// write would wait as long. It returns the history of that server.
func (s *Store) confirm() (store.History, error) {
	type confirmed struct {
		timeline uint32
		lost     bool
	}
	// A connection that was lost while nobody used it is only noticed now: there is at
	// most one for each that the pool can have.
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

// emit makes the write, and returns the timeline of the server that has made it. A
// server of which none was known is not asked for it.
func (s *Store) emit(ctx context.Context, w *writer) (timeline uint32, err error) {
	var written *bool
	if w.timeline == 0 {
		return 0, w.QueryRow(ctx, s.texts.plainOf(confirm)).Scan(&written)
	}
	var file string
	err = w.QueryRow(ctx, s.texts.plainOf(confirmTimeline)).Scan(&written, &file)
	return timelineIn(file), err
}
