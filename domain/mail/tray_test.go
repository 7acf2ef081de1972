package mail

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/problem"
)

func item(of problem.ID, from, through int64) Item {
	return Item{Problem: of, From: from, Through: through}
}

// next is the next mail; none: an empty Draft.
func next(t Tray, now time.Time) Draft {
	d, _ := t.Mail(now)
	return d
}

var (
	refusal  = &Failure{Kind: Refused}
	deferral = &Failure{Kind: Deferred}
	// noPerson and fullPerson are those of the recipient.
	noPerson, fullPerson = &Failure{Kind: Refused, Person: true}, &Failure{Kind: Deferred, Person: true}
)

func filled(n int) Tray {
	t := Tray{User: ann}
	for i := range n {
		t = t.Put(item(problem.ID(i+1), 1, 1), noon)
	}
	return t
}

func TestTrayJoinsChangesOfOneProblem(t *testing.T) {
	t.Parallel()
	tray := filled(2).Put(item(1, 2, 5), noon.Add(time.Hour)).Put(item(2, 1, 1), noon.Add(time.Hour))
	if !slices.Equal(tray.Items, []Item{item(1, 1, 5), item(2, 1, 1)}) || !tray.Since.Equal(noon) {
		t.Errorf("the tray is %+v", tray)
	}
}

// What happens while a mail is under way is not in it.
func TestTrayKeepsWhatCameMeanwhile(t *testing.T) {
	t.Parallel()
	tray := filled(2)
	mail := next(tray, noon)
	tray = tray.Put(item(1, 2, 5), noon).Put(item(3, 1, 1), noon).Done(mail, true, noon)
	if want := []Item{item(1, 2, 5), item(2, 1, 1), item(3, 1, 1)}; !slices.Equal(tray.Items, want) {
		t.Errorf("the tray has %v, want %v", tray.Items, want)
	}
	full := filled(mostItems + 7)
	full = full.Put(item(5000, 1, 1), noon).Done(next(full, noon), true, noon)
	if d := next(full, noon.Add(digestWait)); full.Empty() || full.Wait(noon) != digestWait || len(d.Items) != 0 || d.More.Count != 1 {
		t.Errorf("after %s, the next mail has %d items and %d more, want none and 1", full.Wait(noon), len(d.Items), d.More.Count)
	}
}

// Each change is told of in one letter: by its revision, or as one of the changes that the
// letter counts. Only what is lost is in none.
func TestEachChangeIsToldOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 0))
		tray, now := Tray{User: ann}, noon
		type change struct {
			of       problem.ID
			revision int64
		}
		latest := make(map[problem.ID]int64)
		told := make(map[change]int)
		came, counted, gone := 0, 0, 0
		waiting := func() (n int) {
			for _, i := range tray.Items {
				n += int(i.Through - i.From + 1)
			}
			return n + tray.More.Count
		}
		put := func() {
			for range []int{0, 1, 1, 3, 15, 700}[random.IntN(6)] {
				id := problem.ID(1 + random.IntN(2000))
				latest[id]++
				tray = tray.Put(item(id, latest[id], latest[id]), now)
				came++
			}
		}
		failing := random.IntN(4) // none of so many attempts fails: 0, or one of 8, 4 or 3
		for attempt := range 200 {
			if attempt < 15 {
				put()
			}
			if tray.Empty() {
				continue
			}
			if tray.Forgettable(now) {
				t.Fatalf("seed %d: a tray with %d changes is forgotten", seed, waiting())
			}
			now = now.Add(tray.Wait(now))
			d, ok := tray.Mail(now)
			if !ok || d.Digest() != (len(d.Items) != 1 || d.More.Count > 0) {
				t.Fatalf("seed %d: after its wait, the tray %+v has the mail %+v, %t", seed, tray, d, ok)
			}
			if attempt < 15 && random.IntN(2) == 0 {
				put()
			}
			if random.IntN(3) == 0 {
				s, err := ParseState(State{Trays: []Tray{tray}}.Encode())
				if err != nil {
					t.Fatal(err)
				}
				tray = s.Trays[0].Resumed(now)
			}
			before, lost := waiting(), false
			if failing > 0 && random.IntN(12/failing) == 0 {
				failure := []*Failure{refusal, deferral, noPerson, fullPerson}[random.IntN(4)]
				if tray, lost = tray.Failed(d, failure, now); lost {
					gone += before - waiting()
				} else if waiting() != before {
					t.Fatalf("seed %d: a failure leaves %d of %d changes", seed, waiting(), before)
				}
				continue
			}
			for _, i := range d.Items {
				for revision := i.From; revision <= i.Through; revision++ {
					told[change{i.Problem, revision}]++
				}
			}
			counted += d.More.Count
			tray = tray.Done(d, true, now)
		}
		for c, n := range told {
			if n != 1 {
				t.Errorf("seed %d: %d mails tell of change %d of problem %d", seed, n, c.revision, c.of)
			}
		}
		if failing == 0 && gone > 0 || len(told)+counted+gone != came {
			t.Errorf("seed %d: of %d changes, mails tell of %d and count %d; %d are lost", seed, came, len(told), counted, gone)
		}
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
		if got := next(tray, noon); len(got.Items) != c.mail || tray.More.Count != c.more || tray.Wait(noon) != c.wait {
			t.Errorf("%d problems: the next mail has %d after %s, and %d more", c.problems, len(got.Items), tray.Wait(noon), tray.More.Count)
		}
		if done := tray.Done(next(tray, noon), true, noon); c.problems > 1 && done.Empty() != (c.mail > 1) || done.More.Count != 0 {
			t.Errorf("%d problems: after the mail, the tray is %+v", c.problems, done)
		}
	}
}

