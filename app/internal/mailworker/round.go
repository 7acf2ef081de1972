package mailworker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/mailing"
)

// Bounds of a round.
const (
	// tick is the time between two looks at the feed and at the trays.
	tick = 500 * time.Millisecond
	// pageSize is the number of events in one read of the feed, and mostPages the number
	// of reads between two renewals.
	pageSize  = 500
	mostPages = 20
	// groupsAtOnce is the largest number of groups put into trays before the lease may be
	// renewed.
	groupsAtOnce = 100
	// idleFor is the time without work after which the lease is given back: a server
	// without changes writes nothing.
	idleFor = 5 * time.Second
	// smallState is the size of a state that is stored after each mail, in bytes. A larger
	// one is stored every saveEvery at most: after a death, the mails since then come again.
	smallState = 16 << 10
	saveEvery  = time.Second
	// writing bounds the time of one letter until it is sent.
	writing = 15 * time.Second
	// trayBytes and itemBytes are what a tray and an item add to the size of a state.
	trayBytes, itemBytes = 80, 12
	// mostUnread is the largest number of groups whose problems cannot be read. With more of
	// them the store is at fault, and all mail waits.
	mostUnread = 1000
	// leastPause and mostPause bound the pauses of an outage of the mail server.
	leastPause = 5 * time.Second
	mostPause  = time.Minute
)

// round is one time with the lease. All of it belongs to one goroutine, but for the mail
// under way.
type round struct {
	*Worker
	mailer  *mailing.Mailer
	ctx     context.Context // ends with the lease
	end     context.CancelFunc
	guard   *time.Timer // ends ctx unless the lease was renewed; nil: no other server can take it
	renewed time.Time   // when the latest renewal began

	feed      *tracker.Follower
	gathering *mail.Gathering
	trays     []*tray
	byUser    map[ident.ID]*tray
	unread    []mail.Group // their problems cannot be read
	dirty     bool         // the trays have mail that is not stored
	told      bool         // attempts are not stored
	worked    time.Time
	busy      *tray // whose mail is under way
	results   chan result

	arrived int           // mails of this round at the mail server
	pause   time.Duration // after the latest failure of the mail server; 0: none
	paused  time.Time     // until when
}

// tray is a tray in a round.
type tray struct {
	mail.Tray
	due time.Time // of the next mail, by a clock that nobody sets
	// broke has the mails for which the mail server was unreachable. Each has the number of
	// mails that had arrived in this round until then.
	broke map[letter]int
}

// letter distinguishes the mails of a tray. It is the beginning of Draft.First.
type letter struct {
	of   problem.ID
	from int64
}

func letterOf(d mail.Draft) letter { return letter{d.First().Problem, d.First().From} }

// result is the end of an attempt. sent is false for a mail that was not needed, or not written.
type result struct {
	tray  *tray
	draft mail.Draft
	sent  bool
	err   error
}

// The ends of a round.
var (
	// errLost: another server has the lease, or may have it.
	errLost = errors.New("another server sends e-mail")
	// errIdle: there is nothing to do.
	errIdle = errors.New("there is nothing to do")
)

// send sends while it has the lease, until ctx ends.
func (w *Worker) send(ctx context.Context, mailer *mailing.Mailer, s mail.State, until time.Time) error {
	r := &round{Worker: w, mailer: mailer, renewed: until.Add(-lease.Hold), results: make(chan result, 1), worked: time.Now(), byUser: make(map[ident.ID]*tray)}
	r.ctx, r.end = context.WithCancel(ctx)
	if !r.Alone {
		r.guard = time.AfterFunc(time.Until(until), r.end)
		defer r.guard.Stop()
	}
	err := r.begin(s)
	if err == nil {
		err = r.run()
	}
	r.end()
	if r.busy != nil { // it has ended with ctx
		if done := <-r.results; err == nil {
			err = r.settle(done)
		}
	}
	w.Sender.Rest()
	if r.feed != nil {
		r.feed.Close()
	}
	switch {
	case err == nil, errors.Is(err, errIdle): // nil: the server stops
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), background.Calls)
		defer cancel()
		return mailer.Release(limited, r.state())
	case errors.Is(err, errLost):
		return nil
	}
	return err
}

