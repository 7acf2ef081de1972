package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// TestCut cuts the connection under every kind of write, in every part of its
// request and of the answer, and compares what the store said with what it shows after that.
func TestCut(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	for _, w := range writes() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			newCutting(t, nil).everywhere(w).check(t)
		})
	}
}

// TestCutSeesFaults shows that TestCut would find a store that does not keep its
// word.
func TestCutSeesFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	comment := writes()[slices.IndexFunc(writes(), func(w write) bool { return w.name == "comment" })]
	for _, c := range []struct {
		name  string
		wrong func(store.Store) store.Store
		seen  func(*ledger) int
	}{
		{"a commit that is taken for done", func(s store.Store) store.Store { return hopeful{s} }, func(l *ledger) int { return l.lost }},
		{"a commit that is taken for failed", func(s store.Store) store.Store { return fearful{s} }, func(l *ledger) int { return l.resurrected }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cut := newCutting(t, c.wrong)
			cut.tolerant = true
			l := cut.everywhere(comment)
			if t.Logf("%s", l); c.seen(l) == 0 {
				t.Errorf("nothing was noticed: %s", l)
			}
		})
	}
}

// hopeful takes an unknown outcome for success.
type hopeful struct{ store.Store }

func (s hopeful) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	receipt, err := s.Store.Commit(ctx, change)
	if fault.Is(err, fault.UnknownOutcome) {
		return store.Receipt{Batch: change.Batch, Position: 1}, nil
	}
	return receipt, err
}

// fearful takes an unknown outcome for failure.
type fearful struct{ store.Store }

func (s fearful) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	receipt, err := s.Store.Commit(ctx, change)
	if fault.Is(err, fault.UnknownOutcome) {
		return receipt, fault.Wrap(fault.Unavailable, err, "it has probably failed")
	}
	return receipt, err
}

// cutting is a store behind a proxy that cuts its only connection, and the same
// store without one.
type cutting struct {
	*testing.T
	ctx         context.Context // of one cut, with a deadline of its own
	proxy       *postgrestest.Proxy
	cut         store.Store
	healthy     *postgres.Store
	from        *source
	first       problem.ID // of the two problems that are written to
	shown       scene      // what the store shows now
	tolerant    bool       // leaves the errors to the ledger
	books       ledger
	points      int
	interrupted int // how many cuts the store noticed
}

func newCutting(t *testing.T, wrong func(store.Store) store.Store) *cutting {
	t.Helper()
	url := postgrestest.Schema(t)
	c := &cutting{T: t, ctx: t.Context(), healthy: open(t, postgres.Options{URL: url}), from: newSource()}
	c.proxy = postgrestest.NewProxy(t, url)
	c.cut = open(t, postgres.Options{URL: c.proxy.URL(), Connections: 1})
	if wrong != nil {
		c.cut = wrong(c.cut)
	}
	return c
}

// places are the numbers of bytes after which a transmission of a certain length is
// cut: every so many, and each of the last few, as what is committed is decided
// there.
func places(length, every int64) (all []int64) {
	const last = 8
	for n := int64(0); n <= length; n++ {
		if n%every == 0 || n >= length-last {
			all = append(all, n)
		}
	}
	return all
}

// exhaustive is for whoever changes how a Change is sent.
var exhaustive = flag.Bool("postgres.exhaustive", false, "cut the connection after each byte of an answer and every seventh of a request, and run the whole suite through a pooler, which takes minutes")

// everywhere cuts a write in many places.
func (c *cutting) everywhere(w write) *ledger {
	c.Helper()
	inRequest, inAnswer := int64(149), int64(11)
	if *exhaustive {
		inRequest, inAnswer = 7, 1
	}
	request, answer := c.measure(w)
	for _, n := range places(request, inRequest) {
		c.after(w, postgrestest.ToServer, n)
	}
	for _, n := range places(answer, inAnswer) {
		c.after(w, postgrestest.ToClient, n)
	}
	c.Logf("%d cuts in a request of %d bytes and an answer of %d, %d noticed", c.points, request, answer, c.interrupted)
	if c.interrupted < c.points*9/10 && !c.tolerant {
		c.Errorf("only %d of %d cuts made a difference: the connection was not cut where the write is", c.interrupted, c.points)
	}
	return &c.books
}

// fresh is after how many cuts other problems are written to, as histories grow.
const fresh = 16

// prepare commits one write, so that the connection is there and the statements
// are prepared, and returns what is to be cut.
func (c *cutting) prepare(w write) (store.Change, scene) {
	c.Helper()
	if c.points%fresh == 0 {
		c.first = create(c.T, c.healthy, c.from, 3)[0].ID
		c.shown = c.look()
	}
	for range 3 {
		change, _ := c.next(w)
		_, err := c.cut.Commit(c.ctx, change)
		if err == nil {
			c.shown = c.look()
			return c.next(w)
		}
		// The connection was cut after everything was answered.
		if !c.tolerant && !fault.Is(err, fault.UnknownOutcome) {
			c.Fatal(err)
		}
		if _, _, err := c.healthy.Outcome(c.ctx, change.Batch, change.At); err != nil {
			c.Fatal(err)
		}
		c.shown = c.look()
	}
	c.Fatal("the store does not connect again")
	return store.Change{}, scene{}
}

