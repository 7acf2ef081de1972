package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Traced returns the store with a log of its calls: the steps before a complaint.
func (b *Bench) Traced(name string, s store.Store) store.Store {
	return &Trace{Store: s, name: name, Logf: b.Logf, pending: b.Pending}
}

// pending are the unfinished calls of stores.
type pending struct {
	mu    sync.Mutex
	begun map[int]string
	last  int
}

// begin notes a call, and returns the function for its end.
func (c *pending) begin(call string) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun == nil {
		c.begun = make(map[int]string)
	}
	c.last++
	number := c.last
	c.begun[number] = call
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.begun, number)
	}
}

// String ends a sentence with the calls, oldest first.
func (c *pending) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.begun) == 0 {
		return "; no call of the store is under way"
	}
	text := "; still under way:"
	for _, number := range slices.Sorted(maps.Keys(c.begun)) {
		text += "\n  " + c.begun[number]
	}
	return text
}

// Trace is a Store with a log of its calls and their results.
type Trace struct {
	store.Store
	name    string
	Logf    func(format string, args ...any)
	pending *pending
}

// call is a call under way.
type call struct {
	trace *Trace
	text  string
	began time.Time
	end   func()
}

// begin notes the begin of a call.
func (t *Trace) begin(text string) call {
	return call{t, text, time.Now(), t.pending.begin(t.name + text)}
}

// slow is the least time of a call that its log has. The times of others differ from run to run.
const slow = time.Second

// log logs the call, with its result if it succeeded.
func (c call) log(result any, err error) {
	if err != nil {
		result = err
	}
	text := fmt.Sprintf("%s%s → %v", c.trace.name, c.text, result)
	if took := time.Since(c.began); took >= slow {
		text += fmt.Sprintf(", after %v", took.Round(100*time.Millisecond))
	}
	c.trace.Logf("%s", text)
}

// View implements store.Store, as do the methods below. Only a failed read is logged: cases read
// much more than they write.
func (t *Trace) View(ctx context.Context, fn func(store.Reader) error) error {
	c := t.begin("View")
	defer c.end()
	err := t.Store.View(ctx, fn)
	if err != nil {
		c.log(nil, err)
	}
	return err
}

// Feed logs failures alone, like View.
func (t *Trace) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	c := t.begin(fmt.Sprintf("Feed from %d", from))
	defer c.end()
	entries, err := t.Store.Feed(ctx, from, limit, budget)
	if err != nil {
		c.log(nil, err)
	}
	return entries, err
}

// FeedEnds logs failures alone, like View.
func (t *Trace) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	c := t.begin("FeedEnds")
	defer c.end()
	oldest, newest, err = t.Store.FeedEnds(ctx)
	if err != nil {
		c.log(nil, err)
	}
	return oldest, newest, err
}

// Reserve logs the number.
func (t *Trace) Reserve(ctx context.Context) (problem.ID, error) {
	c := t.begin("Reserve")
	defer c.end()
	id, err := t.Store.Reserve(ctx)
	c.log(id, err)
	return id, err
}

// Commit logs the parts of the Change, and its position in the feed.
func (t *Trace) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	c := t.begin("Commit of " + Describe(change))
	defer c.end()
	receipt, err := t.Store.Commit(ctx, change)
	c.log(fmt.Sprint("position ", receipt.Position), err)
	return receipt, err
}

// Outcome logs the fate of the batch.
func (t *Trace) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	c := t.begin("Outcome of batch " + Short(batch))
	defer c.end()
	receipt, stored, err := t.Store.Outcome(ctx, batch, at)
	c.log(fmt.Sprintf("stored: %v, position %d", stored, receipt.Position), err)
	return receipt, stored, err
}

// Confirm logs whether the history is confirmed.
func (t *Trace) Confirm(ctx context.Context, shown store.History) error {
	c := t.begin("Confirm")
	defer c.end()
	err := t.Store.Confirm(ctx, shown)
	c.log("confirmed", err)
	return err
}

// Versions logs the versions.
func (t *Trace) Versions(ctx context.Context) (store.Versions, error) {
	c := t.begin("Versions")
	defer c.end()
	v, err := t.Store.Versions(ctx)
	c.log(v, err)
	return v, err
}

// Restore logs its end. The Archive would be too long for a line.
func (t *Trace) Restore(ctx context.Context, archive store.Archive) error {
	c := t.begin("Restore")
	defer c.end()
	err := t.Store.Restore(ctx, archive)
	c.log("done", err)
	return err
}

func (t *Trace) Close() error {
	c := t.begin("Close")
	defer c.end()
	err := t.Store.Close()
	c.log("closed", err)
	return err
}

// Describe describes a Change in one line.
func Describe(change store.Change) string {
	var parts []string
	for _, e := range change.Expect {
		parts = append(parts, "expecting "+part(e))
	}
	for _, e := range change.Effects {
		parts = append(parts, part(e))
	}
	if n := len(change.Log); n > 0 {
		parts = append(parts, fmt.Sprintf("%d log entries", n))
	}
	const most = 6
	if more := len(parts) - most; more > 0 {
		parts = append(parts[:most], fmt.Sprintf("and %d more", more))
	}
	return "batch " + Short(change.Batch) + ": " + strings.Join(parts, ", ")
}

// part writes an effect or an expectation, cut off where it gets long.
func part(e any) string {
	const most = 70
	text := strings.TrimPrefix(fmt.Sprintf("%T", e), "store.") + strings.ToValidUTF8(fmt.Sprintf("%+v", e), "�")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// Short returns the end of an identifier. The identifiers of one case differ there.
func Short(id ident.ID) string {
	text := id.String()
	return "…" + text[len(text)-6:]
}
