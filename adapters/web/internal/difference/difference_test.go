package difference

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// written returns a difference as text: [-removed-] and {+added+}.
func written(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString([]string{"", "[-", "{+"}[s.Kind] + s.Text + []string{"", "-]", "+}"}[s.Kind])
	}
	return b.String()
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"", "", ""},
		{"same text", "same text", "same text"},
		{"", "new", "{+new+}"},
		{"old", "", "[-old-]"},
		{"The door is open", "The door is closed", "The door is [-open-]{+closed+}"},
		{"The door", "The front door", "The {+front +}door"},
		{"The front door", "The door", "The [-front -]door"},
		{"one two three", "four five three", "[-one two-]{+four five+} three"},
		{"a, b", "a; b", "a[-,-]{+;+} b"},
		{"version 1.2", "version 1.3", "version 1.[-2-]{+3+}"},
		{"one\ntwo", "one\nthree", "one\n[-two-]{+three+}"},
		{"扉が開く", "扉を開く", "扉[-が-]{+を+}開く"},
		{"cafe\u0301 x", "cafe x", "[-cafe\u0301-]{+cafe+} x"},
		{"\xff a", "\xfe a", "[-\xff-]{+\xfe+} a"},
		{"a b c", "c b a", "[-a-]{+c+} b [-c-]{+a+}"},
	} {
		if got := written(Words(c.before, c.after)); got != c.want {
			t.Errorf("%q and %q differ by %q, want %q", c.before, c.after, got, c.want)
		}
	}
}

// holds judges the promises of Words.
func holds(t testing.TB, before, after string) {
	t.Helper()
	var old, now strings.Builder
	last := Span{Kind: -1}
	for _, s := range Words(before, after) {
		if s.Kind != Added {
			old.WriteString(s.Text)
		}
		if s.Kind != Removed {
			now.WriteString(s.Text)
		}
		if s.Text == "" || s.Kind == last.Kind || s.Kind == Removed && last.Kind == Added {
			t.Fatalf("of %q and %q, %v follows %v", before, after, s, last)
		}
		last = s
	}
	if old.String() != before || now.String() != after {
		t.Fatalf("the difference of %q and %q gives %q and %q", before, after, old.String(), now.String())
	}
	if before == after && len(Words(before, after)) > 1 {
		t.Fatalf("%q differs from itself", before)
	}
}

func TestPromises(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("the seed is %d", seed)
	parts := []string{"a", "b", "door", " ", "  ", "\n", ",", ".", "é", "e\u0301", "扉", "\xff", "\u0301", "1", "_", "\u202e"}
	text := func(most int) string {
		var b strings.Builder
		for range random.IntN(most) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		return b.String()
	}
	for range 3000 {
		before := text(30)
		after := text(30)
		if random.IntN(2) == 0 && len(before) > 0 { // a small change
			at := random.IntN(len(before))
			after = before[:at] + text(4) + before[at:]
		}
		holds(t, before, after)
	}
	for range 5 {
		holds(t, text(10_000), text(10_000))
	}
}

// Huge texts are compared at their beginnings and ends only.
func TestHugeTexts(t *testing.T) {
	t.Parallel()
	before := "begin " + strings.Repeat("a b ", mostWords) + "end"
	after := "begin " + strings.Repeat("c a ", mostWords) + "end"
	if got := Words(before, after); len(got) != 4 || got[0].Text != "begin " || got[3].Text != " end" {
		t.Errorf("the difference has %d spans", len(got))
	}
	holds(t, before, after)
	holds(t, before, before+" x")
	holds(t, strings.Repeat("a b ", mostWords/5), strings.Repeat("c a ", mostWords/5))
}

func FuzzWords(f *testing.F) {
	f.Add("The door is open", "The front door is closed")
	f.Fuzz(func(t *testing.T, before, after string) { holds(t, before, after) })
}

func BenchmarkWords(b *testing.B) {
	before, after := strings.Repeat("The door is open. ", 300), strings.Repeat("The front door is closed. ", 300)
	for b.Loop() {
		Words(before, after)
	}
}
