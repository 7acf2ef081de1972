package webhook

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/event"
)

// State is the state of an endpoint.
type State string

// The states.
const (
	// Active is the state of an endpoint that gets events, also between two attempts, and while
	// no server has the key behind its secret.
	Active State = "active"
	// Waiting is the state after the last attempt for an event, with OnFailure Wait.
	Waiting State = "waiting"
	// Stopped is the state after a final refusal, or after the end of a basis of the
	// endpoint, such as its owner.
	Stopped State = "stopped"
)

// Progress says how far the delivery to an endpoint has come. Only the delivering server
// writes it.
type Progress struct {
	// Epoch is the start of the endpoint to which the other members belong.
	Epoch int64
	// Cursor is the position behind the latest settled event: delivered, parked or not
	// for this endpoint. After a failed attempt it is in front of that event.
	Cursor event.Cursor
	State  State
	// Reason is a sentence about the State; empty for Active.
	Reason string
	// Failures counts the failed attempts for the event behind Cursor.
	Failures int
	// Next is the time of the next attempt after a failed one, else zero.
	Next time.Time
	// Parked counts the parked events.
	Parked int64
	// Deliveries are the latest attempts, oldest first: see Progress.After.
	Deliveries []Delivery
}

// Outcome is the outcome of an attempt.
type Outcome string

// The outcomes.
const (
	Delivered Outcome = "delivered"
	Failed    Outcome = "failed"
	// Parked is the outcome of the last failed attempt for an event, if the endpoint
	// goes on.
	Parked Outcome = "parked"
)

// Delivery is one attempt to deliver an event.
type Delivery struct {
	Event    event.Cursor
	Type     event.Type
	Attempt  int // from 1
	At       time.Time
	Duration time.Duration // whole milliseconds
	// Status is the HTTP status of the answer; 0: there was none.
	Status int
	// Error says why there was no answer, or why the answer is a failure.
	Error   string
	Outcome Outcome
	// Next is the time of the next attempt for the event; zero: there is none.
	Next time.Time
}

// Bounds of the kept attempts.
const (
	mostDeliveries = 20 // the latest ones
	mostParked     = 20 // parked events before them
	mostError      = 200
)

// schedule holds the pauses behind the failed attempts for one event. It is that of Standard
// Webhooks, and one day more: three days in all.
var schedule = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Pause returns the time until the next attempt after this many failed ones. ok is false
// after the last one.
func Pause(failures int) (pause time.Duration, ok bool) {
	if failures < 1 || failures > len(schedule) {
		return 0, false
	}
	return schedule[failures-1], true
}

// Attempt is the answer of a receiver, or the reason why there is none.
type Attempt struct {
	At       time.Time     // of its beginning
	Duration time.Duration // until the status was known, or the failure
	// Status is the HTTP status of the answer; 0: there was none.
	Status int
	// Err describes a failure without an answer. It holds no secret.
	Err string
}

// failure returns why the attempt failed; empty for a success.
func (a Attempt) failure() string {
	switch {
	case a.Err != "":
		return a.Err
	case a.Status >= 200 && a.Status <= 299:
		return ""
	case a.Status >= 300 && a.Status <= 399:
		return fmt.Sprintf("the receiver redirects with status %d, and no redirect is followed: give the webhook the final URL", a.Status)
	default:
		return fmt.Sprintf("the receiver answered with status %d", a.Status)
	}
}

// Succeeded reports whether the receiver has taken the message.
func (a Attempt) Succeeded() bool { return a.failure() == "" }

// gone is the status of a receiver that wants no more messages.
const gone = 410

// Tested returns the attempt to deliver a test as an entry among the deliveries.
func (a Attempt) Tested() Delivery {
	return Progress{}.After(Wait, event.Start, TestType, a).Deliveries[0]
}

