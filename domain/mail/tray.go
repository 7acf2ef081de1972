package mail

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Item is the changes of a problem for one person.
type Item struct {
	Problem problem.ID
	// From and Through are the first and the last revision of the changes.
	From, Through int64
}

// Tray holds the mail of one person.
type Tray struct {
	User ident.ID
	// Items are in the order of their arrival, each problem once.
	Items []Item
	// More counts the changed problems beyond the Items.
	More int
	// Since is the arrival of the oldest item; zero: there is none.
	Since time.Time
	// Tries are the failed attempts since the latest success.
	Tries
	// Sent counts the mails since Begun, up to Window behind it.
	Sent  int
	Begun time.Time
}

// Tries are failed attempts. A refusal counts apart from a deferral: the mail server may put a
// mail off, and refuse it then.
type Tries struct {
	Deferred, Refused int
	// Next is the time of the next attempt.
	Next time.Time
}

// after returns the tries with one more. ok is false after the last one.
func (t Tries) after(refused bool, now time.Time) (next Tries, ok bool) {
	count := &t.Deferred
	if refused {
		count = &t.Refused
	}
	*count++
	pause, ok := Pause(*count, refused)
	t.Next = now.Add(pause)
	return t, ok
}

// wait returns the time until the next attempt. It is bounded, although the clock may have
// stepped back.
func (t Tries) wait(now time.Time) time.Duration {
	deferral, _ := Pause(t.Deferred, false)
	refusal, _ := Pause(t.Refused, true)
	return max(0, min(max(digestWait, deferral, refusal), t.Next.Sub(now)))
}

// Bounds of the mails to one person.
const (
	// MostSeparate is the largest number of mails within Window. When more problems wait,
	// one mail tells of all of them.
	MostSeparate = 10
	Window       = 10 * time.Minute
	// digestWait is the time in which such a mail gathers further problems.
	digestWait = time.Minute
	// mostItems bounds the Items. The other problems are counted.
	mostItems = 500
)

// Put returns the tray with one more item. Items about one problem become one.
func (t Tray) Put(i Item, now time.Time) Tray {
	if t.Empty() {
		t.Since = now
	}
	t.Items = slices.Clone(t.Items)
	if at := slices.IndexFunc(t.Items, func(other Item) bool { return other.Problem == i.Problem }); at >= 0 {
		old := &t.Items[at]
		old.From, old.Through = min(old.From, i.From), max(old.Through, i.Through)
		return t
	}
	if len(t.Items) >= mostItems {
		t.More++
		return t
	}
	t.Items = append(t.Items, i)
	if len(t.Items) == MostSeparate+1 && t.Next.Before(now.Add(digestWait)) {
		t.Next = now.Add(digestWait)
	}
	return t
}

// Empty reports whether nothing waits.
func (t Tray) Empty() bool { return len(t.Items) == 0 }

// Forgettable reports whether the tray says nothing any more.
func (t Tray) Forgettable(now time.Time) bool {
	age := now.Sub(t.Begun)
	return t.Empty() && (age >= Window || age < 0)
}

// Mail returns the items of the next mail: one, or all of them for a digest.
func (t Tray) Mail() []Item {
	if len(t.Items) > MostSeparate {
		return t.Items
	}
	return t.Items[:min(1, len(t.Items))]
}

// Wait returns the time until the next mail may be sent. It is bounded, although the clock
// may have stepped back.
func (t Tray) Wait(now time.Time) time.Duration {
	wait := t.wait(now)
	if t.Sent >= MostSeparate {
		wait = max(wait, min(Window, t.Begun.Add(Window).Sub(now)))
	}
	return wait
}

// Done returns the tray after the mail with these items and this More. Changes that came
// meanwhile stay. The mail counts as sent, unless it was not needed.
func (t Tray) Done(items []Item, more int, sent bool, now time.Time) Tray {
	var left []Item
	for _, i := range t.Items {
		if at := slices.IndexFunc(items, func(told Item) bool { return told.Problem == i.Problem }); at >= 0 {
			if i.Through <= items[at].Through {
				continue
			}
			i.From = items[at].Through + 1
		}
		left = append(left, i)
	}
	t.Items = left
	if len(items) > 1 {
		t.More -= more
	}
	t.Tries = Tries{}
	if t.Empty() {
		t.Since = time.Time{}
	}
	if !sent {
		return t
	}
	if age := now.Sub(t.Begun); age >= Window || age < 0 {
		t.Begun, t.Sent = now, 0
	}
	t.Sent++
	return t
}

// Failed returns the tray after a failed attempt. ok is false after the last one: give the
// mail up with Done. refused says that the mail server will not take it later either.
func (t Tray) Failed(refused bool, now time.Time) (next Tray, ok bool) {
	tries, ok := t.after(refused, now)
	if !ok {
		return t, false
	}
	t.Tries = tries
	return t, true
}

// The pauses behind the failed attempts for one person. A refusal may come from a wrong
// setting, so there is a day to mend it.
var (
	deferred = []time.Duration{
		time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
		8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour,
	}
	refusals = []time.Duration{time.Hour, 23 * time.Hour}
)

// Pause returns the time until the next attempt after this many failed ones of one kind. ok
// is false after the last one.
func Pause(failures int, refused bool) (pause time.Duration, ok bool) {
	schedule := deferred
	if refused {
		schedule = refusals
	}
	if failures < 1 || failures > len(schedule) {
		return 0, false
	}
	return schedule[failures-1], true
}
