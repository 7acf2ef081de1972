package webhook

import (
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
)

func cursor(n int64) event.Cursor { return event.Cursor{Number: n, Index: 1, Batch: ident.ID{byte(n)}} }

func TestSuccessSettles(t *testing.T) {
	t.Parallel()
	for _, status := range []int{200, 201, 202, 204, 299} {
		before := Progress{Epoch: 2, Cursor: cursor(1), State: Active, Failures: 3, Next: noon}
		p := before.After(Wait, cursor(2), event.ProblemChanged, Attempt{At: noon, Duration: 1500 * time.Microsecond, Status: status})
		if p.Cursor != cursor(2) || p.Failures != 0 || !p.Next.IsZero() || p.State != Active || p.Epoch != 2 {
			t.Errorf("%d: %+v", status, p)
		}
		want := Delivery{Event: cursor(2), Type: event.ProblemChanged, Attempt: 4, At: noon, Duration: time.Millisecond, Status: status, Outcome: Delivered}
		if len(p.Deliveries) != 1 || p.Deliveries[0] != want {
			t.Errorf("%d: the attempts are %+v", status, p.Deliveries)
		}
	}
}

// The pauses are those of the table of Standard Webhooks, and one attempt more.
func TestSchedule(t *testing.T) {
	t.Parallel()
	want := []string{"5s", "5m0s", "30m0s", "2h0m0s", "5h0m0s", "10h0m0s", "14h0m0s", "20h0m0s", "24h0m0s"}
	failures := map[string]Attempt{
		"an error":   {Err: "connection refused"},
		"a status":   {Status: 500},
		"a redirect": {Status: 302},
		"no content": {Status: 404},
		"a hint":     {Status: 100},
	}
	for name, a := range failures {
		p := Progress{Cursor: cursor(1), State: Active}
		at := noon
		for i, pause := range want {
			a.At, a.Duration = at, time.Second
			p = p.After(Wait, cursor(2), event.ProblemCreated, a)
			step, err := time.ParseDuration(pause)
			if err != nil {
				t.Fatal(err)
			}
			if p.Cursor != cursor(2).Before() || p.State != Active || p.Failures != i+1 || !p.Next.Equal(at.Add(time.Second+step)) {
				t.Fatalf("%s: after %d failures: %+v, want the next one after %s", name, i+1, p, pause)
			}
			if got := p.Wait(at.Add(time.Second)); got != step {
				t.Errorf("%s: it waits for %s, want %s", name, got, step)
			}
			last := p.Deliveries[len(p.Deliveries)-1]
			if last.Outcome != Failed || last.Attempt != i+1 || !last.Next.Equal(p.Next) || last.Error == "" {
				t.Errorf("%s: the attempt is %+v", name, last)
			}
			at = p.Next
		}
		a.At = at
		waiting := p.After(Wait, cursor(2), event.ProblemCreated, a)
		if waiting.State != Waiting || waiting.Cursor != cursor(2).Before() || !waiting.Next.IsZero() || !strings.Contains(waiting.Reason, "10 attempts") {
			t.Errorf("%s: at the end it is %+v", name, waiting)
		}
		parked := p.After(Park, cursor(2), event.ProblemCreated, a)
		if parked.State != Active || parked.Cursor != cursor(2) || parked.Failures != 0 || !parked.Next.IsZero() || parked.Parked != 1 {
			t.Errorf("%s: parked, it is %+v", name, parked)
		}
		if last := parked.Deliveries[len(parked.Deliveries)-1]; last.Outcome != Parked || !last.Next.IsZero() {
			t.Errorf("%s: the parked attempt is %+v", name, last)
		}
	}
}

func TestGoneStops(t *testing.T) {
	t.Parallel()
	p := Progress{Cursor: cursor(1), State: Active}.After(Park, cursor(2), event.ProblemCreated, Attempt{At: noon, Status: 410})
	if p.State != Stopped || p.Cursor != cursor(2).Before() || !strings.Contains(p.Reason, "410") || !p.Next.IsZero() || len(p.Deliveries) != 1 {
		t.Errorf("got %+v", p)
	}
}

func TestRedirectIsExplained(t *testing.T) {
	t.Parallel()
	p := Progress{State: Active}.After(Wait, cursor(1), event.ProblemCreated, Attempt{At: noon, Status: 307})
	if got := p.Deliveries[0].Error; !strings.Contains(got, "no redirect is followed") {
		t.Errorf("the error is %q", got)
	}
}

// A clock that steps back must not delay an attempt by more than the schedule says.
func TestWaitWithASteppedClock(t *testing.T) {
	t.Parallel()
	p := Progress{State: Active}.After(Wait, cursor(1), event.ProblemCreated, Attempt{At: noon, Status: 500})
	for now, want := range map[time.Time]time.Duration{
		noon:                       5 * time.Second,
		noon.Add(2 * time.Second):  3 * time.Second,
		noon.Add(time.Minute):      0,
		noon.AddDate(-1, 0, 0):     5 * time.Second,
		noon.Add(-2 * time.Second): 5 * time.Second,
	} {
		if got := p.Wait(now); got != want {
			t.Errorf("at %v it waits for %s, want %s", now, got, want)
		}
	}
	if got := (Progress{}).Wait(noon); got != 0 {
		t.Errorf("without a failure it waits for %s", got)
	}
}

