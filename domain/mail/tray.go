package mail

import (
	"math"
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
	// Tries are the failed attempts of a letter with these changes.
	Tries
}

// Excess is the changes beyond the Items of a tray. Only their number is known.
type Excess struct {
	Count int
	// Since is the arrival of the first one. After a mail about a part of them, it is the time
	// of that mail.
	Since time.Time
	// Tries are the failed attempts of a letter that tells of nothing else.
	Tries
}

// without returns what is left after a mail, or after the last attempt to send it.
func (e Excess) without(told Excess, now time.Time) Excess {
	if e.Count == told.Count {
		return Excess{}
	}
	return Excess{Count: e.Count - told.Count, Since: now}
}

// Tray holds the mail of one person.
type Tray struct {
	User ident.ID
	// Items are in the order of their arrival, but for those of Behind. A problem has one
	// item without a refusal at most.
	Items []Item
	// More is told of in the next digest.
	More Excess
	// Since is the arrival of the oldest change; zero: there is none.
	Since time.Time
	// Tries are the failed attempts with the person since the latest success. All mail waits
	// for the next one.
	Tries
	// Sent counts the mails since Begun, up to Window behind it.
	Sent  int
	Begun time.Time
}

// Bounds of the mails to one person.
const (
	// MostSeparate is the largest number of mails in a Window. When more problems wait,
	// one mail tells of all of them.
	MostSeparate = 10
	Window       = 10 * time.Minute
	// digestWait is the time in which such a mail gathers further problems.
	digestWait = time.Minute
	// mostItems bounds the Items without a failed attempt, and mostAny all of them. Changes
	// of other problems are counted.
	mostItems, mostAny = 500, 1000
)

// Put returns the tray with one more item. Items about one problem become one. A refused item
// stays apart: it would take the new one with it.
func (t Tray) Put(i Item, now time.Time) Tray {
	if t.Empty() {
		t.Since = now
	}
	at := slices.IndexFunc(t.Items, func(other Item) bool { return other.Problem == i.Problem && other.Refused == 0 })
	if at < 0 && t.full() {
		if t.More.Count == 0 {
			t.More.Since = now
		}
		t.More.Count++
		t.More.Deferred = min(t.More.Deferred, mostJoined)
		return t
	}
	t.Items = slices.Clone(t.Items)
	if at >= 0 {
		old := &t.Items[at]
		old.From, old.Through = min(old.From, i.From), max(old.Through, i.Through)
		old.Deferred = min(old.Deferred, mostJoined)
		return t
	}
	t.Items = append(t.Items, i)
	if len(t.Items) == MostSeparate+1 && t.Next.Before(now.Add(digestWait)) {
		t.Next = now.Add(digestWait)
	}
	return t
}

// Empty reports whether nothing waits.
func (t Tray) Empty() bool { return len(t.Items) == 0 && t.More.Count == 0 }

// Forgettable reports whether the tray says nothing any more.
func (t Tray) Forgettable(now time.Time) bool {
	age := now.Sub(t.Begun)
	return t.Empty() && (age >= Window || age < 0)
}

// Mail returns the next mail: about one item, or all of them and More in a digest. ok is false
// when each of them waits for its next attempt.
func (t Tray) Mail(now time.Time) (d Draft, ok bool) {
	d.User = t.User
	for _, i := range t.Items {
		if i.wait(now) == 0 {
			d.Items = append(d.Items, i)
		}
	}
	if t.More.Count > 0 && t.More.wait(now) == 0 && (len(d.Items) > 0 || t.countsAlone()) {
		d.More = t.More
	}
	if d.More.Count == 0 && problems(d.Items) <= MostSeparate {
		d.Items = d.Items[:min(1, len(d.Items))]
	}
	return d, len(d.Items) > 0 || d.More.Count > 0
}

// problems returns the number of problems of items. Refused items can be about the same one.
func problems(items []Item) int {
	all := make(map[problem.ID]struct{}, len(items))
	for _, i := range items {
		all[i.Problem] = struct{}{}
	}
	return len(all)
}

// full reports whether the tray counts the changes of further problems. Failed items leave the
// places to others: these would wait for their attempts.
func (t Tray) full() bool {
	fresh := 0
	for _, i := range t.Items {
		if !i.Any() {
			fresh++
		}
	}
	return fresh >= mostItems || len(t.Items) >= mostAny
}

