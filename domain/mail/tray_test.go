package mail

import (
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/problem"
)

func filled(n int) Tray {
	t := Tray{User: ann}
	for i := range n {
		t = t.Put(Item{problem.ID(i + 1), 1, 1}, noon)
	}
	return t
}

func TestTrayJoinsChangesOfOneProblem(t *testing.T) {
	t.Parallel()
	tray := filled(2).Put(Item{1, 2, 5}, noon.Add(time.Hour)).Put(Item{2, 1, 1}, noon.Add(time.Hour))
	if !slices.Equal(tray.Items, []Item{{1, 1, 5}, {2, 1, 1}}) || !tray.Since.Equal(noon) {
		t.Errorf("the tray is %+v", tray)
	}
}

// What happens while a mail is under way is not in it.
func TestTrayKeepsWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	tray := filled(2)
	mail := tray.Mail()
	tray = tray.Put(Item{1, 2, 5}, noon).Put(Item{3, 1, 1}, noon).Done(mail, 0, true, noon)
	if want := []Item{{1, 2, 5}, {2, 1, 1}, {3, 1, 1}}; !slices.Equal(tray.Items, want) {
		t.Errorf("the tray has %v, want %v", tray.Items, want)
	}
	full := filled(mostItems + 7)
	mail, more := full.Mail(), full.More
	full = full.Put(Item{5000, 1, 1}, noon).Done(mail, more, true, noon)
	if !full.Empty() || full.More != 1 {
		t.Errorf("the tray has %d items and %d more, want none and 1", len(full.Items), full.More)
	}
}

// A change of 1,000 problems is one mail.
func TestManyProblemsAreOneMail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		problems, mail, more int
		wait                 time.Duration
	}{{0, 0, 0, 0}, {1, 1, 0, 0}, {MostSeparate, 1, 0, 0}, {MostSeparate + 1, MostSeparate + 1, 0, digestWait}, {1000, mostItems, 1000 - mostItems, digestWait}} {
		tray := filled(c.problems)
		if got := tray.Mail(); len(got) != c.mail || tray.More != c.more || tray.Wait(noon) != c.wait {
			t.Errorf("%d problems: the next mail has %d after %s, and %d more", c.problems, len(got), tray.Wait(noon), tray.More)
		}
		if done := tray.Done(tray.Mail(), tray.More, true, noon); c.problems > 1 && done.Empty() != (c.mail > 1) || done.More != 0 {
			t.Errorf("%d problems: after the mail, the tray is %+v", c.problems, done)
		}
	}
}

// A program that changes problem by problem fills no mailbox either.
func TestMailsToOnePersonArePaced(t *testing.T) {
	t.Parallel()
	tray, now := Tray{User: ann}, noon
	var mails []int
	for i := range 1000 { // 5 problems per second
		tray = tray.Put(Item{problem.ID(i + 1), 1, 1}, now)
		for !tray.Empty() && tray.Wait(now) == 0 {
			mails = append(mails, len(tray.Mail()))
			tray = tray.Done(tray.Mail(), tray.More, true, now)
		}
		now = now.Add(200 * time.Millisecond)
	}
	if len(mails) != MostSeparate {
		t.Errorf("%d mails in %s", len(mails), now.Sub(noon))
	}
	if wait := tray.Wait(now); wait <= 0 || wait > Window {
		t.Errorf("the next mail is sent after %s", wait)
	}
	now = noon.Add(Window)
	if tray.Wait(now) != 0 || len(tray.Mail()) != mostItems || len(tray.Mail())+tray.More != 1000-MostSeparate {
		t.Errorf("after the window the next mail has %d problems and %d more, and waits for %s", len(tray.Mail()), tray.More, tray.Wait(now))
	}
}

func TestTrayAfterFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		refused bool
		total   time.Duration // at least this long until the last attempt
		tries   int
	}{{false, 71 * time.Hour, 16}, {true, 24 * time.Hour, 3}} {
		tray, now, tries := filled(1), noon, 1
		for {
			next, ok := tray.Failed(c.refused, now)
			if !ok {
				break
			}
			tries++
			wait := next.Wait(now)
			if wait <= 0 || !slices.Equal(next.Items, tray.Items) || next.Deferred+next.Refused != tries-1 {
				t.Fatalf("after attempt %d: %+v, which waits for %s", tries, next, wait)
			}
			if back := next.Wait(now.Add(-1000 * time.Hour)); back > 24*time.Hour {
				t.Errorf("after a step back of the clock it waits for %s, want at most a day", back)
			}
			tray, now = next, now.Add(wait)
		}
		if tries != c.tries || now.Sub(noon) < c.total {
			t.Errorf("refused %t: %d attempts within %s, want %d in %s", c.refused, tries, now.Sub(noon), c.tries, c.total)
		}
		if done := tray.Done(tray.Mail(), 0, false, now); !done.Empty() || done.Tries != (Tries{}) || done.Sent != 0 || !done.Since.IsZero() {
			t.Errorf("after the last attempt: %+v", done)
		}
	}
}

// A mail server may put a mail off, and refuse it then. The refusals have a day of their own.
func TestRefusalsCountApart(t *testing.T) {
	t.Parallel()
	tray, now := filled(1), noon
	for i, refused := range []bool{false, false, true, false, true} {
		next, ok := tray.Failed(refused, now)
		if !ok {
			t.Fatalf("the mail is given up after attempt %d", i+1)
		}
		if wait := next.Wait(now); wait != next.Next.Sub(now) {
			t.Errorf("attempt %d: the tray waits for %s, and has %+v", i+1, wait, next.Tries)
		}
		tray, now = next, next.Next
	}
	if tray.Deferred != 3 || tray.Refused != 2 {
		t.Errorf("the tray has %+v", tray.Tries)
	}
	if _, ok := tray.Failed(true, now); ok {
		t.Error("the mail is not given up after the third refusal")
	}
}

func TestTraysAreForgotten(t *testing.T) {
	t.Parallel()
	sent := filled(1).Done([]Item{{1, 1, 1}}, 0, true, noon)
	for name, c := range map[string]struct {
		tray Tray
		at   time.Time
		want bool
	}{
		"something waits":    {filled(1), noon, false},
		"nothing was there":  {Tray{User: ann}, noon, true},
		"just sent":          {sent, noon.Add(Window - 1), false},
		"sent a while ago":   {sent, noon.Add(Window), true},
		"the clock was back": {sent, noon.Add(-time.Hour), true},
	} {
		if got := c.tray.Forgettable(c.at); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
