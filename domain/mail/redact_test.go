package mail

import (
	"encoding/base64"
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

var people = []user.User{{ID: ann}, {ID: bob}}

func TestRedact(t *testing.T) {
	t.Parallel()
	key, other := webhook.NewKey([32]byte{1}), webhook.NewKey([32]byte{2})
	for _, token := range []string{
		NewReplyToken(key, ann, 7), NewReplyToken(key, bob, problem.MaxID), strings.ToUpper(NewReplyToken(key, bob, 256)), NewToken(key, ann), NewToken(key, bob),
	} {
		for _, around := range [][2]string{{"", ""}, {"Write to reply+", "@example.org."}, {"(https://example.org/unsubscribe?token=", "&x)"}, {"\n> ", "\n"}} {
			if got, want := Redact(key, people, around[0]+token+around[1]), around[0]+"…"+around[1]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	for _, token := range []string{NewReplyToken(key, ann, 7), NewToken(key, bob)} { // "=" ends a token, or a line of quoted-printable
		for text, want := range map[string]string{token + "=\nHello": "…=\nHello", "unsubscribe=\n" + token: "unsubscribe=\n…", token[:20] + "=\r\n" + token[20:] + "\n": "…\n"} {
			if got := Redact(key, people, text); got != want {
				t.Errorf("%q became %q, want %q", text, got, want)
			}
		}
	}
	for _, text := range []string{"", "a", strings.Repeat("a", 50), strings.Repeat("a", 1000), NewReplyToken(other, ann, 7), NewToken(other, ann)} {
		if got := Redact(key, people, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Tokens are found as well if some of their characters, and those around them, were
// percent-encoded, some of them several times. Nothing else changes.
func TestRedactFindsEncodedTokens(t *testing.T) {
	t.Parallel()
	key := webhook.NewKey([32]byte{1})
	reply, ending := NewReplyToken(key, ann, 7), NewToken(key, bob)
	for text, want := range map[string]string{
		"reply%2B" + reply + "%40example.org":                                           "reply%2B…%40example.org",
		"?url=https%3A%2F%2Fexample.org%2Funsubscribe%3Ftoken%3D" + ending + "%26x%3D1": "?url=https%3A%2F%2Fexample.org%2Funsubscribe%3Ftoken%3D…%26x%3D1",
		"%252Funsubscribe%253Ftoken%253D" + ending + "%2526x":                           "%252Funsubscribe%253Ftoken%253D…%2526x",
		"%2f" + escaped(ending, 1) + "%2F":                                              "%2f…%2F",
		escaped(strings.ToUpper(reply), mostEscapes):                                    "…",
		"100%" + reply + "%":                                                            "100%…%",
		"%3D" + ending + "%3D" + reply + "%" + ending + "%5":                            "%3D…%3D…%…%5",
	} {
		if got := Redact(key, people, text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	around := []string{"", "a", "%", "%2", "%zz", "%25", "%2525", "%E4%F6", "ä", "100 %", "+", "%2B", "%252B", "=", "%3D", "&", "%26", "/", "%2F", "\n", "@", "%40", "%41", "token", strings.Repeat("%41", 60), strings.Repeat("a", 50)}
	limits := []string{" ", "+", "%2B", "=", "%3D", "%253d", "%25252F", "/", "@", "%40", "\n", "ü", "%C3%BC"}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		var text, want strings.Builder
		both := func(of []string) {
			s := of[r.IntN(len(of))]
			text.WriteString(s)
			want.WriteString(s)
		}
		for range r.IntN(5) {
			both(around)
			both(limits)
			if r.IntN(2) == 0 {
				text.WriteString(mixed(r, []string{reply, strings.ToUpper(reply), ending, NewReplyToken(key, bob, problem.ID(r.Uint64()>>(1+r.IntN(60))))}[r.IntN(4)]))
				want.WriteString("…")
				both(limits)
			}
			both(around)
		}
		if got := Redact(key, people, text.String()); got != want.String() {
			t.Fatalf("seed %d: %q became %q, want %q", seed, text.String(), got, want.String())
		}
	}
}

// The source of a mail, and JSON, have a part of an escape in front of a token, and lines that
// end within one.
func TestRedactFindsTokensInSources(t *testing.T) {
	t.Parallel()
	key := webhook.NewKey([32]byte{1})
	ending := NewToken(key, bob)
	replies := []string{NewReplyToken(key, ann, 7), NewReplyToken(key, bob, problem.MaxID), strings.ToUpper(NewReplyToken(key, ann, 1<<20))}
	for _, before := range []string{"=2B", "=2b", "=3D", `\u002b`, `\u002B`, `\u003d`, `\x2B`, `\x3d`, `\053`, "%u003D", "%3D2B", "%253D3D"} {
		for _, token := range append(replies, ending) {
			for _, behind := range []string{"", "@", "=40example.org", `\u0040example.org`, "&x", "=26x", "\n"} {
				if got, want := Redact(key, people, "a"+before+token+behind), "a"+before+"…"+behind; got != want {
					t.Errorf("%q, want %q", got, want)
				}
				for _, line := range []string{"=\n", "=\r\n"} {
					for _, at := range []int{1, 20, len(token) - 1} {
						if got, want := Redact(key, people, "a"+before+token[:at]+line+token[at:]+behind), "a"+before+"…"+behind; got != want {
							t.Errorf("broken behind %d characters: %q, want %q", at, got, want)
						}
					}
				}
			}
		}
	}
	for _, text := range []string{"=\n=\n", "a=\nb", "=2B" + strings.Repeat("a", 44), "=3D" + ending[1:], "=\r\n" + strings.Repeat("b=\r\n", 50)} {
		if got := Redact(key, people, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Programs change tokens on their way. What stands between their characters and around them does
// not hide them.
func TestRedactFindsChangedTokens(t *testing.T) {
	t.Parallel()
	key := webhook.NewKey([32]byte{1})
	for _, token := range []string{NewReplyToken(key, ann, 7), NewToken(key, bob), strings.ToUpper(NewReplyToken(key, bob, problem.MaxID))} {
		for _, between := range []string{
			"\n", "\r\n", " ", "\t", "\n> ", "\n>> > ", "\r\n| ", " \n    ", "\u200b", "\u00ad", "\u2060", "\ufeff", "\u200d\u200c", "\u061c", "\u3164", "\u00a0\n\u00a0",
			"\u034f", "\U000e0020", "\ufe0f", ".", "*", "\\", "**", "`", "\u200b\n> \u200b", "=\n", "=\r\n", "=\n> ", "=C2=AD", "=E2=80=8B", "%E2%80%8B", "%C2%AD", "%0D%0A", "%250A",
			"&shy;", "&#8203;", "&#x200B;", "&#173;", "&zwnj;", "&amp;shy;", "&amp;amp;#8203;", "&ZeroWidthSpace;", "<wbr>", "<br>\n", "</span><span style=\"color:red\">", "<!-- a -->",
			`\u200b`, `\n`, `\r\\n`, `\x0a`, `\ufeff`, "\u200b=\n> ", "&#8203;=\n",
		} {
			for _, around := range [][2]string{{"", ""}, {"reply+", "@example.org"}, {"abc", "xyz"}, {"äöü", "äöü"}, {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "2222222222222222222222222"}, {"token=3D", "&"}} {
				for _, broken := range []string{token[:1] + between + token[1:], token[:21] + between + token[21:], strings.Join(strings.Split(token, ""), between)} {
					if got, want := Redact(key, people, around[0]+broken+around[1]), around[0]+"…"+around[1]; got != want {
						t.Errorf("%q became %q, want %q", around[0]+broken+around[1], got, want)
					}
				}
			}
		}
		references, numbers, script := "", "", ""
		for _, c := range token {
			references += fmt.Sprintf("&#%d;", c)
			numbers += fmt.Sprintf("=%02X", c)
			script += fmt.Sprintf(`\u%04x`, c)
		}
		for name, text := range map[string]string{
			"references": references, "references twice": html.EscapeString(references), "quoted-printable": numbers, "JSON": script,
			"percent": escaped(token, 2), "references in quoted-printable": strings.ReplaceAll(references, "&", "=26"), "long lines": strings.Repeat("a", window-20) + token,
		} {
			if got := Redact(key, people, text); got != "…" && got != strings.Repeat("a", window-20)+"…" {
				t.Errorf("%s: %.100q became %.100q", name, text, got)
			}
		}
		for n := range 8 {
			link := strings.Repeat("a", n) + "<https://example.org/unsubscribe?token=" + token + ">, and more"
			encoded := base64.StdEncoding.EncodeToString([]byte(link))
			var lines strings.Builder
			for len(encoded) > 40 {
				lines.WriteString("> " + encoded[:40] + "\r\n")
				encoded = encoded[40:]
			}
			text := "see:\n" + lines.String() + encoded
			got := Redact(key, people, text)
			if strings.Count(got, "…") != 1 || !strings.HasPrefix(got, "see:\n> ") || len(got) > len(text)-len(token) {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
	if text := NewToken(key, ann); Redact(key, people[1:], text) != text {
		t.Error("a token of nobody is redacted")
	}
}

// A text without a token of this service stays, whatever it looks like.
func FuzzRedact(f *testing.F) {
	key, other := webhook.NewKey([32]byte{1}), webhook.NewKey([32]byte{2})
	for _, text := range []string{"", "%", "%%%", "%2", "%25", "%2541%5F", NewToken(other, ann), escaped(NewReplyToken(other, ann, 7), 2), strings.Repeat("%25", 100), strings.Repeat("%41", 100)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := Redact(key, people, text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// mixed returns a text with some characters percent-encoded, some of them several times.
func mixed(r *rand.Rand, text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if times := r.IntN(8); times <= mostEscapes {
			b.WriteString(escaped(string(c), times))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escaped returns a text with all characters percent-encoded, a number of times.
func escaped(text string, times int) string {
	for i := range times {
		var b strings.Builder
		for _, c := range []byte(text) {
			switch {
			case i > 0 && c != '%':
				b.WriteByte(c)
			case c%2 == 0:
				fmt.Fprintf(&b, "%%%02x", c)
			default:
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		text = b.String()
	}
	return text
}