// After returns the progress after an attempt to deliver the event of the cursor.
func (p Progress) After(onFailure OnFailure, c event.Cursor, t event.Type, a Attempt) Progress {
	d := Delivery{
		Event: c, Type: t, Attempt: p.Failures + 1, At: a.At, Duration: a.Duration.Truncate(time.Millisecond), Status: a.Status,
		Error: shortened(a.failure()), Outcome: Failed,
	}
	p.Cursor = c.Before() // the feed may forget the events before
	switch pause, again := Pause(p.Failures + 1); {
	case a.Succeeded():
		d.Outcome = Delivered
		p = p.Settle(c)
	case p.State == Stopped: // during the attempt, for a reason of its own
	case a.Err == "" && a.Status == gone:
		p = p.Stop("the receiver answered with status 410: it wants no more messages")
	case again:
		p.Failures++
		// The clock of the store's times counts whole milliseconds.
		p.Next = a.At.Add(a.Duration + pause).Truncate(time.Millisecond)
		d.Next = p.Next
	case onFailure == Park:
		d.Outcome = Parked
		p = p.Settle(c)
		p.Parked++
	default:
		p.State, p.Next = Waiting, time.Time{}
		p.Reason = fmt.Sprintf("%d attempts to deliver one event have failed; the last one: %s", p.Failures+1, d.Error)
	}
	p.Deliveries = kept(append(slices.Clone(p.Deliveries), d))
	return p
}

// Settle returns the progress once the event of the cursor needs no attempt any more.
func (p Progress) Settle(c event.Cursor) Progress {
	p.Cursor, p.Failures, p.Next = c, 0, time.Time{}
	return p
}

// Stop returns the progress once nothing is to be delivered any more, until somebody
// starts the endpoint anew.
func (p Progress) Stop(reason string) Progress {
	p.State, p.Reason, p.Next = Stopped, reason, time.Time{}
	return p
}

// Wait returns the time until the next attempt. It is no longer than the schedule says,
// although the clock may have stepped back since.
func (p Progress) Wait(now time.Time) time.Duration {
	pause, ok := Pause(p.Failures)
	if !ok || p.Next.IsZero() {
		return 0
	}
	return max(0, min(pause, p.Next.Sub(now)))
}

// kept leaves out the oldest attempts. Those with a parked event stay longest.
func kept(all []Delivery) []Delivery {
	older := max(0, len(all)-mostDeliveries)
	parked := slices.DeleteFunc(slices.Clone(all[:older]), func(d Delivery) bool { return d.Outcome != Parked })
	return append(parked[max(0, len(parked)-mostParked):], all[older:]...)
}

// shortened returns a text of bounded length without control characters.
func shortened(s string) string {
	line := []rune(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD")))
	if len(line) > mostError {
		return string(line[:mostError]) + "…"
	}
	return string(line)
}

// Webhook is an endpoint with its progress.
type Webhook struct {
	Endpoint
	Progress Progress
}

// Clone returns a copy that shares no memory with the webhook.
func (w Webhook) Clone() Webhook {
	w.Types, w.Progress.Deliveries = slices.Clone(w.Types), slices.Clone(w.Progress.Deliveries)
	return w
}

// Current returns the progress of the latest start of the endpoint. A start that the
// delivering server has not seen yet has none.
func (w Webhook) Current() Progress {
	if w.Progress.Epoch == w.Epoch && w.Progress.State != "" {
		return w.Progress
	}
	return Progress{Epoch: w.Epoch, Cursor: w.From, State: Active, Parked: w.Progress.Parked, Deliveries: w.Progress.Deliveries}
}

// StateFor returns the state of the webhook and its reason. ownerActive is false when the
// owner was deactivated.
func (w Webhook) StateFor(ownerActive bool) (State, string) {
	p := w.Current()
	switch {
	case !w.Active:
		return Stopped, "an administrator has stopped it"
	case p.State == Stopped && p.Reason == OwnerInactive && ownerActive:
		return Stopped, OwnerReturned
	case p.State != Active:
		return p.State, p.Reason
	case !ownerActive:
		return Stopped, OwnerInactive
	}
	return p.State, p.Reason
}

// NextAttempt returns the time of the next attempt after a failed one; zero: there is none.
// ownerActive is false when the owner was deactivated.
func (w Webhook) NextAttempt(ownerActive bool) time.Time {
	if state, _ := w.StateFor(ownerActive); state != Active {
		return time.Time{}
	}
	return w.Current().Next
}

// The reasons for the end of a basis of an endpoint.
const (
	OwnerInactive = "the user who made it is inactive: make a webhook of your own"
	// OwnerReturned takes the place of OwnerInactive once the owner is active again.
	OwnerReturned = "the user who made it was inactive, and is active again: resume it"
	CursorGone    = "the feed no longer has the event from which to go on: it was forgotten, or the store was set back; read the problems anew, and set another cursor"
)
