package tracker

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// uses are the last uses of tokens that the store does not have yet. So a request does not wait
// for a write about its token.
type uses struct {
	mu sync.Mutex
	at map[ident.ID]time.Time
}

// note keeps a use, unless there is a later one.
func (u *uses) note(token ident.ID, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = make(map[ident.ID]time.Time)
	}
	if at.After(u.at[token]) {
		u.at[token] = at
	}
}

// take returns the uses, and keeps none.
func (u *uses) take() map[ident.ID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = nil
	return taken
}

// RecordUses stores the uses of tokens since the last time, in one Change, and writes nothing
// without any. After a failure, the next call stores them. Callers run it every half minute, so
// that the last use of a token is a minute old at most (D50).
func (s *Service) RecordUses(ctx context.Context) (err error) {
	taken := s.uses.take()
	if len(taken) == 0 {
		return nil
	}
	defer func() {
		if err != nil && !fault.Is(err, fault.Unsupported) {
			for token, at := range taken {
				s.uses.note(token, at)
			}
		}
	}()
	m, err := s.core.Moment(ctx)
	if err != nil {
		return err
	}
	change := store.Change{Batch: m.IDs.Next(), At: m.At}
	// One order, so that servers do not wait for each other.
	for _, token := range slices.SortedFunc(maps.Keys(taken), func(a, b ident.ID) int { return bytes.Compare(a[:], b[:]) }) {
		at := core.Stored(taken[token])
		if at.After(m.At) { // of a clock that was not believed
			at = m.At
		}
		change.Effects = append(change.Effects, store.MarkUsed{Token: token, At: at})
	}
	return s.core.Write(ctx, change)
}
