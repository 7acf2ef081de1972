package memory

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// batch is the outcome of a Change. It is small, because there is one for each Change of
// a day.
type batch struct {
	at       int64 // Unix milliseconds: of the Change, or of the ruling against it
	position int64 // of the Commit; 0 when it was ruled out
}

func batchOf(at time.Time, position int64) batch {
	return batch{at: at.UnixMilli(), position: position}
}

// ruledOut returns a batch with a ruling against it.
func ruledOut(at time.Time) batch { return batch{at: at.UnixMilli()} }

func (b batch) time() time.Time { return timeOf(b.at) }

// receipt returns the receipt of the Commit; not ok when the batch was ruled out.
func (b batch) receipt(id ident.ID) (receipt store.Receipt, ok bool) {
	if b.position == 0 {
		return store.Receipt{}, false
	}
	return store.Receipt{Batch: id, Position: b.position}, true
}
