package syntax

import "strings"

// Span is a part of a text, in bytes.
type Span struct{ From, To int }

// Conjuncts returns the conditions that a predicate joins with AND at its top, without the
// white space around them: all of the text if it has no AND there. An OR at the top joins
// less tightly: then all of the text is one condition, and loose is true. Its errors are
// those of Parse.
func Conjuncts(text string) (spans []Span, loose bool, err error) {
	if _, err := Parse(text); err != nil {
		return nil, false, err
	}
	l := lexer{text: text}
	begun, depth, last := 0, 0, end
	for {
		t, err := l.next()
		if err != nil {
			return nil, false, err
		}
		switch kind := t.kind; {
		case kind == end:
			return append(spans, trimmed(text, begun, len(text))), false, nil
		case last == ".": // the name of a key, whatever it is
		case kind == "(" || kind == "{" || kind == "[":
			depth++
		case kind == ")" || kind == "}" || kind == "]":
			depth--
		case depth == 0 && kind == "OR":
			return []Span{trimmed(text, 0, len(text))}, true, nil
		case depth == 0 && kind == "AND":
			spans = append(spans, trimmed(text, begun, t.offset))
			begun = l.offset
		}
		last = t.kind
	}
}

// trimmed returns a part of a text without the white space around it.
func trimmed(text string, from, to int) Span {
	const space = " \t\r\n"
	inner := strings.TrimLeft(text[from:to], space)
	from = to - len(inner)
	return Span{from, from + len(strings.TrimRight(inner, space))}
}
