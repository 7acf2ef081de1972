package mail

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/problem"
)

func TestStoriesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", mostComment)
	for name, c := range map[string]struct {
		entries []Entry
		kept    int
		left    int
		cut     bool
	}{
		"none":           {nil, 0, 0, false},
		"few":            {make([]Entry, 3), 3, 0, false},
		"many":           {make([]Entry, 200), MostEntries, 200 - MostEntries, false},
		"a long comment": {[]Entry{{Comment: long, HTML: "<p>"}}, 1, 0, true},
		"long comments":  {many(Entry{Comment: long}, 30), mostText / mostComment, 30 - mostText/mostComment, true},
		"long HTML":      {[]Entry{{Comment: "short", HTML: long}}, 1, 0, false},
	} {
		s := Story{Entries: c.entries, Left: 5}.Bound()
		if len(s.Entries) != c.kept || s.Left != c.left+5 {
			t.Errorf("%s: %d entries and %d left, want %d and %d", name, len(s.Entries), s.Left, c.kept, c.left+5)
		}
		for _, e := range s.Entries {
			if e.Cut != c.cut || len(e.Comment) > mostComment || !utf8.ValidString(e.Comment) || e.HTML != "" {
				t.Errorf("%s: an entry is cut: %t, with %d bytes of text and %d of HTML", name, e.Cut, len(e.Comment), len(e.HTML))
			}
		}
	}
	entries := make([]Entry, 60)
	for i := range entries {
		entries[i].Field = string(rune('A' + i))
	}
	if s := (Story{Entries: entries}).Bound(); s.Entries[len(s.Entries)-1].Field != entries[59].Field || s.Entries[0].Field != entries[10].Field {
		t.Error("the newest changes are not those that stay")
	}
}

func many(e Entry, n int) (all []Entry) {
	for range n {
		all = append(all, e)
	}
	return all
}

func TestShownValues(t *testing.T) {
	t.Parallel()
	for value, want := range map[problem.LogValue]string{
		problem.LogText("high"):                       "high",
		problem.LogText(""):                           "",
		problem.LogRef(ann, "Ann"):                    "Ann",
		problem.LogText(strings.Repeat("é", 1000)):    strings.Repeat("é", mostValue/2) + "…",
		problem.LogRef(ann, strings.Repeat("a", 255)): strings.Repeat("a", 255),
	} {
		if got, ok := Shown(value); !ok || got != want {
			t.Errorf("%s is shown as %q, want %q", value, got, want)
		}
	}
	for _, value := range []problem.LogValue{"", problem.LogNoValue, problem.LogLink(7), "{"} {
		if got, ok := Shown(value); ok {
			t.Errorf("%s is shown as %q", value, got)
		}
	}
}