// A change of thousands of problems is put into many full trays: that takes no memory.
func TestFullTrayIsNotCopied(t *testing.T) {
	full := filled(mostItems)
	if n := testing.AllocsPerRun(100, func() { full = full.Put(item(9999, 1, 1), noon) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// A program that changes problem by problem fills no mailbox either.
func TestMailsToOnePersonArePaced(t *testing.T) {
	t.Parallel()
	tray, now := Tray{User: ann}, noon
	var mails []int
	for i := range 1000 { // 5 problems per second
		tray = tray.Put(item(problem.ID(i+1), 1, 1), now)
		for !tray.Empty() && tray.Wait(now) == 0 {
			mails = append(mails, len(next(tray, now).Items))
			tray = tray.Done(next(tray, now), true, now)
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
	if d := next(tray, now); tray.Wait(now) != 0 || len(d.Items) != mostItems || len(d.Items)+d.More.Count != 1000-MostSeparate {
		t.Errorf("after the window the next mail has %d problems and %d more, and waits for %s", len(d.Items), d.More.Count, tray.Wait(now))
	}
}

func TestTrayAfterFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failure *Failure
		total   time.Duration // at least this long until the last attempt
		tries   int
	}{
		"a letter put off":  {deferral, 71 * time.Hour, 16},
		"a refused letter":  {refusal, 24 * time.Hour, 3},
		"a person put off":  {fullPerson, 71 * time.Hour, 16},
		"a refused person":  {noPerson, 24 * time.Hour, 3},
		"breaks the server": {&Failure{Kind: Unreachable}, 71 * time.Hour, 16},
	} {
		tray, now, tries := filled(1), noon, 1
		for {
			after, lost := tray.Failed(next(tray, now), c.failure, now)
			if lost {
				tray = after
				break
			}
			tries++
			wait := after.Wait(now)
			if _, ok := after.Mail(now); wait <= 0 || len(after.Items) != 1 || !after.Any() && !after.Items[0].Any() || ok == !c.failure.Person {
				t.Fatalf("%s, after attempt %d: %+v, which waits for %s", name, tries, after, wait)
			}
			if back := after.Wait(now.Add(-1000 * time.Hour)); back > 24*time.Hour {
				t.Errorf("%s: after a step back of the clock it waits for %s, want at most a day", name, back)
			}
			tray, now = after, now.Add(wait)
		}
		if tries != c.tries || now.Sub(noon) < c.total {
			t.Errorf("%s: %d attempts within %s, want %d in %s", name, tries, now.Sub(noon), c.tries, c.total)
		}
		if !tray.Empty() || tray.Any() || !tray.Next.IsZero() || tray.Sent != 0 || !tray.Since.IsZero() {
			t.Errorf("%s, after the last attempt: %+v", name, tray)
		}
	}
}

// A mail server may put a mail off, and refuse it then. The refusals have a day of their own.
func TestRefusalsCountApart(t *testing.T) {
	t.Parallel()
	for _, person := range []bool{false, true} {
		tray, now := filled(1), noon
		failed := func(kind FailureKind) (Tray, bool) {
			return tray.Failed(next(tray, now), &Failure{Kind: kind, Person: person}, now)
		}
		for i, kind := range []FailureKind{Deferred, Deferred, Refused, Deferred, Refused} {
			after, lost := failed(kind)
			if lost {
				t.Fatalf("the mail is given up after attempt %d", i+1)
			}
			tray, now = after, now.Add(after.Wait(now))
		}
		tries := tray.Items[0].Tries
		if person {
			tries = tray.Tries
		}
		if tries.Deferred != 3 || tries.Refused != 2 {
			t.Errorf("the tray is %+v", tray)
		}
		if _, lost := failed(Refused); !lost {
			t.Error("the mail is not given up after the third refusal")
		}
	}
}

// A letter that failed holds up no other letter of its person.
func TestFailedLetterWaitsAlone(t *testing.T) {
	t.Parallel()
	tray, lost := filled(3).Failed(next(filled(3), noon), refusal, noon)
	if d := next(tray, noon); lost || tray.Wait(noon) != 0 || len(d.Items) != 1 || d.Items[0].Problem != 2 {
		t.Errorf("the next mail is %+v", d)
	}
	for range 2 {
		tray = tray.Done(next(tray, noon), true, noon)
	}
	if wait := tray.Wait(noon); wait != time.Hour || len(tray.Items) != 1 {
		t.Errorf("the refused letter waits for %s in %+v", wait, tray)
	}
	tray = tray.Resumed(noon.Add(-1000 * time.Hour))
	if wait := tray.Wait(noon.Add(-1000 * time.Hour)); wait != time.Hour {
		t.Errorf("in a server with another clock it waits for %s", wait)
	}
}

// A later change of its problem leaves a refused letter alone, and joins one that is put off.
func TestChangesAfterAFailedLetter(t *testing.T) {
	t.Parallel()
	now := noon.Add(time.Second)
	tray, _ := filled(1).Failed(next(filled(1), noon), refusal, noon)
	tray = tray.Put(item(1, 2, 2), now).Put(item(1, 3, 3), now)
	if d := next(tray, now); len(d.Items) != 1 || d.Items[0] != item(1, 2, 3) {
		t.Errorf("beside a refused letter, the next mail is %+v", d)
	}
	tray, _ = filled(1).Put(item(1, 2, 2), noon).Failed(next(filled(1), noon), refusal, noon)
	if d := next(tray, now); len(tray.Items) != 2 || tray.Items[0].Through != 1 || len(d.Items) != 1 || d.Items[0] != item(1, 2, 2) {
		t.Errorf("what came while the mail was under way is in %+v", tray.Items)
	}
	tray = filled(1)
	for tries := 1; tries < len(deferred); tries++ {
		tray, _ = tray.Failed(next(tray, now), deferral, now)
		now = now.Add(tray.Wait(now))
	}
	tray = tray.Put(item(1, 2, 2), now)
	if _, ok := tray.Mail(now); !ok || len(tray.Items) != 1 {
		t.Errorf("a joined letter is %+v", tray.Items)
	}
	full := filled(mostItems)
	full.More = Excess{Count: 1, Tries: Tries{Deferred: len(deferred)}}
	if full = full.Put(item(9999, 1, 1), now); full.More.Deferred != mostJoined {
		t.Errorf("a joined letter that counts is %+v", full.More)
	}
	begun := now
	for lost := false; !lost; now = now.Add(tray.Wait(now)) {
		tray, lost = tray.Failed(next(tray, now), deferral, now)
	}
	if left := now.Sub(begun); left < 60*time.Hour {
		t.Errorf("the change that joined is given up after %s", left)
	}
}

// A failed digest is tried again as a whole, and the letters behind it go out.
func TestDigestThatFails(t *testing.T) {
	t.Parallel()
	now := noon.Add(digestWait)
	tray := filled(MostSeparate + 5)
	tray, _ = tray.Failed(next(tray, now), refusal, now)
	tray = tray.Put(item(99, 1, 1), now)
	if d := next(tray, now); len(d.Items) != 1 || d.Items[0].Problem != 99 {
		t.Errorf("the next mail is %+v", d)
	}
	tray = tray.Done(next(tray, now), true, now)
	if d := next(tray, now.Add(time.Hour)); len(d.Items) != MostSeparate+5 {
		t.Errorf("an hour later the mail is %+v", d)
	}
}

// Only the items at fault wait, when a digest without them would not fail.
func TestItemsThatFailADigest(t *testing.T) {
	t.Parallel()
	tray, now := filled(mostItems+7), noon.Add(digestWait)
	d := next(tray, now)
	tray, lost := tray.Failed(d, &Failure{Kind: Deferred, Items: d.Items[3:5]}, now)
	if d := next(tray, now); lost || tray.Wait(now) != 0 || len(d.Items) != mostItems-2 || d.More.Count != 7 {
		t.Errorf("the next mail has %d items and %d more, after %s", len(d.Items), d.More.Count, tray.Wait(now))
	}
	tray = tray.Done(next(tray, now), true, now)
	if want := []problem.ID{4, 5}; len(tray.Items) != 2 || tray.Items[0].Problem != want[0] || tray.Items[1].Problem != want[1] || tray.Wait(now) != time.Minute {
		t.Errorf("after %s, the items %+v are tried again", tray.Wait(now), tray.Items)
	}
}

// Letters about one problem are no digest, however many were refused.
func TestRefusedLettersAboutOneProblem(t *testing.T) {
	t.Parallel()
	tray := Tray{User: ann}
	for n := range int64(MostSeparate + 5) {
		tray = tray.Put(item(1, n+1, n+1), noon)
		tray, _ = tray.Failed(next(tray, noon), refusal, noon)
	}
	if d := next(tray, noon.Add(time.Hour)); len(d.Items) != 1 || d.Digest() {
		t.Errorf("the next mail is about %d items", len(d.Items))
	}
}

// What came during a mail gathers like the rest of a digest.
func TestDigestBehindAMail(t *testing.T) {
	t.Parallel()
	mail := next(filled(1), noon)
	tray := filled(MostSeparate+2).Done(mail, true, noon.Add(time.Second))
	if d := next(tray, noon); tray.Wait(noon.Add(time.Second)) != digestWait || len(d.Items) != MostSeparate+1 {
		t.Errorf("after %s, the next mail is about %d items", tray.Wait(noon.Add(time.Second)), len(d.Items))
	}
}

// The changes that a failed digest only counts wait for it, and are given up with it: a mail with
// their number alone would come at once. Those that were counted during the last attempt stay.
func TestExcessOfAFailedDigest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failure   *Failure
		meanwhile int // changes during the last attempt
	}{"refused": {refusal, 0}, "put off": {deferral, 0}, "refused, while changes come": {refusal, 2}} {
		tray, now := filled(mostItems+7), noon.Add(digestWait)
		for lost, n := false, 1; !lost; n++ {
			d := next(tray, now)
			if _, again := Pause(n, c.failure == refusal); !again {
				tray.More.Count += c.meanwhile
			}
			tray, lost = tray.Failed(d, c.failure, now)
			if _, ok := tray.Mail(now); !lost && (ok || tray.Wait(now) <= 0 || tray.More.Count != 7) {
				t.Errorf("%s: after attempt %d there is a mail: %t, the tray waits for %s, and it has %d more", name, n, ok, tray.Wait(now), tray.More.Count)
			}
			now = now.Add(tray.Wait(now))
		}
		if len(tray.Items) != 0 || tray.More.Count != c.meanwhile || tray.Empty() != tray.Since.IsZero() {
			t.Errorf("%s: after the last attempt, the tray is %+v", name, tray)
		}
	}
}

// Failed items leave the places of new ones. They have a bound, too.
func TestChangesBehindAFailedDigest(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]*Failure{"refused": refusal, "put off": deferral} {
		tray, now := filled(mostItems+7), noon.Add(digestWait)
		tray, _ = tray.Failed(next(tray, now), failure, now)
		tray = tray.Put(item(5000, 1, 1), now)
		if d := next(tray, now); tray.Wait(now) != 0 || len(d.Items) != 1 || d.Items[0].Problem != 5000 || d.More.Count != 7 {
			t.Errorf("%s: behind it, the next mail is %+v", name, d)
		}
		for i := range 3 * mostItems {
			tray = tray.Put(item(problem.ID(6000+i), 1, 1), now)
		}
		if len(tray.Items) != mostAny || tray.More.Count != 7+1+2*mostItems {
			t.Errorf("%s: the tray has %d items and %d more", name, len(tray.Items), tray.More.Count)
		}
		now = now.Add(digestWait)
		tray, _ = tray.Failed(next(tray, now), failure, now)
		if tray = tray.Put(item(9999, 1, 1), now); len(tray.Items) != mostAny {
			t.Errorf("%s: after the next one, the tray has %d items", name, len(tray.Items))
		}
	}
}

