package admin

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// RecordUses stores the uses of tokens since the last time, in one Change, and writes nothing
// without any. After a failure, the next call stores them. Callers run it every half minute, so
// that the last use of a token is a minute old at most (D50).
func (s *Service) RecordUses(ctx context.Context) (err error) {
	taken := s.core.Uses.Take()
	if len(taken) == 0 {
		return nil
	}
	defer func() {
		if err != nil && !fault.Is(err, fault.Unsupported) {
			for token, at := range taken {
				s.core.Uses.Note(token, at)
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
	return s.core.CommitUnsettled(ctx, change)
}
