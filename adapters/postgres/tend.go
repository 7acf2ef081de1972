package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
)

// behind is what a Store knows of the background steps.
type behind struct {
	// unfolded is the dialect for searches while texts are not folded as this version
	// compares them; nil after that.
	unfolded atomic.Pointer[sqlstore.Dialect]
	left     atomic.Pointer[[]Migration]
	cancel   context.CancelFunc
	ended    sync.WaitGroup
}

// searching returns the dialect for a View. It has to be chosen before the View has its
// snapshot: an older one may show texts of another folding.
func (s *Store) searching() *sqlstore.Dialect {
	if d := s.behind.unfolded.Load(); d != nil {
		return d
	}
	return s.dialect
}

// Behind returns the background steps that are left to do, as last seen. Only the store of
// a service looks at them.
func (s *Store) Behind() []Migration {
	if left := s.behind.left.Load(); left != nil {
		return *left
	}
	return nil
}

// tend begins the work in the background, if the store is that of a service.
func (s *Store) tend(ctx context.Context, found server) {
	if !found.Folded {
		s.behind.unfolded.Store(s.dialect.Unfolded())
	}
	s.behind.cancel = func() {}
	if !s.options.Serving {
		return
	}
	ctx, s.behind.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if s.dialect.Parts != nil {
		s.behind.ended.Go(func() { s.fillParts(ctx) })
	}
	if found.Folded && !found.Behind {
		return
	}
	s.behind.ended.Go(func() { s.watchBehind(ctx) })
	if s.options.AutoMigrate {
		s.behind.ended.Go(func() { s.workBehind(ctx) })
	}
}

// close ends the work of this process, and waits a little for that.
func (b *behind) close() {
	b.cancel()
	ended := make(chan struct{})
	go func() {
		b.ended.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(grace): // the server is silent
	}
}

// watchBehind looks at the background steps until none is left.
func (s *Store) watchBehind(ctx context.Context) {
	pooled := stdlib.OpenDBFromPool(s.pool)
	defer pooled.Close()
	pooled.SetMaxOpenConns(1)
	db := bun.NewDB(pooled, pgdialect.New())
	for {
		all, err := s.options.look(ctx, db)
		if err == nil {
			left := sqlstore.Behind(all)
			s.behind.left.Store(&left)
			if !sqlstore.Newer(all) && (len(left) == 0 || left[len(left)-1].Name != sqlstore.FoldingStep) {
				s.behind.unfolded.Store(nil)
			}
			if len(left) == 0 {
				return
			}
		}
		select {
		case <-time.After(s.options.pause):
		case <-ctx.Done():
			return
		}
	}
}

// workBehind does what is left in the background. After a failure it tries again: an index
// can fail for want of room.
func (s *Store) workBehind(ctx context.Context) {
	o := s.options
	if o.Pooler && o.Direct == "" {
		return // doctor says so
	}
	for {
		err := o.finish(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		o.Logger.Warn("what is left to do on the schema in the background has failed, and is tried again", "error", err.Error(), "after", tryAgain.String())
		select {
		case <-time.After(max(o.pause, tryAgain)):
		case <-ctx.Done():
			return
		}
	}
}

// tryAgain is the pause after a failure in the background.
const tryAgain = time.Minute
