package querygen

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/relationship"
)

// Hostile returns difficult texts: databases often compare, escape or store them wrongly.
func Hostile() []string {
	return []string{
		"", " ", "a", "A", "\u00e4", "a\u0308", "\u00c4", "i", "I", "\u0130", "\u0131", "k", "\u212a", "ss", "\u00df", "\u1e9e",
		"\u03c3", "\u03c2", "\u03a3", "e\u0301\u0323", "e\u0323\u0301", "\uac00", "\u1100\u1161", "\ufb01", "%", "_", "100%", "a_b", "*", "?", "[a-z]", "]", "^",
		"\\", "\\\\", "\\*", "'", "''", "\"", "`", "; DROP TABLE problems; --", "$1", "?1", ":a", "{}", "null", "NULL", "nil", "0", "1", "-1", "1e3",
		"true", "2026-03-01T09:30:00Z", "one\ntwo", "one\r\ntwo", "\ttab", "\u2028", "\u00a0", "\u200d", "\ufeff", "\U0001f600", "\U0010ffff",
	}
}

// value draws an object's value of the key. It returns nil if no object has one.
func (g *Generator) value(key *predicate.Key) predicate.Value {
	values := g.values[key]
	if len(values) == 0 {
		return nil
	}
	return values[g.IntN(len(values))]
}

// compared draws an operator and the other operand.
func (g *Generator) compared(sc scope, f found) string {
	switch f.t.Kind {
	case predicate.String:
		return g.comparedText(f)
	case predicate.Bool, predicate.UUID:
		return g.word(" = ", " == ", " != ") + g.literal(f)
	}
	if g.oneIn(6) {
		return fmt.Sprintf(" BETWEEN {%s, %s}", g.literal(f), g.literal(f))
	}
	return g.order() + g.literal(f)
}

// comparedText draws an operator on strings, and a literal.
func (g *Generator) comparedText(f found) string {
	switch g.IntN(12) {
	case 0:
		return " LIKE" + g.modifier() + " " + g.quoted(g.pattern(g.text(f.key)))
	case 1:
		if g.patterns < 6 {
			g.patterns++
			return " MATCHES" + g.word("", "[c]") + " " + g.quoted(g.expression(g.text(f.key)))
		}
	case 2, 3:
		return g.word(" =", " !=", " ==", " <>") + g.modifier() + " " + g.quoted(g.text(f.key))
	case 4:
		return g.word(" <", " >", " <=", " >=") + g.modifier() + " " + g.quoted(g.text(f.key))
	case 5:
		return g.word(" IN", " in") + g.modifier() + " " + g.quoted("x"+g.text(f.key)+"x")
	case 6:
		return " =" + g.modifier() + " " + g.nothing()
	}
	return g.word(" CONTAINS", " BEGINSWITH", " ENDSWITH", " contains") + g.modifier() + " " + g.quoted(g.piece(g.text(f.key)))
}

// modifier draws a modifier of a comparison.
func (g *Generator) modifier() string { return g.word("", "", "[c]", "[cd]", "[d]", "[dc]", "[CD]") }

// text draws a string, mostly one of some object.
func (g *Generator) text(key *predicate.Key) string {
	s, _ := g.value(key).(string)
	if s == "" || g.oneIn(5) {
		hostile := Hostile()
		s = hostile[g.IntN(len(hostile))]
	}
	switch g.IntN(8) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return strings.ToLower(s)
	}
	return s
}

// piece draws a part of a string.
func (g *Generator) piece(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	from := g.IntN(len(r))
	switch g.IntN(3) {
	case 0:
		return string(r[:from])
	case 1:
		return string(r[from:])
	}
	return string(r[from : from+1])
}

