package mail

import "time"

// Tries are failed attempts. A refusal counts apart from a deferral: the mail server may put a
// mail off, and refuse it then.
type Tries struct {
	Deferred, Refused int
	// Next is the time of the next attempt.
	Next time.Time
}

// Any reports whether an attempt has failed.
func (t Tries) Any() bool { return t.Deferred > 0 || t.Refused > 0 }

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

// resumed returns the tries by the clock of now.
func (t Tries) resumed(now time.Time) Tries {
	if !t.Next.IsZero() {
		t.Next = now.Add(t.wait(now))
	}
	return t
}

// The pauses behind the failed attempts. A refusal may come from a wrong setting, so there is
// a day to mend it.
var (
	deferred = []time.Duration{
		time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 4 * time.Hour,
		8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour, 8 * time.Hour,
	}
	refusals = []time.Duration{time.Hour, 23 * time.Hour}
)

// mostJoined is the largest number of deferrals of a letter after a new change has joined it.
// So the change has most of the three days, and the pauses do not become short again.
const mostJoined = 7

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