func TestKeptDeliveries(t *testing.T) {
	t.Parallel()
	p := Progress{State: Active}
	for n := range int64(200) {
		p.Failures = 0
		a := Attempt{At: noon, Status: 200}
		if n < 60 && n%2 == 0 { // every second one of the first is parked
			p.Failures, a.Status = 9, 500
		}
		before := p.Deliveries
		p = p.After(Park, cursor(n), event.ProblemCreated, a)
		if len(before) > 0 && &before[0] == &p.Deliveries[0] {
			t.Fatal("the attempts of the earlier progress are changed")
		}
	}
	if len(p.Deliveries) != mostDeliveries+mostParked {
		t.Fatalf("there are %d attempts", len(p.Deliveries))
	}
	for i, d := range p.Deliveries {
		want := int64(180 + i - mostParked)
		if i < mostParked {
			want = int64(20 + 2*i)
		}
		if d.Event != cursor(want) || (d.Outcome == Parked) != (i < mostParked) {
			t.Errorf("attempt %d is %+v, want that of event %d", i, d, want)
		}
	}
	if p.Parked != 30 {
		t.Errorf("%d events are parked, want 30", p.Parked)
	}
}

func TestErrorsAreShortLines(t *testing.T) {
	t.Parallel()
	p := Progress{State: Active}.After(Wait, cursor(1), event.ProblemCreated, Attempt{At: noon, Err: "a\r\nb\x00c\xff" + strings.Repeat("ü", 1000)})
	got := p.Deliveries[0].Error
	if !strings.HasPrefix(got, "a  b c\uFFFDü") || !strings.HasSuffix(got, "ü…") || len([]rune(got)) != mostError+1 {
		t.Errorf("the error is %q", got)
	}
}

func TestCurrent(t *testing.T) {
	t.Parallel()
	e := Endpoint{Epoch: 2, From: cursor(7), Active: true}
	old := Progress{Epoch: 1, Cursor: cursor(9), State: Waiting, Reason: "why", Failures: 9, Parked: 3, Deliveries: []Delivery{{Attempt: 1}}}
	p := Webhook{e, old}.Current()
	if p.Epoch != 2 || p.Cursor != cursor(7) || p.State != Active || p.Reason != "" || p.Failures != 0 || p.Parked != 3 || len(p.Deliveries) != 1 {
		t.Errorf("after a start it is %+v", p)
	}
	old.Epoch = 2
	if p := (Webhook{e, old}).Current(); p.Cursor != cursor(9) || p.State != Waiting {
		t.Errorf("the progress of this start is %+v", p)
	}
	if p := (Webhook{Endpoint: Endpoint{From: cursor(3)}}).Current(); p.State != Active || p.Cursor != cursor(3) {
		t.Errorf("a new endpoint has %+v", p)
	}
}

// Only a webhook that goes on has a next attempt.
func TestNextAttempt(t *testing.T) {
	t.Parallel()
	retrying := Progress{State: Active, Failures: 1, Next: noon}
	for name, c := range map[string]struct {
		active, owner bool
		p             Progress
		want          time.Time
	}{
		"retrying":        {true, true, retrying, noon},
		"going":           {true, true, Progress{State: Active}, time.Time{}},
		"stopped by hand": {false, true, retrying, time.Time{}},
		"without owner":   {true, false, retrying, time.Time{}},
	} {
		if got := (Webhook{Endpoint{Active: c.active}, c.p}).NextAttempt(c.owner); !got.Equal(c.want) {
			t.Errorf("%s: the next attempt is at %v, want %v", name, got, c.want)
		}
	}
}

func TestStateFor(t *testing.T) {
	t.Parallel()
	going := Progress{State: Active}
	for name, c := range map[string]struct {
		active, owner bool
		p             Progress
		want          State
		why           string
	}{
		"going":              {true, true, going, Active, ""},
		"stopped by hand":    {false, true, going, Stopped, "administrator"},
		"waiting":            {true, true, Progress{State: Waiting, Reason: "ten"}, Waiting, "ten"},
		"gone":               {true, true, going.Stop("410"), Stopped, "410"},
		"without its owner":  {true, false, going, Stopped, "inactive"},
		"owner inactive":     {true, false, going.Stop(OwnerInactive), Stopped, "make a webhook of your own"},
		"owner returned":     {true, true, going.Stop(OwnerInactive), Stopped, "active again: resume it"},
		"waiting without":    {true, false, Progress{State: Waiting, Reason: "ten"}, Waiting, "ten"},
		"stopped by hand, 2": {false, false, going.Stop("410"), Stopped, "administrator"},
	} {
		state, why := Webhook{Endpoint{Active: c.active}, c.p}.StateFor(c.owner)
		if state != c.want || !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: %s, %q", name, state, why)
		}
	}
}