// pattern draws a LIKE pattern for the string, or for a similar one.
func (g *Generator) pattern(s string) string {
	var b strings.Builder
	runs := 0
	for _, r := range s {
		switch {
		case g.oneIn(5):
			b.WriteByte('?')
		case runs < 8 && g.oneIn(5):
			runs++
			b.WriteByte('*')
		case strings.ContainsRune(`*?\`, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + g.word("", "*", "*", "?")
}

// expression draws a regular expression for the string, or for a similar one.
func (g *Generator) expression(s string) string {
	if utf8.RuneCountInString(s) > 40 {
		s = string([]rune(s)[:40])
	}
	r := []rune(s)
	if len(r) == 0 {
		return g.word(".*", "", "a?")
	}
	at := g.IntN(len(r))
	head, tail := regexp.QuoteMeta(string(r[:at])), regexp.QuoteMeta(string(r[at+1:]))
	return g.word("", "(?s).*") + head + g.word(".", ".*", "(a|.)", "[[:alpha:]]") + tail + g.word("", ".*")
}

// literal draws a constant expression of the kind. Some numbers and dates differ a little
// from stored values.
func (g *Generator) literal(f found) string {
	v := g.value(f.key)
	switch f.t.Kind {
	case predicate.Bool:
		return g.word("YES", "NO", "TRUE", "false", "1", "0")
	case predicate.Int:
		return g.number(f, v)
	case predicate.Float:
		return fmt.Sprintf("%d.5", g.IntN(5))
	case predicate.UUID:
		id, ok := v.(ident.ID)
		if !ok || g.oneIn(8) {
			return "$ApiUser"
		}
		return g.quoted(g.word(id.String(), strings.ToUpper(id.String())))
	case predicate.Date:
		at, ok := v.(time.Time)
		if !ok || g.oneIn(4) {
			return fmt.Sprintf("FUNCTION(NOW(), 'dateByAdding%s:', %d)", g.word("Days", "Hours", "Months", "Years"), g.IntN(40)-30)
		}
		return g.date(at)
	default:
		return g.quoted(g.text(f.key))
	}
}

func (g *Generator) number(f found, v predicate.Value) string {
	n, ok := v.(int64)
	if !ok {
		n = int64(g.IntN(10))
	}
	types := relationship.Types()
	if f.key.Of == predicate.Relationship && f.key.Name == "type" && !f.computed && g.oneIn(2) {
		return "'" + string(types[g.IntN(len(types))]) + "'"
	}
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%d.5", n&1023)
	case 1:
		return fmt.Sprintf("-%d", n&1023)
	case 2:
		return fmt.Sprint(n&1023 + 1)
	case 3:
		return g.word("0", "9223372036854775807", "1e300", "0.0", "4.0", "-1e300")
	}
	return fmt.Sprint(max(n, 0))
}

func (g *Generator) date(at time.Time) string {
	switch g.IntN(3) {
	case 0:
		if off := at.Add(time.Duration(g.IntN(3)-1) * time.Millisecond); off.Year() >= 1 && off.Year() <= 9999 {
			at = off
		}
	case 1:
		return fmt.Sprintf("CAST(%d, 'NSDate')", max(at.Unix()-time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), 0))
	}
	return fmt.Sprintf("CAST('%s', 'NSDate')", at.Format(g.word("2006-01-02T15:04:05.000Z", "2006-01-02T15:04:05.000", "2006-01-02")))
}

// quoted returns a string literal.
func (g *Generator) quoted(s string) string {
	quote := '\''
	if g.oneIn(2) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n' && g.oneIn(2):
			b.WriteString(`\n`)
		case r < 0x10000 && g.oneIn(12) && !(0xd800 <= r && r < 0xe000):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// computed draws the comparison of a function of a value.
func (g *Generator) computed(sc scope) string {
	switch g.IntN(5) {
	case 0:
		f := g.path(sc, oneOf(predicate.Int))
		return fmt.Sprintf("FUNCTION(%s, 'modulus:by:', %d) = %d", f.text, g.IntN(3), g.IntN(3))
	case 1:
		f := g.path(sc, oneOf(predicate.Int))
		f.computed = true
		return fmt.Sprintf("%s %s %d %s %s", f.text, g.word("+", "-", "*", "/", "**"), g.IntN(4), strings.TrimSpace(g.order()), g.literal(f))
	case 2:
		f := g.path(sc, oneOf(predicate.String))
		return fmt.Sprintf("%s(%s)%s%d", g.word("length", "length"), f.text, g.order(), g.IntN(12))
	case 3:
		f := g.path(sc, oneOf(predicate.String))
		return fmt.Sprintf("%s(%s) CONTAINS %s", g.word("lowercase", "uppercase"), f.text, g.quoted(g.piece(g.text(f.key))))
	default:
		f := g.path(sc, oneOf(predicate.Date))
		return fmt.Sprintf("FUNCTION(%s, 'dateByAdding%s:', %d)%s%s", f.text, g.word("Seconds", "Days", "Months", "Years"), g.IntN(30)-10, g.order(), g.literal(f))
	}
}
