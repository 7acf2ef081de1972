package mail

import (
	"html"
	"iter"
	"strings"
)

// view is a text without some of its encodings, byte by byte.
type view struct {
	text string
	from []part // where each byte stands in the text that was sent; nil: at its own place
}

func (v view) at(i int) part {
	if v.from == nil {
		return part{i, i + 1}
	}
	return v.from[i]
}

// encoding undoes one encoding at the begin of a text. It returns what stands there, and how many
// bytes that takes; 0: no escape begins there.
type encoding func(text string) (decoded string, width int)

// mostEscapes is how often a text may have been percent-encoded. A link inside of another link
// is encoded once, and each service that rewrites links encodes it once more.
const mostEscapes = 3

// views returns a text as it is, and without each of its encodings: as the source of a mail, in
// base64 or quoted-printable, of HTML, of JSON, with percent-encoded links. A character in front
// of a token can look like the begin of an escape, so each view without an encoding counts, too.
func views(text string) iter.Seq[view] {
	return func(yield func(view) bool) {
		sent := view{text: text}
		all := []view{sent}
		for _, e := range []encoding{quotedPrintable, entity, escape} {
			for _, v := range all {
				if w, ok := v.without(e); ok {
					all = append(all, w)
				}
			}
		}
		for skip := range 4 { // the base64 may begin behind other letters
			if v, ok := sent.fromBase64(skip); ok {
				all = append(all, v)
			}
		}
		for _, v := range all {
			for n, ok := 0, true; ok && n <= mostEscapes; n++ {
				if !yield(v) {
					return
				}
				v, ok = v.without(percent)
			}
		}
	}
}

// without undoes an encoding. ok is false when the text has none of its escapes.
func (v view) without(e encoding) (w view, ok bool) {
	var out []byte
	for i := 0; i < len(v.text); {
		decoded, width := e(v.text[i:])
		switch {
		case width == 0 && !ok:
			i++
			continue
		case width == 0:
			decoded, width = v.text[i:i+1], 1
		case !ok:
			ok, out = true, append(out, v.text[:i]...)
			for j := range i {
				w.from = append(w.from, v.at(j))
			}
		}
		out = append(out, decoded...)
		for range len(decoded) {
			w.from = append(w.from, part{v.at(i).begin, v.at(i + width - 1).end})
		}
		i += width
	}
	w.text = string(out)
	return w, ok
}

// hexadecimal returns the byte that the first n digits of a text stand for.
func hexadecimal(text string, n int) (value rune, ok bool) {
	if len(text) < n {
		return 0, false
	}
	for _, c := range []byte(text[:n]) {
		digit := strings.IndexByte("0123456789abcdefABCDEF", c)
		if digit < 0 {
			return 0, false
		}
		if digit > 15 {
			digit -= 6
		}
		value = value<<4 | rune(digit)
	}
	return value, true
}

func percent(text string) (string, int) {
	if text[0] != '%' {
		return "", 0
	}
	if value, ok := hexadecimal(text[1:], 2); ok {
		return string([]byte{byte(value)}), 3
	}
	return "", 0
}

// quotedPrintable undoes an escape of RFC 2045, and joins the lines of a long one.
func quotedPrintable(text string) (string, int) {
	if text[0] != '=' {
		return "", 0
	}
	for _, end := range []string{"=\n", "=\r\n"} {
		if strings.HasPrefix(text, end) {
			return "", len(end)
		}
	}
	if value, ok := hexadecimal(text[1:], 2); ok {
		return string([]byte{byte(value)}), 3
	}
	return "", 0
}

// escape undoes an escape of JSON and of programming languages.
func escape(text string) (string, int) {
	if text[0] != '\\' && text[0] != '%' || len(text) < 2 {
		return "", 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if value, ok := hexadecimal(text[2:], digits); ok && digits > 0 {
		return string(value), 2 + digits
	}
	if text[0] == '\\' && strings.IndexByte("nrtbfv", text[1]) >= 0 {
		return " ", 2
	}
	return "", 0
}

// mostTag is the most bytes of a tag within a token, and mostEntity those of a character reference.
const (
	mostTag    = 1000
	mostEntity = 40
)

// entity undoes a character reference of HTML, escaped any number of times, and leaves out tags.
func entity(text string) (string, int) {
	switch {
	case text[0] == '<' && len(text) > 1 && (letter(text[1]) || text[1] == '/' || text[1] == '!'):
		if end := strings.IndexByte(text[:min(len(text), mostTag)], '>'); end > 0 {
			return "", end + 1
		}
	case text[0] == '&':
		text = text[:min(len(text), mostEntity)]
		rest := strings.TrimPrefix(text, "&")
		for strings.HasPrefix(rest, "amp;") {
			rest = rest[len("amp;"):]
		}
		end := strings.IndexByte(rest, ';')
		if end < 0 {
			return "", 0
		}
		reference := "&" + rest[:end+1]
		if decoded := html.UnescapeString(reference); decoded != reference {
			return decoded, len(text) - len(rest) + end + 1
		}
	}
	return "", 0
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// fewestBase64 is the length of the shortest token in base64.
const fewestBase64 = 58

// fromBase64 decodes the text as if all of it were base64, without a number of characters. What is
// none has no place in between: programs break the lines, and quote them.
func (v view) fromBase64(skip int) (w view, ok bool) {
	var out []byte
	bits, n, begin := uint32(0), 0, 0
	for i := range len(v.text) {
		c := v.text[i]
		value := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", c)
		if i := strings.IndexByte("-_", c); i >= 0 { // of URLs
			value = 62 + i
		}
		if value < 0 {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if n%4 == 0 {
			begin = i
		}
		bits = bits<<6 | uint32(value)
		if n++; n%4 == 0 {
			out = append(out, byte(bits>>16), byte(bits>>8), byte(bits))
			for range 3 {
				w.from = append(w.from, part{begin, i + 1})
			}
		}
	}
	w.text = string(out)
	return w, n >= fewestBase64
}
