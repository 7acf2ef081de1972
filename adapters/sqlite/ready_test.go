package sqlite

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// A service is not ready while its file takes no writes, though it can be read, and is
// ready again afterwards.
func TestReadyIsAboutWrites(t *testing.T) {
	pragma := func(text string) func(*bench, *Store) {
		return func(b *bench, s *Store) {
			_, err := s.writer.exec(text) // which nobody else uses at the moment
			b.must(err)
		}
	}
	for name, c := range map[string]struct {
		settings    string
		spoil, mend func(b *bench, s *Store)
	}{
		"the file is read-only": {"", pragma("PRAGMA query_only(1)"), pragma("PRAGMA query_only(0)")},
		"the disk is full": {
			"&_pragma=max_page_count(1)", // which stands for as many pages as there are
			func(*bench, *Store) {},      // the batches that are kept use them up
			func(b *bench, _ *Store) { b.commit(b.change(store.Expire{Before: time.Now()})) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(b *bench) {
				spoilt := b.openWith(Options{}, forWriting+c.settings)
				s := tracker.New(tracker.Options{Store: spoilt, Now: time.Now, Random: rand.Reader})
				b.must(s.Ready(b.Context()))
				c.spoil(b, spoilt)
				b.must(s.Ready(b.Context())) // by what was true a moment ago
				for asked := 0; s.Ready(b.Context()) == nil; asked++ {
					if asked == 1000 {
						b.Fatal("the service stays ready")
					}
					time.Sleep(time.Second)
				}
				for range 3 {
					b.fails(fault.Unavailable, s.Ready(b.Context()))
					time.Sleep(time.Second)
				}
				if b.exists(1) { // which can be asked all the while
					b.Error("there is a problem that nobody has made")
				}
				c.mend(b, spoilt)
				b.must(s.Ready(b.Context()))
			})
		})
	}
}

// Housekeeping forgets what was written to find out whether the file takes writes.
func TestProbesAreForgotten(t *testing.T) {
	inBubble(t, func(b *bench) {
		s := tracker.New(tracker.Options{Store: b.Store, Now: time.Now, Random: rand.Reader})
		for range 100 {
			b.must(s.Ready(b.Context()))
			time.Sleep(time.Second)
		}
		count := func() (n int) {
			b.must(b.submit(b.Context(), func(t *transaction) error {
				_, err := t.one([]any{&n}, "SELECT count(*) FROM batches")
				return err
			}))
			return n
		}
		if got := count(); got != 100 {
			b.Errorf("100 questions have left %d batches", got)
		}
		time.Sleep(25 * time.Hour)
		b.must(s.Housekeep(b.Context()))
		if got := count(); got > 3 { // those of the housekeeping
			b.Errorf("%d batches are left after a day", got)
		}
	})
}
