package sqlstore

import "time"

// The index of parts of texts costs more than most writes. So a server fills it in portions, beside
// them, and a search looks at the texts behind it one by one. Other processes leave this to the next
// server.

const (
	// partsBehind is the number of rows that the index waits for while others write: a small portion
	// costs more.
	partsBehind = 500
	// partsPause is the time between looks for something to do.
	partsPause = 5 * time.Second
	// partsShare is the ratio of the time between portions to that for one, beside other writes.
	partsShare = 39
)

// FillParts fills the index of parts until the store closes. changes returns a number that others'
// writes change. add adds a portion to each part of the index that is more than so many rows behind,
// and reports whether there was one. What fails is tried again: writes say why.
func FillParts(closing <-chan struct{}, changes func() (uint64, error), add func(behind int) (more bool, err error)) {
	before, _ := changes()
	for pause, more, done := partsPause, false, false; ; {
		var began time.Time
		select {
		case <-closing:
			return
		case began = <-time.After(pause):
		}
		pause = partsPause
		now, err := changes()
		idle := now == before
		if err != nil || idle && done {
			continue
		}
		behind := partsBehind
		if idle || more {
			behind = 0
		}
		if more, err = add(behind); err != nil {
			continue
		}
		done, before = !more && behind == 0, now
		if more { // also by the portion
			if before, err = changes(); err != nil {
				continue
			}
		}
		switch took := (<-time.After(0)).Sub(began); { // the tick of a timer has its time
		case more && idle:
			pause = took
		case more:
			pause = partsShare * took
		}
	}
}
