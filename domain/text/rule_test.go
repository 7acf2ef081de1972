package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestRuleAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		rule     Rule
		in, want string
	}{
		{"plain title", Title, "Login fails", "Login fails"},
		{"title is trimmed", Title, " \t\r\n\v\fa b \u0085", "a b"},
		{"title is trimmed of Unicode's white space", Title, "\u00A0\u1680\u2003\u2028\u2029\u202F\u205F\u3000a\u3000\u2003\u00A0", "a"},
		{"white space inside a title stays", Title, "a\u00A0 \u3000b", "a\u00A0 \u3000b"},
		{"U+200B and U+FEFF are not white space", Title, "\u200Ba\uFEFF", "\u200Ba\uFEFF"},
		{"sign of the Arabic script", Title, "\u0600", "\u0600"},
		{"mark without a letter", Name, "\u0301", "\u0301"},
		{"private use and noncharacters", Name, "\uE000\uFFFE", "\uE000\uFFFE"},
		{"joined emoji", Name, "\U0001F469\u200D\U0001F4BB\uFE0F", "\U0001F469\u200D\U0001F4BB\uFE0F"},
		{"invisible title of an earlier version", Title.Kept(), "\u200B", "\u200B"},
		{"invisible keyword value", KeywordValue, "\u200B", "\u200B"},
		{"title is normalised", Title, "u\u0308ber", "über"},
		{"shortest title", Title, "a", "a"},
		{"longest title", Title, strings.Repeat("a", 1000), strings.Repeat("a", 1000)},
		{"longest title, of emoji", Title, strings.Repeat("🙂", 1000), strings.Repeat("🙂", 1000)},
		{"longest title, once it is trimmed", Title, " " + strings.Repeat("a", 1000) + " ", strings.Repeat("a", 1000)},
		{"longest title, once it is composed", Title, strings.Repeat("e\u0301", 1000), strings.Repeat("é", 1000)},
		{"longest name", Name, strings.Repeat("é", 255), strings.Repeat("é", 255)},
		{"name of dots", Name, "..", ".."},
		{"keyword name of three dots", KeywordName, "...", "..."},
		{"keyword name with a slash", KeywordName, "a/b", "a/b"},
		{"empty keyword value", KeywordValue, "", ""},
		{"keyword value is not trimmed", KeywordValue, " a\t\r\n", " a\t\r\n"},
		{"longest keyword value", KeywordValue, strings.Repeat("é", 32<<10), strings.Repeat("é", 32<<10)},
		{"comment of several lines", Comment, "\ta\r\nb\n", "\ta\r\nb\n"},
		{"long comment", Comment, strings.Repeat("a", 1<<20), strings.Repeat("a", 1<<20)},
		{"zero rule", Rule{}, "", ""},
		{"predicate is not normalised", Predicate, "title = '\\n\u0303'", "title = '\\n\u0303'"},
		{"noncharacters and private use", Comment, "\uFFFE\uE000\U0010FFFF\uFFFD", "\uFFFE\uE000\U0010FFFF\uFFFD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.rule.Apply(c.in)
			if err != nil || got != c.want {
				t.Errorf("Apply(%+.80q) = %+.80q, %v; want %+.80q", c.in, got, err, c.want)
			}
		})
	}
}

// No text that must not be empty is made of characters that nobody sees.
func TestInvisibleText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"\u00AD", "\u034F", "\u061C", "\u115F\u1160", "\u17B4\u17B5", "\u180B\u180E\u180F", "\u200B", "\u200C\u200D", "\u200E\u200F", "\u202A\u202E",
		"\u2060\u2061\u2064", "\u2065", "\u2066\u2069", "\u206A\u206F", "\u2800", "\u3164", "\uFE00\uFE0F", "\uFEFF", "\uFFA0", "\uFFF0\uFFF8", "\uFFF9\uFFFA\uFFFB",
		"\U00013430\U00013441", "\U00016FE4", "\U0001BCA0", "\U0001D159", "\U0001D173", "\U000E0001\U000E0020\U000E007F", "\U000E0100", "\U000E0FFF",
		"\u200B \u200B", "\u2800\u3000\u2800",
	} {
		for _, rule := range []Rule{Title, Name, KeywordName, Comment, {Min: 1, AsSent: true}} {
			if got, err := rule.Apply(s); err == nil || err.Error() != "must have a character that people can see" || got != "" {
				t.Errorf("%+v: Apply(%+q) = %+q, %v", rule, s, got, err)
			}
			if got, err := rule.Apply(s + "a"); err != nil || got != s+"a" {
				t.Errorf("%+v: Apply(%+q) = %+q, %v", rule, s+"a", got, err)
			}
		}
	}
	if _, err := Comment.Apply(" \t\r\n"); err == nil {
		t.Error("a comment of white space is accepted")
	}
}

func TestRuleRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		rule     Rule
		in, want string
	}{
		{"empty title", Title, "", "must not be empty"},
		{"title of white space", Title, " \u3000\t", "must not be empty"},
		{"long title", Title, strings.Repeat("a", 1001), "must have 1 to 1000 characters, not 1001"},
		{"long title, of emoji", Title, strings.Repeat("🙂", 1001), "must have 1 to 1000 characters, not 1001"},
		{"long title, once it is decomposed", Title, strings.Repeat("\u0958", 501), "must have 1 to 1000 characters, not 1002"},
		{"long name", Name, strings.Repeat("é", 256), "must have 1 to 255 characters, not 256"},
		{"long keyword name", KeywordName, strings.Repeat("a", 256), "must have 1 to 255 characters, not 256"},
		{"keyword name .", KeywordName, ".", `must not be "." or ".."`},
		{"keyword name .., once it is trimmed", KeywordName, " .. ", `must not be "." or ".."`},
		{"long keyword value", KeywordValue, strings.Repeat("a", 65537), "must have at most 65536 bytes in UTF-8, not 65537"},
		{"long keyword value, once it is decomposed", KeywordValue, strings.Repeat("\u0958", 20000), "must have at most 65536 bytes in UTF-8, not 120000"},
		{"empty comment", Comment, "", "must not be empty"},
		{"too short", Rule{Min: 2}, "a", "must have at least 2 characters, not 1"},
		{"too long", Rule{Max: 2}, "abc", "must have at most 2 characters, not 3"},

		{"tab in a title", Title, "a\tb", "must not contain control characters (U+0009 at character 2)"},
		{"line feed in a name", Name, "a\nb", "must not contain control characters (U+000A at character 2)"},
		{"C0 in a title", Title, "title with\u0007bell", "must not contain control characters (U+0007 at character 11)"},
		{"DEL in a title, after emoji", Title, "🙂🙂\u007F", "must not contain control characters (U+007F at character 3)"},
		{"C1 in a title", Title, "a\u0085b", "must not contain control characters (U+0085 at character 2)"},
		{"C0 at the start of a title", Title, "\u001Fa", "must not contain control characters (U+001F at character 1)"},
		{"character counted as it was sent", Title, "e\u0301\u0001", "must not contain control characters (U+0001 at character 3)"},
		{"vertical tab in a comment", Comment, "a\vb", "must not contain control characters other than tab, CR and LF (U+000B at character 2)"},
		{"C1 in a keyword value", KeywordValue, "\u009F", "must not contain control characters other than tab, CR and LF (U+009F at character 1)"},
		{"U+0000 in a title", Title, "a\x00", "must not contain U+0000"},
		{"U+0000 in a comment", Comment, "\x00", "must not contain U+0000"},
		{"U+0000 with the zero rule", Rule{}, "\x00", "must not contain U+0000"},

		{"invalid byte", Title, "a\xFF", "must be valid UTF-8"},
		{"cut character", Comment, "\xE2\x82", "must be valid UTF-8"},
		{"overlong form", Comment, "\xC0\x80", "must be valid UTF-8"},
		{"surrogate", KeywordValue, "\xED\xA0\x80", "must be valid UTF-8"},
		{"beyond U+10FFFF", KeywordValue, "\xF4\x90\x80\x80", "must be valid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := c.rule.Apply(c.in)
			if err == nil || err.Error() != c.want || got != "" {
				t.Errorf("Apply(%+.80q) = %+.80q, %v; want the error %q", c.in, got, err, c.want)
			}
		})
	}
}

// FuzzRule checks that accepted text has the form of D9. Applying the rule again
// changes nothing, so stored text can be sent back.
func FuzzRule(f *testing.F) {
	for _, s := range []string{"", " a ", "u\u0308\t", "\u2001\u0344", "..", "a\x00", "\xFF", "\u0085\uFEFF"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, rule := range []Rule{Title, Name, KeywordName, KeywordValue, Comment, Predicate, {}} {
			got, err := rule.Apply(s)
			if err != nil {
				continue
			}
			if again, err := rule.Apply(got); err != nil || again != got {
				t.Errorf("%+v: Apply(%+q) = %+q, and again: %+q, %v", rule, s, got, again, err)
			}
			if !utf8.ValidString(got) || rule.AsSent && got != s || !rule.AsSent && NFC(got) != got {
				t.Errorf("%+v: Apply(%+q) = %+q, which is in the wrong form", rule, s, got)
			}
			if rule.Min > 0 && !Visible(got) {
				t.Errorf("%+v: Apply(%+q) = %+q, which nobody sees", rule, s, got)
			}
			if n := utf8.RuneCountInString(got); n < rule.Min || rule.Max > 0 && n > rule.Max || rule.MaxBytes > 0 && len(got) > rule.MaxBytes {
				t.Errorf("%+v: Apply(%+q) = %+q, which is of the wrong length", rule, s, got)
			}
			if rule.Line && strings.TrimFunc(got, func(r rune) bool { return unicode.Is(unicode.White_Space, r) }) != got {
				t.Errorf("%+v: Apply(%+q) = %+q, which is not trimmed", rule, s, got)
			}
			for _, r := range got {
				if unicode.Is(unicode.Cc, r) && (rule.Line || !strings.ContainsRune("\t\r\n", r)) {
					t.Errorf("%+v: Apply(%+q) = %+q, with the control character %U", rule, s, got, r)
				}
			}
		}
	})
}
