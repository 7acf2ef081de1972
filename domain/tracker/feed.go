package tracker

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/feedhub"
)

// Follow is the command of reading the feed (D39).
type Follow struct {
	// After is the position to start behind. event.Start is the oldest event.
	After event.Cursor
	// Now starts behind the newest event instead.
	Now bool
	// Limit is the largest number of events on a page: 1 to MostOnPage.
	Limit int
	// Problem, if not 0, leaves out the events of all other problems.
	Problem problem.ID
	// Predicate, if sent, leaves out the events of problems that do not satisfy it when
	// they are read. NOW() is that moment.
	Predicate patch.Field[string]
	// Pace is the time between two wakes under load that suffices for Follower.Wait; 0: as
	// short as the service has it.
	Pace time.Duration
}

// PublishedEvent is an event with the members of its entry.
type PublishedEvent struct {
	event.Event
	// Cursor identifies the event, and is the position behind it.
	Cursor event.Cursor
	Batch  ident.ID
	At     time.Time
	Author ident.ID
	// Via is the token of the author, or None. ViaName is its name.
	Via     ident.ID
	ViaName string
}

// PageBytes limits the events of a page, in bytes. A page with one event can be larger.
const PageBytes = 1 << 20

// EventPage is some events of the feed, in its order.
type EventPage struct {
	Events []PublishedEvent
	// Next is the position behind the page. It moves on even when all events are left out.
	Next event.Cursor
	// End is true when the page reached the end of the feed.
	End bool
	// Size is that of the events in memory, in bytes: see PageBytes.
	Size int64
	// Catalogue has the names of the authors and states.
	Catalogue *metadata.Catalogue
}

// GoneError has the ends of a feed without the requested cursor.
type GoneError struct {
	// Oldest is the position of a reader from the start, and Newest the end.
	Oldest, Newest event.Cursor
}

func (e *GoneError) Error() string {
	return fmt.Sprintf("the feed goes from %v to %v", e.Oldest, e.Newest)
}

// Follower reads the feed for one caller. It is for one goroutine.
type Follower struct {
	service *Service
	caller  Caller
	cmd     Follow
	next    event.Cursor
	// current is true once the Follower has found the end of the feed in the store. Before,
	// the memory of the hub may lack Changes that were acknowledged when the Follower began.
	current bool
	leave   func() // nil before the first Wait
	// excess is the size of the last read beyond the memory that was reserved for it.
	excess int64
	// most is the number of events for the predicate at once; 0: any.
	most int
	// failed is the time of the last search that was too expensive.
	failed time.Time
	// searched is the time of the last search with the predicate.
	searched time.Time
}

