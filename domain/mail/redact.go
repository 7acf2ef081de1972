package mail

import (
	"strings"

	"github.com/problemtracking/problems/domain/webhook"
)

// form describes the text of one kind of tokens.
type form struct {
	least, most int // characters
	has         func(c byte) bool
	reads       func(k webhook.Key, token string) bool
}

// The forms of the two kinds of tokens: 32 bytes in base64, and 27 to 34 bytes in base32.
var forms = []form{
	{43, 43, func(c byte) bool { return letter(c) || '0' <= c && c <= '9' || c == '_' || c == '-' }, func(k webhook.Key, token string) bool {
		_, ok := ReadToken(k, token)
		return ok
	}},
	{44, 55, func(c byte) bool { return letter(c) || '2' <= c && c <= '7' }, func(k webhook.Key, token string) bool {
		_, _, ok := ReadReplyToken(k, token)
		return ok
	}},
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// mostEscapes is how often a text may have been percent-encoded. A link inside of another link
// is encoded once, and each service that rewrites links encodes it once more.
const mostEscapes = 3

// Redact returns a text without the tokens of mails, of all people and about all problems.
// Otherwise readers of the text could write in the name of these people. Tokens count as well when
// they are percent-encoded, in the source of a mail, or in JSON.
func Redact(k webhook.Key, text string) string {
	for _, f := range forms {
		for escapes := 0; escapes <= mostEscapes && (escapes == 0 || strings.Contains(text, "%")); escapes++ {
			text = f.redact(k, text, escapes, false)
			if strings.Contains(text, "=\n") || strings.Contains(text, "=\r\n") {
				text = f.redact(k, text, escapes, true)
			}
		}
	}
	return text
}

const redacted = "…"

// mostRest is the most characters of an escape that stand in front of a token and could belong to
// it: "u003D" of JSON. The source of a mail has "3D".
const mostRest = 5

// redact returns a text, encoded a number of times, without the tokens of the form. joined is
// true to join the lines of quoted-printable: elsewhere, "=" at the end of a line may end a token.
// It reads each character once, and checks the end of each run of characters of the form.
func (f form) redact(k webhook.Key, text string, escapes int, joined bool) string {
	var out strings.Builder
	kept := 0 // the text before is in out
	run, length, end := make([]byte, 0, f.most+mostRest), 0, 0
	var begins [mostRest + 1]int // of the first characters of the run
	check := func() {
		for rest, begin := range begins {
			if n := length - rest; n >= f.least && n <= f.most && f.reads(k, string(run[rest:])) {
				out.WriteString(text[kept:begin])
				out.WriteString(redacted)
				kept = end
				break
			}
		}
		run, length = run[:0], 0
	}
	for at := 0; at < len(text); {
		if joined && length > 0 {
			if n := softBreak(text[at:]); n > 0 {
				at += n
				continue
			}
		}
		c, width := decoded(text[at:], escapes)
		if !f.has(c) {
			check()
			at += width
			continue
		}
		if length < len(begins) {
			begins[length] = at
		}
		if length < cap(run) {
			run = append(run, c)
		}
		length++
		at += width
		end = at
	}
	check()
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}

// softBreak returns the length of the end of a line that quoted-printable adds to long lines, at
// the begin of a text; 0: there is none.
func softBreak(text string) int {
	for _, end := range []string{"=\n", "=\r\n"} {
		if strings.HasPrefix(text, end) {
			return len(end)
		}
	}
	return 0
}

// decoded returns the first byte of a text that was percent-encoded a number of times, and its
// length in the text. The text is not empty.
func decoded(text string, escapes int) (c byte, width int) {
	c, width = text[0], 1
	if c != '%' || escapes == 0 {
		return c, width
	}
	if c, width = decoded(text, escapes-1); c != '%' {
		return c, width
	}
	value, whole := byte(0), width
	for range 2 {
		if whole == len(text) {
			return c, width
		}
		digit, more := decoded(text[whole:], escapes-1)
		n := strings.IndexByte("0123456789abcdefABCDEF", digit)
		if n < 0 {
			return c, width
		}
		if n > 15 {
			n -= 6
		}
		value, whole = value<<4|byte(n), whole+more
	}
	return value, whole
}