// begin goes on where the state ends. If the feed has lost that position, it goes on with
// the changes from now on.
func (r *round) begin(s mail.State) (err error) {
	r.feed, err = r.mailer.Follow(r.ctx, s.Cursor, pageSize)
	if fault.Is(err, fault.CursorGone) {
		r.Logger.Warn("the feed no longer has the changes since the last e-mail: there is no mail about those before now")
		if s.Cursor, err = r.mailer.Newest(r.ctx); err == nil {
			s.Ahead, r.dirty = nil, true
			r.feed, err = r.mailer.Follow(r.ctx, s.Cursor, pageSize)
		}
	}
	if err != nil {
		return err
	}
	r.gathering = mail.NewGathering(s, r.Quiet)
	now := time.Now()
	for _, t := range s.Trays {
		r.add(t.Resumed(now), now)
	}
	for _, g := range s.Unread {
		r.unread = append(r.unread, g.Resumed(now))
	}
	return nil
}

// run returns nil when the server stops.
func (r *round) run() error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if err := r.step(); err != nil {
			return err
		}
		select {
		case <-r.ctx.Done():
			if r.guard != nil && time.Since(r.renewed) >= lease.Hold {
				return errLost
			}
			return nil
		case done := <-r.results:
			if err := r.settle(done); err != nil {
				return err
			}
		case <-ticker.C:
		}
	}
}

// step reads the feed, fills the trays, stores the state, and begins the next mail. What a
// mail tells of is stored before.
func (r *round) step() error {
	if err := r.read(); err != nil {
		return r.later(err)
	}
	if err := r.fill(); err != nil {
		return r.later(err)
	}
	if r.dirty || r.told && r.portion() || r.guard != nil && time.Since(r.renewed) >= lease.Renewal {
		if err := r.save(); err != nil {
			return r.later(err)
		}
	}
	if r.busy == nil && !r.dirty {
		r.next()
	}
	r.report()
	if r.idle() {
		return errIdle
	}
	return nil
}

// later returns no error for a failure that may pass: the guard ends the round in time.
func (r *round) later(err error) error {
	if r.ctx.Err() != nil || background.Away(err) {
		return nil
	}
	return err
}

// read adds the new events of the feed.
func (r *round) read() error {
	for range mostPages {
		p, err := r.feed.Next(r.ctx)
		if err != nil {
			return err
		}
		for _, v := range p.Events {
			r.gathering.Add(v.Cursor, v.Event, v.Author, v.At, time.Now())
		}
		r.gathering.Skip(p.Next)
		if len(p.Events) > 0 {
			r.worked = time.Now()
		}
		if p.End {
			return nil
		}
	}
	return nil
}

// fill puts the complete groups into the trays of their addressees: in portions, so that the
// lease is renewed between them. After the return of a mail server or of the store, there can
// be thousands.
func (r *round) fill() error {
	now := time.Now()
	r.trays = slices.DeleteFunc(r.trays, func(t *tray) bool {
		forgotten := t != r.busy && t.Forgettable(now)
		if forgotten {
			delete(r.byUser, t.User)
		}
		return forgotten
	})
	if err := r.again(now); err != nil {
		return err
	}
	for {
		groups := r.gathering.Complete(time.Now(), groupsAtOnce)
		if len(groups) == 0 {
			return nil
		}
		if err := r.put(groups); err != nil {
			r.gathering.Reopen(groups)
			return err
		}
		if len(groups) == groupsAtOnce && time.Since(r.renewed) >= saveEvery {
			if err := r.save(); err != nil {
				return err
			}
		}
	}
}

// again puts the groups into trays whose problems could not be read before, once they are due.
func (r *round) again(now time.Time) error {
	all := r.unread
	var due []mail.Group
	r.unread = slices.DeleteFunc(slices.Clone(all), func(g mail.Group) bool {
		again := len(due) < groupsAtOnce && g.Wait(now) == 0
		if again {
			due = append(due, g)
		}
		return again
	})
	if len(due) == 0 {
		return nil
	}
	if err := r.put(due); err != nil {
		r.unread = all
		return err
	}
	return nil
}