// A letter that only counts is given up like another one, without what came meanwhile.
func TestExcessIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failure *Failure
		tries   int
	}{"a letter put off": {deferral, 16}, "a refused letter": {refusal, 3}, "a person put off": {fullPerson, 16}, "a refused person": {noPerson, 3}} {
		tray, now, tries := Tray{User: ann, Since: noon, More: Excess{Count: 7, Since: noon}}, noon, 1
		for {
			d := next(tray, now)
			if tries == c.tries {
				tray = tray.Put(item(1, 1, 1), now)
				tray.More.Count += 2
			}
			var lost bool
			if tray, lost = tray.Failed(d, c.failure, now); lost {
				break
			}
			tries++
			if wait := tray.Wait(now); wait <= 0 || len(tray.Items) > 0 || tray.Wait(now.Add(-1000*time.Hour)) > 24*time.Hour {
				t.Fatalf("%s, after attempt %d: %+v, which waits for %s", name, tries, tray, wait)
			}
			now = now.Add(tray.Wait(now))
		}
		if want := (Excess{Count: 2, Since: now}); tries != c.tries || len(tray.Items) != 1 || tray.More != want || tray.Any() {
			t.Errorf("%s: after %d attempts: %+v", name, tries, tray)
		}
	}
}

// A letter that only counts waits for its next attempt like an item, and then takes the items along.
func TestExcessWaitsForItsAttempt(t *testing.T) {
	t.Parallel()
	tray := Tray{User: ann, Since: noon, More: Excess{Count: 7, Since: noon}}
	tray, _ = tray.Failed(next(tray, noon), refusal, noon)
	tray = tray.Put(item(1, 1, 1), noon).Put(item(2, 1, 1), noon).Put(item(3, 1, 1), noon)
	if d := next(tray, noon); len(d.Items) != 1 || d.Digest() {
		t.Errorf("beside a letter that waits, the next mail is %+v", d)
	}
	tray = tray.Done(next(tray, noon), true, noon)
	if d := next(tray, noon.Add(time.Hour)); len(d.Items) != 2 || d.More.Count != 7 || d.More.Refused != 1 {
		t.Errorf("an hour later, the next mail is %+v", d)
	}
	before := noon.Add(-1000 * time.Hour)
	if next := tray.Resumed(before).More.Next; !next.Equal(before.Add(time.Hour)) {
		t.Errorf("in a server with another clock, the letter waits until %s", next)
	}
}