// countsAlone reports whether a mail may tell of More without an item. In a tray with many
// items More waits for one of them: otherwise each counted change could be a mail without a title.
func (t Tray) countsAlone() bool { return len(t.Items) < mostItems }

// Wait returns the time until the next mail may be sent. It is bounded, although the clock
// may have stepped back.
func (t Tray) Wait(now time.Time) time.Duration {
	wait := max(t.wait(now), t.soonest(now))
	if t.Sent >= MostSeparate {
		wait = max(wait, min(Window, t.Begun.Add(Window).Sub(now)))
	}
	return wait
}

// soonest returns the time until the next attempt of any letter.
func (t Tray) soonest(now time.Time) time.Duration {
	if t.Empty() {
		return 0
	}
	wait := time.Duration(math.MaxInt64)
	if t.More.Count > 0 && t.countsAlone() {
		wait = t.More.wait(now)
	}
	for _, i := range t.Items {
		wait = min(wait, i.wait(now))
	}
	return wait
}

// Resumed returns a stored tray with its times of attempts by the clock of now, within the
// bounds of Wait.
func (t Tray) Resumed(now time.Time) Tray {
	t.Tries, t.More.Tries, t.Items = t.Tries.resumed(now), t.More.resumed(now), slices.Clone(t.Items)
	for n := range t.Items {
		t.Items[n].Tries = t.Items[n].resumed(now)
	}
	return t
}

// Behind returns the tray with the item of a mail behind all others.
func (t Tray) Behind(d Draft) Tray {
	var last []Item
	t.Items = slices.DeleteFunc(slices.Clone(t.Items), func(i Item) bool {
		_, told := d.of(i)
		if told {
			last = append(last, i)
		}
		return told
	})
	t.Items = append(t.Items, last...)
	return t
}

// Done returns the tray after a mail. Changes that came meanwhile stay. The mail counts as
// sent, unless it was not needed.
func (t Tray) Done(d Draft, sent bool, now time.Time) Tray {
	var left []Item
	for _, i := range t.Items {
		if told, ok := d.of(i); ok {
			if i.Through <= told.Through {
				continue
			}
			i = i.behind(told)
		}
		left = append(left, i)
	}
	t.Items = left
	if d.More.Count > 0 {
		t.More = t.More.without(d.More, now)
	}
	t.Tries = Tries{}
	if t.Empty() {
		t.Since = time.Time{}
	}
	if further, _ := t.Mail(now); further.Digest() {
		t.Next = now.Add(digestWait)
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

// behind returns the changes behind those of a mail. No letter has told of them.
func (i Item) behind(told Item) Item {
	return Item{Problem: i.Problem, From: told.Through + 1, Through: i.Through}
}

// Failed returns the tray after a failed attempt to send a mail. lost is true after the last
// attempt for some of its items: the tray no longer has them, nor what the mail counts.
func (t Tray) Failed(d Draft, f *Failure, now time.Time) (next Tray, lost bool) {
	refused := f.Kind == Refused
	if len(f.Items) > 0 {
		d = Draft{User: d.User, Items: f.Items}
	}
	if f.Person {
		tries, again := t.after(refused, now)
		if !again {
			return t.Done(d, false, now), true
		}
		t.Tries = tries
		return t, false
	}
	var left, fresh []Item
	for _, i := range t.Items {
		told, ok := d.of(i)
		if !ok {
			left = append(left, i)
			continue
		}
		tries, again := i.after(refused, now)
		if refused && i.Through > told.Through {
			fresh = append(fresh, i.behind(told))
			i.Through = told.Through
		}
		if i.Tries = tries; again {
			left = append(left, i)
		}
		lost = lost || !again
	}
	t.Items = append(left, fresh...)
	// The failures of a digest with items are theirs alone.
	if len(d.Items) == 0 {
		tries, again := t.More.after(refused, now)
		t.More.Tries, lost = tries, !again
	}
	if lost && d.More.Count > 0 {
		t.More = t.More.without(d.More, now)
	}
	if t.Empty() {
		t.Since = time.Time{}
	}
	return t, lost
}