// Follow returns a Follower for the caller, who has to Close it. It fails with
// fault.CursorGone for a cursor of another history, fault.MalformedRequest for an
// impossible limit, and like Search for an impossible predicate. Events of
// administration are left out unless the token of the caller has the scope admin.
func (as Reader) Follow(ctx context.Context, cmd Follow) (*Follower, error) {
	if cmd.Limit < 1 || cmd.Limit > MostOnPage {
		return nil, fault.New(fault.MalformedRequest, "limit has to be 1 to %d", MostOnPage)
	}
	f := &Follower{service: as.s, caller: as.caller, cmd: cmd, next: cmd.After}
	if _, err := f.plan(); err != nil {
		return nil, err
	}
	if cmd.Now {
		newest, err := as.s.core.Newest(ctx)
		if err != nil {
			return nil, err
		}
		f.next, f.current = newest, true
		return f, nil
	}
	err := f.charged(ctx, func() (int64, error) {
		_, _, err := f.entries(ctx, 1)
		return 0, err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Close ends the Follower.
func (f *Follower) Close() {
	if f.leave != nil {
		f.leave()
	}
}

// Position returns the position behind the last page.
func (f *Follower) Position() event.Cursor { return f.next }

// Skip moves the position to that behind a page, as returned to another Follower of the
// same scope, Problem and Predicate at the same position.
func (f *Follower) Skip(next event.Cursor) { f.next = next }

// Names returns the version of the names on the next page, if the end of the feed is known
// in memory: ok is false while nobody waits for events.
func (f *Follower) Names() (version ident.Version, ok bool) { return f.service.core.Hub.Names() }

// mostExamined limits the events that a page may leave out.
const mostExamined = 10_000

// entries returns entries behind the position. The first one is the entry of the
// position, if events of it are left. It fails with fault.CursorGone.
func (f *Follower) entries(ctx context.Context, limit int) ([]event.Entry, *metadata.Catalogue, error) {
	from := max(f.next.Number, 1)
	entries, catalogue, remembered := f.service.core.Hub.Remembered(from, limit+1)
	if !remembered || !f.current && f.behindAll(entries) {
		var err error
		if entries, catalogue, err = f.read(ctx, from, limit+1); err != nil {
			return nil, nil, err
		}
	}
	if f.next == event.Start {
		return entries, catalogue, nil
	}
	if len(entries) == 0 || !f.next.Of(entries[0]) {
		newest, err := f.service.core.Newest(ctx)
		if err != nil {
			return nil, nil, err
		}
		return nil, nil, fault.Wrap(fault.CursorGone, &GoneError{event.Start, newest},
			"the feed has no event at this cursor: it is of another store or of a lost history, or the event was forgotten; read the problems anew, and go on from the newest cursor")
	}
	if f.behindAll(entries) && entries[0].Size() >= feedhub.ReadBytes {
		// The entry of the position was the whole budget of the read.
		return f.read(ctx, from+1, limit)
	}
	if f.next.Index == len(entries[0].Events) {
		return entries[1:], catalogue, nil
	}
	return entries, catalogue, nil
}

// read reads entries of the store, once there is memory in the budget of the request for
// them, and for the page so far.
func (f *Follower) read(ctx context.Context, from int64, limit int) ([]event.Entry, *metadata.Catalogue, error) {
	if err := f.service.core.Views.Reserve(ctx, feedhub.ReadBytes+PageBytes); err != nil {
		return nil, nil, err
	}
	entries, catalogue, err := f.service.core.Hub.Read(ctx, from, limit)
	excess := int64(-feedhub.ReadBytes)
	for _, entry := range entries {
		excess += entry.Size()
	}
	// The last entry can be that of a change of many problems.
	excess = max(excess, 0)
	budget.From(ctx).Add(excess - f.excess)
	f.excess = excess
	return entries, catalogue, err
}

// charged runs reads of the feed. Afterwards the budget of the request holds the size of
// the page that they make, in place of that of the page before.
func (f *Follower) charged(ctx context.Context, reads func() (size int64, err error)) error {
	account := budget.From(ctx)
	account.Reuse()
	size, err := reads()
	account.Add(-f.excess)
	f.excess = 0
	account.Use(size)
	account.Trim()
	return err
}

// behindAll reports whether the position is behind all of the entries.
func (f *Follower) behindAll(entries []event.Entry) bool {
	return len(entries) == 1 && f.next == entries[0].End()
}

// Next returns the next page, without waiting for events: it may be empty. A page ends
// before the event that exceeds PageBytes, unless that is its first one. If Next has to read
// the store, it waits for memory in the budget of the request, and holds the page there
// until the next call.
//
// Next fails with fault.CursorGone when the store has lost the position, with
// fault.Unavailable when the wait for memory is too long, and like Search. After a
// failure the position is that before the call.
func (f *Follower) Next(ctx context.Context) (page EventPage, err error) {
	before := f.next
	err = f.charged(ctx, func() (int64, error) {
		page, err = f.page(ctx)
		f.nameTokens(ctx, page.Events)
		return page.Size, err
	})
	if err != nil {
		f.next = before // the caller does not get the events of a page in part
		return EventPage{}, err
	}
	return page, nil
}

// nameTokens gives the events the names of their tokens.
func (f *Follower) nameTokens(ctx context.Context, events []PublishedEvent) {
	names := f.service.TokenNames(ctx)
	for i := range events {
		events[i].ViaName = names(events[i].Via)
	}
}

// page returns the next page, and moves the position on while it reads.
func (f *Follower) page(ctx context.Context) (EventPage, error) {
	page, begin := EventPage{Next: f.next}, f.next
	for examined, full := 0, false; !full && len(page.Events) < f.cmd.Limit && examined < mostExamined; {
		entries, catalogue, err := f.entries(ctx, f.cmd.Limit)
		if err != nil {
			return EventPage{}, err
		}
		page.Catalogue = catalogue
		if len(entries) == 0 {
			page.End, f.current = true, true
			break
		}
		read := f.behind(entries)
		last, count, shown, err := f.bearable(ctx, read)
		if page.Next != begin && (fault.Is(err, fault.Unavailable) || fault.Is(err, fault.QueryTooExpensive)) {
			f.next = page.Next // the events so far need not be examined again
			break
		}
		if err != nil {
			return EventPage{}, err
		}
		examined += count
		f.next = last
		if fit := page.fitting(shown, f.cmd.Limit); fit < len(shown) {
			shown, full = shown[:fit], true
			if f.next = page.Next; fit > 0 {
				f.next = shown[fit-1].Cursor
			}
		}
		if len(page.Events) == 0 {
			page.Events = shown
		} else {
			page.Events = append(page.Events, shown...)
		}
		page.Next = f.next
	}
	return page, nil
}

// growAfter is the time after a search that was too expensive, until a Follower tries more
// events at once. Most failures take the whole time of a search, so an early trial slows the
// feed down.
const growAfter = time.Minute

// bearable returns the visible ones of the first events of read, with their number and the last
// cursor. These are all events, unless the predicate is too expensive for so many problems at
// once. The next call tries more again when no search failed so for growAfter.
func (f *Follower) bearable(ctx context.Context, read []PublishedEvent) (last event.Cursor, count int, shown []PublishedEvent, err error) {
	count = len(read)
	if f.most > 0 {
		count = min(count, f.most)
	}
	for {
		last = read[count-1].Cursor
		some := read[:count]
		if body.Given(f.cmd.Predicate) {
			some = slices.Clone(some) // they may be needed again
		}
		shown, err = f.visible(ctx, some)
		if !fault.Is(err, fault.QueryTooExpensive) {
			break
		}
		if f.failed = f.service.core.Now(); count == 1 {
			break
		}
		count /= 2
		f.most = count
	}
	if err == nil && count == f.most && f.service.core.Now().Sub(f.failed) >= growAfter {
		if f.most *= 2; f.most >= f.cmd.Limit {
			f.most = 0
		}
	}
	return last, count, shown, err
}

// behind returns the events of entries behind the position: at least Limit of them, if there
// are so many.
func (f *Follower) behind(entries []event.Entry) []PublishedEvent {
	read := make([]PublishedEvent, 0, min(len(entries), f.cmd.Limit))
	for _, entry := range entries {
		for i, e := range entry.Events {
			c := entry.Cursor(i)
			if c.Number == f.next.Number && c.Index <= f.next.Index {
				continue
			}
			read = append(read, PublishedEvent{Event: e, Cursor: c, Batch: entry.Batch, At: entry.At, Author: entry.Author, Via: entry.Via})
		}
		if len(read) >= f.cmd.Limit {
			break
		}
	}
	return read
}

// fitting returns how many of further events fit on the page, and adds their size.
func (p *EventPage) fitting(events []PublishedEvent, limit int) (n int) {
	for ; n < len(events) && len(p.Events)+n < limit; n++ {
		size := events[n].Size()
		if p.Size+size > PageBytes && len(p.Events)+n > 0 {
			break
		}
		p.Size += size
	}
	return n
}

// visible returns the events that the caller may see and has asked for. They take the
// place of the given ones.
func (f *Follower) visible(ctx context.Context, events []PublishedEvent) ([]PublishedEvent, error) {
	admin := f.caller.Scope.Covers(access.Admin) && f.cmd.Problem == 0 && !body.Given(f.cmd.Predicate)
	shown := slices.DeleteFunc(events, func(e PublishedEvent) bool {
		if e.Admin() {
			return !admin
		}
		return f.cmd.Problem != 0 && f.cmd.Problem != e.Problem
	})
	if !body.Given(f.cmd.Predicate) || len(shown) == 0 {
		return shown, nil
	}
	satisfy, err := f.satisfying(ctx, shown)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(shown, func(e PublishedEvent) bool { return !satisfy[e.Problem] }), nil
}

// plan compiles the predicate for this moment.
func (f *Follower) plan() (*predicate.Plan, error) {
	if !body.Given(f.cmd.Predicate) {
		return nil, nil
	}
	return compile(f.cmd.Predicate.Value, predicate.Problem, predicate.Env{Now: f.service.core.Time(), User: f.caller.User, Zone: f.service.core.Zone})
}

// satisfying returns the problems of the events that satisfy the predicate now.
func (f *Follower) satisfying(ctx context.Context, events []PublishedEvent) (map[problem.ID]bool, error) {
	s := f.service
	plan, err := f.plan()
	if err != nil {
		return nil, err
	}
	f.searched = s.core.Now()
	release, err := s.searches.Acquire(ctx, f.caller.User)
	if err != nil {
		return nil, err
	}
	defer release()
	found := make(map[problem.ID]bool)
	err = s.core.Store.View(ctx, func(r store.Reader) error {
		catalogue, err := s.core.Catalogues.Now(ctx, r)
		if err != nil {
			return err
		}
		q := store.Query{Plan: plan, Limit: len(events), Catalogue: catalogue}
		hits, err := s.As(f.caller).reads.Among(ctx, r, q, problemsOf(events))
		for _, hit := range hits {
			found[hit.ID] = true
		}
		return err
	})
	return found, err
}

// problemsOf returns the problems of the events, each once, in ascending order.
func problemsOf(events []PublishedEvent) []problem.ID {
	ids := make([]problem.ID, 0, len(events))
	for _, e := range events {
		ids = append(ids, e.Problem)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// searchPace is the least time between two searches of a Follower with a predicate, while it
// is at the end of the feed. Each of them is a search of its own in the store.
const searchPace = 250 * time.Millisecond

// Wait returns when the feed may have events behind the position, or when ctx ends. With a
// predicate, it also waits until 250 ms after the last search. A Follower that never waits
// costs the store nothing but its pages.
func (f *Follower) Wait(ctx context.Context) error {
	if f.leave == nil {
		f.leave = f.service.core.Hub.Listen(f.cmd.Pace)
	}
	if err := f.service.core.Hub.Wait(ctx, f.next.Number); err != nil || f.searched.IsZero() {
		return err
	}
	rest := time.NewTimer(min(searchPace-f.service.core.Now().Sub(f.searched), searchPace))
	defer rest.Stop()
	select {
	case <-rest.C:
		return nil
	case <-ctx.Done():
		return store.Ended(ctx)
	}
}

// forgetEvents forgets the events older than Options.KeepEvents, a page at a time. An entry
// with an old time behind a younger one stays until that is old, too.
func (s *Service) forgetEvents(ctx context.Context) error {
	if s.keepFeed == 0 {
		return nil
	}
	for {
		entries, err := s.core.Store.Feed(ctx, 1, MostOnPage, feedhub.ReadBytes)
		if err != nil {
			return err
		}
		m, err := s.core.Moment(ctx)
		if err != nil {
			return err
		}
		old := 0
		for old < len(entries) && entries[old].At.Before(m.At.Add(-s.keepFeed)) {
			old++
		}
		if old > 0 && old == len(entries) {
			_, newest, err := s.core.Store.FeedEnds(ctx)
			if err != nil {
				return err
			}
			if entries[old-1].Number == newest.Number {
				old-- // the newest entry always stays: its successor must not be forgotten either
			}
		}
		if old == 0 {
			return nil
		}
		if err := s.core.CommitUnsettled(ctx, store.Change{
			Batch:   m.IDs.Next(),
			At:      m.At,
			Effects: []store.Effect{store.ForgetFeed{Through: entries[old-1].Number}},
		}); err != nil {
			return err
		}
	}
}