// A digest that is sent again after a death has the same identifier. No other digest has it.
func TestIDsOfDigests(t *testing.T) {
	t.Parallel()
	tray, now := Tray{User: ann}, noon
	ids := make(map[string]bool)
	for n := range 4 {
		for i := range mostItems + 1 {
			tray = tray.Put(item(problem.ID(i+1), int64(n+1), int64(n+1)), now)
		}
		for !tray.Empty() {
			now = now.Add(tray.Wait(now))
			d := next(tray, now)
			s, err := ParseState(State{Trays: []Tray{tray}}.Encode())
			if err != nil {
				t.Fatal(err)
			}
			if again := next(s.Trays[0].Resumed(now), now); again.ID() != d.ID() || again.First().From != d.First().From {
				t.Errorf("sent again, %s is %s", d.ID(), again.ID())
			}
			if ids[d.ID()] {
				t.Errorf("two digests are %s", d.ID())
			}
			ids[d.ID()] = true
			if n < 3 && len(d.Items) > 0 { // while it is under way
				tray = tray.Put(item(9999, int64(n+1), int64(n+1)), now)
				if more := next(tray, now); more.ID() == d.ID() {
					t.Errorf("the digest is still %s", d.ID())
				}
			}
			tray = tray.Done(d, true, now)
		}
	}
	if len(ids) != 7 {
		t.Errorf("%d digests, want 7", len(ids))
	}
}

// A mail at which the connection breaks gives way to the others.
func TestBehind(t *testing.T) {
	t.Parallel()
	tray := filled(3)
	tray = tray.Behind(next(tray, noon))
	if want := []Item{item(2, 1, 1), item(3, 1, 1), item(1, 1, 1)}; !slices.Equal(tray.Items, want) {
		t.Errorf("the items are %v", tray.Items)
	}
}

func TestTraysAreForgotten(t *testing.T) {
	t.Parallel()
	sent := filled(1).Done(next(filled(1), noon), true, noon)
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
