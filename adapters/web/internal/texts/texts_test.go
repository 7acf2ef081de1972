package texts

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/web/internal/keys"
	"github.com/problemtracking/problems/domain/predicate"
)

// All languages have the same texts, with the same placeholders.
func TestLanguagesAgree(t *testing.T) {
	t.Parallel()
	placeholder := regexp.MustCompile(`%[a-z]`)
	for _, l := range Languages()[1:] {
		if got, want := l.Keys(), english.Keys(); !slices.Equal(got, want) {
			for _, key := range want {
				if !l.Has(key) {
					t.Errorf("%s lacks %q", l.Tag, key)
				}
			}
			for _, key := range got {
				if !english.Has(key) {
					t.Errorf("%s alone has %q", l.Tag, key)
				}
			}
		}
		for key, text := range l.texts {
			if got, want := placeholder.FindAllString(text, -1), placeholder.FindAllString(english.texts[key], -1); !slices.Equal(got, want) {
				t.Errorf("%s: %q has the placeholders %q, want %q", l.Tag, key, got, want)
			}
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %q is empty", l.Tag, key)
			}
		}
	}
}

// Every failure of the service has a title and a sentence, every fault of a predicate a sentence, and
// every key of the keyboard its help.
func TestFailuresHaveTexts(t *testing.T) {
	t.Parallel()
	for _, kind := range []predicate.ErrorKind{
		predicate.InvalidSyntax, predicate.Unsupported, predicate.UnknownKey, predicate.UnknownFunction, predicate.UnboundVariable,
		predicate.TypeMismatch, predicate.InvalidPattern, predicate.LimitExceeded, predicate.TooExpensive,
	} {
		if !english.Has("predicate." + string(kind)) {
			t.Errorf("there is no text for the fault %s", kind)
		}
	}
	for _, k := range keys.Table {
		if !english.Has("key." + k.Name) {
			t.Errorf("there is no text for the key %s", k.Name)
		}
	}
	for _, f := range httpframe.Failures() {
		if !english.Has("failure."+string(f.Kind)) || !english.Has("failure.help."+string(f.Kind)) {
			t.Errorf("there is no text for the failure %s", f.Kind)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{"": "en", "de": "de", "de-AT,en;q=0.5": "de", "fr,de;q=0.3": "de", "fr": "en", "en-GB": "en", "*": "en", ";;": "en", strings.Repeat("x,", 1000): "en"} {
		if got := Choose(header).Tag; got != want {
			t.Errorf("%.40q chooses %s, want %s", header, got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		before time.Duration
		want   string
	}{
		{-time.Second, ""}, {0, "just now"}, {59 * time.Second, "just now"}, {time.Minute, "1 minute ago"}, {59 * time.Minute, "59 minutes ago"},
		{time.Hour, "1 hour ago"}, {23 * time.Hour, "23 hours ago"}, {24 * time.Hour, "yesterday"}, {6 * 24 * time.Hour, "6 days ago"}, {7 * 24 * time.Hour, ""},
	} {
		if got := english.Ago(now, now.Add(-c.before)); got != c.want {
			t.Errorf("%v before is %q, want %q", c.before, got, c.want)
		}
	}
	if got := german.Moment(now); got != "14. März 2026, 09:30 UTC" {
		t.Errorf("the moment is %q", got)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "−1,234,567"} {
		if got := english.Number(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

// Counts in a text have their digits in groups. A number of a problem, which has a type of
// its own, has none.
func TestSayNumbers(t *testing.T) {
	t.Parallel()
	type id int64
	for _, c := range []struct {
		language *Language
		key      string
		args     []any
		want     string
	}{
		{&english, "ago.days", []any{1}, "yesterday"}, {&english, "bulk.confirm", []any{1234}, "Change 1,234 problems"}, {&german, "past.heading", []any{int64(1), int64(12345)}, "Revision 1 von " + german.Number(12345)},
		{&english, "graph.of", []any{id(1234)}, "Relationships around problem 1234"},
	} {
		if got := c.language.Say(c.key, c.args...); got != c.want {
			t.Errorf("%s is %q, want %q", c.key, got, c.want)
		}
	}
}
