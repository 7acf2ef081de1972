package sqlite

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

func TestErrorsOfTheDriver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pragma string
		write  string
		kind   fault.Kind
	}{
		"full":       {"max_page_count(1)", "INSERT INTO comments (position, problem, id, created, text) VALUES (1, 1, 'id', 0, hex(zeroblob(1000000)))", fault.Unavailable},
		"read only":  {"query_only(1)", "DELETE FROM problems", fault.Unavailable},
		"constraint": {"query_only(0)", "INSERT INTO versions (id, position, catalogue, access) VALUES (2, 0, 0, 0)", fault.Internal},
		"syntax":     {"query_only(0)", "SELEKT", fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.fails(c.kind, b.openWith(Options{}, forWriting+"&_pragma="+c.pragma).submit(t.Context(), func(t *transaction) error {
				_, err := t.exec(c.write)
				return err
			}))
			b.commit(b.create(1, "afterwards"))
		})
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hasty := b.openWith(Options{}, strings.Replace(forWriting, "busy_timeout(10000)", "busy_timeout(0)", 1))
	b.fails(fault.Unavailable, b.submit(t.Context(), func(*transaction) error {
		_, err := hasty.Commit(t.Context(), b.create(1, "refused"))
		return err
	}))
	_, err := hasty.Commit(t.Context(), b.create(1, "afterwards"))
	b.must(err)
}

// A statement that fails can end the transaction. What others did in it is done again.
func TestLostTransaction(t *testing.T) {
	inBubble(t, func(b *bench) {
		release := b.occupy()
		var before, spoilt, after error
		go func() { _, before = b.Commit(b.Context(), b.create(1, "before")) }()
		synctest.Wait()
		go func() {
			spoilt = b.submit(b.Context(), func(t *transaction) error {
				_, err := t.exec("INSERT OR ROLLBACK INTO versions (id, position, catalogue, access) VALUES (1, 0, 0, 0)")
				return err
			})
		}()
		synctest.Wait()
		go func() { _, after = b.Commit(b.Context(), b.create(2, "after")) }()
		synctest.Wait()
		release()
		synctest.Wait()
		b.must(before)
		b.fails(fault.Internal, spoilt)
		b.must(after)
		if !b.exists(1) || !b.exists(2) {
			b.Error("a Change is not stored, though Commit said that it is")
		}
	})
}

func TestClosed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must(b.Close())
	_, err := b.Commit(t.Context(), b.create(1, "too late"))
	b.fails(fault.Closed, err)
	b.fails(fault.Closed, b.View(t.Context(), func(store.Reader) error { return nil }))
	b.must(b.Close())
}