// next returns a Change that has not been tried, and what the store shows before.
func (c *cutting) next(w write) (store.Change, scene) {
	c.Helper()
	seen := c.shown
	if seen.reply == nil { // something to expire
		change := c.from.change()
		change.Effects = []store.Effect{store.KeepReply{Reply: c.from.reply(change.At)}}
		if _, err := c.healthy.Commit(c.ctx, change); err != nil {
			c.Fatal(err)
		}
		seen = c.look()
	}
	number, err := c.healthy.Reserve(c.ctx)
	if err != nil {
		c.Fatal(err)
	}
	change := w.change(c.from, seen, number)
	for i, n := range seen.times(change, seen) {
		if n != 0 {
			c.Fatalf("part %d of %+v is there before it was made", i, change)
		}
	}
	return change, seen
}

func (c *cutting) look() scene {
	c.Helper()
	seen, err := look(c.ctx, c.healthy, c.first, key)
	if err != nil {
		c.Fatal(err)
	}
	return seen
}

// measure returns how many bytes a write takes in each direction. The first ones
// differ from what follows: there is nothing yet to replace.
func (c *cutting) measure(w write) (request, answer int64) {
	c.Helper()
	for range 2 {
		change, _ := c.prepare(w)
		before := carried(c.proxy)
		if _, err := c.cut.Commit(c.ctx, change); err != nil {
			c.Fatal(err)
		}
		c.shown = c.look()
		now := carried(c.proxy)
		request, answer = now.ToServer-before.ToServer, now.ToClient-before.ToClient
	}
	if request < 100 || answer < 50 {
		c.Fatalf("a write of %d bytes that is answered with %d: that is none", request, answer)
	}
	return request, answer
}

// carried is what all connections have.
func carried(p *postgrestest.Proxy) (sum postgrestest.Traffic) {
	for _, traffic := range p.Traffic() {
		sum.ToServer += traffic.ToServer
		sum.ToClient += traffic.ToClient
	}
	return sum
}

// after cuts one write after n bytes.
func (c *cutting) after(w write, direction postgrestest.Direction, n int64) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()
	c.ctx = ctx
	change, before := c.prepare(w)
	c.points++
	c.proxy.CutAfter(direction, n)
	_, err := within(c, func() (store.Receipt, error) { return c.cut.Commit(c.ctx, change) })
	c.proxy.CutNever()
	said := c.settle(change, err)
	seen := c.look()
	c.shown = seen
	wrong := c.books.enter(said, seen.times(change, before)...)
	there := 0
	if said == stored || said == foundStored {
		there = additions(change)
	}
	if more := seen.rows() - before.rows() - there; more > 0 && wrong == "" {
		c.books.phantom += more
		wrong = fmt.Sprintf("PHANTOM: %d rows too many", more)
	}
	if wrong != "" && !c.tolerant {
		c.Errorf("cut after %d bytes %s, which gave %v: %s", n, map[postgrestest.Direction]string{
			postgrestest.ToServer: "of the request", postgrestest.ToClient: "of the answer"}[direction], err, wrong)
	}
}

// settle returns what the store says of a Commit that ended with err.
func (c *cutting) settle(change store.Change, err error) verdict {
	c.Helper()
	switch {
	case err == nil:
		return stored
	case !fault.Is(err, fault.UnknownOutcome):
		c.interrupted++
		return refused
	}
	c.interrupted++
	_, there, err := c.healthy.Outcome(c.ctx, change.Batch, change.At)
	if err != nil {
		c.Fatal(err)
	}
	again, err := c.healthy.Commit(c.ctx, change)
	switch {
	case there && (err != nil || again.Batch != change.Batch):
		c.Errorf("the batch is stored, but committing it again gives %v, %v", again, err)
	case !there && !fault.Is(err, fault.Abandoned):
		c.Errorf("the batch was ruled out, but committing it again gives %v", err)
	case there:
		return foundStored
	}
	return foundLost
}

// within calls fn, which has to return soon: a store that waits for what a cut
// connection will never bring fails the test.
func within[T any](c *cutting, fn func() (T, error)) (result T, err error) {
	c.Helper()
	const limit = 30 * time.Second
	done := make(chan struct{})
	go func() {
		defer close(done)
		result, err = fn()
	}()
	select {
	case <-done:
		return result, err
	case <-time.After(limit):
		c.Fatalf("the call has not returned after %s", limit)
		return result, err
	}
}
