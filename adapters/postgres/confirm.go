package postgres

import (
	"context"
	"sync"
)

// confirmations lets all who want to confirm at the same time share a write.
type confirmations struct {
	mu      sync.Mutex
	next    *confirmation // the one that has not begun, for whoever asks now
	running bool
}

// confirmation is a write that begins after everybody who waits for it has asked.
type confirmation struct {
	done chan struct{} // closed at its end
	err  error
}

// join returns the next confirmation, and has write make it unless that is under way
// already.
func (c *confirmations) join(write func() error) *confirmation {
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
func (c *confirmations) run(write func() error) {
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
		current.err = write()
		close(current.done)
	}
}

// confirm writes to the log of the database, and nothing else, where standbys have to
// confirm commits. They confirm in the order of the log, so that whoever has this has
// all that was visible before. Without such standbys there is nothing to wait for: a
// commit is visible once it is synced. A message needs no table and locks nothing.
const confirm = "SELECT pg_logical_emit_message(true, 'problems', '') WHERE current_setting('synchronous_standby_names', true) <> ''"

// Confirm implements store.Store. While a standby has to confirm commits, it commits
// something of its own, which everybody shares who asks at the same time.
func (s *Store) Confirm(ctx context.Context) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	shared := s.confirmations.join(s.confirm)
	if !s.wait(ctx, shared.done) {
		return interrupted(ctx, classify(errUndecided))
	}
	return shared.err
}

// confirm returns when the server has answered, however long that takes: a second
// write would wait as long.
func (s *Store) confirm() error {
	// A connection that was lost while nobody used it is only noticed now: there is at
	// most one for each that the pool can have.
	for attempt := 0; ; attempt++ {
		w, err := s.writer(context.Background())
		if err != nil {
			return err
		}
		a := start(w, func(ctx context.Context) (lost bool, err error) {
			_, err = w.Exec(ctx, s.texts.plainOf(confirm))
			return w.Conn.Conn().IsClosed(), err
		})
		<-a.done
		switch {
		case a.err == nil || !a.value || attempt > s.options.Connections:
			return classify(a.err)
		}
	}
}