// unreadable keeps a group whose problem cannot be read for its next attempt, if there is one.
func (r *round) unreadable(of mailing.Addressed, now time.Time) {
	r.counts.Add(Outcome(mail.Deferred))
	next, again := of.Failed(now)
	switch {
	case !again:
		r.counts.Add(Lost)
		r.Logger.Warn("the e-mail about a problem is given up after the last attempt: the problem cannot be read", "problem", int64(of.Problem), "error", of.Err.Error())
		return
	case !of.Any():
		r.Logger.Error("the e-mail about a problem waits, and will be tried again: the problem cannot be read", "problem", int64(of.Problem), "error", of.Err.Error())
	}
	r.unread = append(r.unread, next)
}

// put puts complete groups into trays. After an error none is in a tray.
func (r *round) put(groups []mail.Group) error {
	all, err := r.mailer.Address(r.ctx, groups)
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(all, func(of mailing.Addressed) bool { return of.Err != nil }); at >= 0 && len(r.unread)+len(groups) > mostUnread {
		return all[at].Err
	}
	r.dirty = true
	now := time.Now()
	filled := make(map[*tray]bool)
	for _, of := range all {
		if of.Err != nil {
			r.unreadable(of, now)
		}
		for _, who := range of.Users {
			t := r.of(who)
			t.Tray = t.Put(mail.Item{Problem: of.Problem, From: of.From, Through: of.Through}, now)
			filled[t] = true
		}
	}
	for t := range filled {
		t.due = now.Add(t.Wait(now))
	}
	return nil
}

// of returns the tray of a user.
func (r *round) of(who ident.ID) *tray {
	t := r.byUser[who]
	if t == nil {
		t = r.add(mail.Tray{User: who}, time.Now())
	}
	return t
}

func (r *round) add(of mail.Tray, now time.Time) *tray {
	t := &tray{Tray: of, due: now.Add(of.Wait(now)), broke: make(map[letter]int)}
	r.trays = append(r.trays, t)
	r.byUser[of.User] = t
	return t
}

func (r *round) state() (s mail.State) {
	s.Cursor, s.Ahead = r.gathering.Position()
	for _, t := range r.trays {
		s.Trays = append(s.Trays, t.Tray)
	}
	s.Unread = r.unread
	return s
}

// save stores the state, and renews the lease.
func (r *round) save() error {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(r.ctx, background.Calls)
	defer cancel()
	held, err := r.mailer.Save(ctx, r.state())
	if err != nil {
		return err
	}
	if !held {
		return errLost
	}
	r.renewed, r.dirty, r.told = begun, false, false
	if r.guard != nil {
		r.guard.Reset(time.Until(begun.Add(lease.Hold)))
	}
	return nil
}

// portion reports whether the attempts since the last save are to be stored now: after each
// one, unless the state is large. Each save stores all of it, and a thousand people would
// mean a thousand saves of hundreds of KB.
func (r *round) portion() bool {
	size := len(r.trays) * trayBytes
	for _, t := range r.trays {
		size += len(t.Items) * itemBytes
	}
	return size <= smallState || time.Since(r.renewed) >= saveEvery
}

// next begins the next mail that is due.
func (r *round) next() {
	now := time.Now()
	if now.Before(r.paused) {
		return
	}
	for _, t := range r.trays {
		if t.Empty() || now.Before(t.due) {
			continue
		}
		draft, ok := t.Mail(now)
		if !ok {
			t.due = now.Add(max(tick, t.Wait(now)))
			continue
		}
		r.busy, r.worked = t, now
		go func() { r.results <- r.attempt(result{tray: t, draft: draft}) }()
		return
	}
}

// attempt writes and sends a mail. The round goes on meanwhile, and renews the lease: a letter
// may take long.
func (r *round) attempt(of result) result {
	ctx, cancel := context.WithTimeout(r.ctx, writing)
	defer cancel()
	l, ok, err := r.mailer.Letter(ctx, of.draft)
	switch {
	case err != nil:
		of.err = err
	case ok:
		of.err, of.sent = r.Sender.Send(r.ctx, l), true
	}
	return of
}

