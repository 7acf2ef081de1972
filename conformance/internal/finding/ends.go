package finding

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// ending is a context with an end after a number of questions about its end.
type ending struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

func (c *ending) ask() {
	if c.left.Add(-1) < 0 {
		c.end()
	}
}

func (c *ending) Err() error {
	c.ask()
	return c.Context.Err()
}

func (c *ending) Done() <-chan struct{} {
	c.ask()
	return c.Context.Done()
}

// checkFindEnds searches with contexts of sooner or later ends.
func checkFindEnds(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
	want := Without(13)
	for asks := range int64(40) {
		inner, cancel := context.WithCancel(b.Ctx)
		ctx := &ending{Context: inner, end: cancel}
		ctx.left.Store(asks)
		var hits []store.Hit
		var failed error
		err := b.Store.View(b.Ctx, func(r store.Reader) error {
			catalogue, err := r.Catalogue(b.Ctx)
			if err != nil {
				return err
			}
			q, err := Asked{Predicate: `title MATCHES '[^0-9].*' AND ALL comments.text MATCHES '(?s).*'`, Sort: "identifier", As: x.Ann}.Query(catalogue)
			if err != nil {
				return err
			}
			hits, failed = r.Search(ctx, q)
			return nil
		})
		// A View may fail after a statement within it was given up.
		if err != nil {
			b.Fails("the View whose Search was given up", fault.Unavailable, err)
		}
		switch {
		case failed != nil:
			b.Fails(fmt.Sprintf("Search with a context that ends when it was asked %d times", asks), fault.Unavailable, failed)
		case asks == 0:
			b.Failf("Search found something with a context that was over")
		default:
			b.Equal("the hits", want, numbers(hits))
		}
		cancel()
	}
}

const (
	// longText is the size of a comment as long as a request may be, in bytes.
	longText = 1 << 20
	// overtime is how much longer than its context a Search may take on one long
	// text: far more than a store needs to end, on a busy machine as well, and far
	// less than comparing two long texts at each place of one takes.
	overtime = 15 * time.Second * bench.Slowness
)

// checkFindLong searches for long texts in longer ones.
func checkFindLong(b *bench.Bench) {
	x := ExhibitsOf(b)
	x.Dossiers[0].Comments[0].Text = strings.Repeat("a", longText)
	x.Dossiers[0].Keywords[0].Value = problem.Text(strings.Repeat("a", 60_000) + "b")
	x.Dossiers[1].Comments[0].Text = strings.Repeat("a", longText-1) + "b"
	b.Restore(x.Holdings)
	word := strings.Repeat("a", 15_000)
	for _, f := range []finding{
		{"ANY comments.text LIKE '*" + word + "b*'", these(2)},
		{"ANY comments.text CONTAINS '" + word + "'", these(1, 2)},
		{"ANY comments.text CONTAINS 'b" + word + "'", nil},
		{"NONE comments.text CONTAINS[c] '" + strings.ToUpper(word) + "B'", Without(2)},
		{"ANY comments.text LIKE '*" + word + "?b'", these(2)},
	} {
		Finds(b, Asked{Predicate: f.predicate, As: x.Ann}, f.want...)
	}
	var many []string
	for n := range 120 {
		many = append(many, "$c.text LIKE '*"+word[:100]+"b"+strconv.Itoa(n)+"*'")
	}
	for _, predicate := range []string{
		"ANY comments.text LIKE '*" + word + "b?'",
		"ANY comments.text LIKE '*" + strings.Repeat("a?", 7_000) + "b*'",
		"ANY comments.text LIKE '" + strings.Repeat("*"+word[:900], 15) + "*bb'",
		"ANY comments.text LIKE[cd] '*" + word + "bb*'",
		"ANY comments.text CONTAINS 'b" + word + "'",
		"ANY comments.text MATCHES '(.*.?){100}bb'",
		"SUBQUERY(comments, $c, ANY keywords.value IN $c.text AND $c.author = nil).@count > 0",
		"SUBQUERY(comments, $c, " + strings.Join(many, " OR ") + ").@count > 0",
		"SUBQUERY(comments, $c, uppercase(lowercase($c.text)) ENDSWITH 'x' OR length($c.text) = 1).@count > 0",
	} {
		a := Asked{Predicate: predicate, As: x.Ann}
		ctx, cancel := context.WithTimeout(b.Ctx, 100*time.Millisecond)
		began := time.Now()
		err := b.Store.View(b.Ctx, func(r store.Reader) error {
			s, err := Seek(b.Ctx, r)
			if err != nil {
				return err
			}
			s.ctx = ctx
			_, err = s.Search(a)
			return err
		})
		took := time.Since(began)
		cancel()
		if err != nil {
			b.Fails(fmt.Sprintf("Search of %.200s with a context that ends", predicate), fault.Unavailable, err)
		}
		if took > overtime {
			b.Failf("Search of %.200s took %v, with a context of 100ms", predicate, took)
		}
	}
}