// done removes the items of a mail from their tray.
func (r *round) done(of result, sent bool) {
	now := time.Now()
	of.tray.Tray = of.tray.Done(of.draft, sent, now)
	delete(of.tray.broke, letterOf(of.draft))
	of.tray.due = now.Add(of.tray.Wait(now))
	r.told = true
}

// settle notes the end of an attempt. It fails when no mail can be written.
func (r *round) settle(of result) error {
	r.busy, r.worked = nil, time.Now()
	if of.err == nil && !of.sent {
		r.done(of, false)
		return nil
	}
	if of.err == nil {
		r.counts.Add(Sent)
		if r.pause > 0 {
			r.Logger.Info("e-mail is sent again")
		}
		r.pause = 0
		r.arrived++
		r.done(of, true)
		return nil
	}
	failure, ok := errors.AsType[*mail.Failure](of.err)
	switch {
	case r.ctx.Err() != nil: // the lease has ended meanwhile
		return nil
	case !ok:
		r.paused = time.Now().Add(tick)
		return r.later(of.err)
	}
	r.fail(of, failure)
	return nil
}

// fail notes a failed attempt.
func (r *round) fail(of result, failure *mail.Failure) {
	r.counts.Add(Outcome(failure.Kind))
	if failure.Kind == mail.Unreachable && !r.breaksAgain(of) {
		if r.pause == 0 {
			r.Logger.Error("e-mail cannot be sent; it waits, and will be tried again", "user", of.tray.User.String(), "error", failure.Reason)
		}
		r.behind(of)
		r.pause = min(mostPause, max(leastPause, 2*r.pause))
		r.paused = time.Now().Add(r.pause)
		return
	}
	r.pause = 0
	now := time.Now()
	first := !of.draft.First().Any() && !of.tray.Any()
	next, lost := of.tray.Failed(of.draft, failure, now)
	switch {
	case lost:
		r.counts.Add(Lost)
		delete(of.tray.broke, letterOf(of.draft))
		r.Logger.Warn("an e-mail is given up after its last attempt", "user", of.tray.User.String(), "error", failure.Reason)
	case first:
		r.Logger.Info("an e-mail will be tried again", "user", of.tray.User.String(), "error", failure.Reason)
	}
	of.tray.Tray, r.told = next, true
	of.tray.due = now.Add(next.Wait(now))
}

// breaksAgain notes that the mail server was unreachable for a mail. It reports whether that
// was so before, and another mail has arrived since. Then this mail is the cause, and counts as
// deferred.
func (r *round) breaksAgain(of result) bool {
	before, again := of.tray.broke[letterOf(of.draft)]
	of.tray.broke[letterOf(of.draft)] = r.arrived
	return again && before < r.arrived
}

// behind puts a mail behind all others. The mail server may break the connection at this one
// mail, and take the others.
func (r *round) behind(of result) {
	if !of.draft.Digest() {
		of.tray.Tray = of.tray.Behind(of.draft)
	}
	r.trays = append(slices.DeleteFunc(r.trays, func(t *tray) bool { return t == of.tray }), of.tray)
}

// idle reports whether there has been nothing to do for a while, and will be nothing soon.
func (r *round) idle() bool {
	open, _ := r.gathering.Open()
	soon := time.Now().Add(idleFor)
	waits := slices.ContainsFunc(r.trays, func(t *tray) bool { return !t.Empty() && t.due.Before(soon) }) ||
		slices.ContainsFunc(r.unread, func(g mail.Group) bool { return g.Wait(soon) == 0 })
	return open == 0 && !waits && !r.dirty && !r.told && r.busy == nil && time.Since(r.worked) >= idleFor
}

// report publishes the state.
func (r *round) report() {
	s := Stat{sends: true}
	s.Gathering, s.Oldest = r.gathering.Open()
	for _, t := range r.trays {
		s.add(t.Tray)
	}
	s.addUnread(r.unread)
	r.stat.Store(&s)
}
