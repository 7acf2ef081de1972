package predicate

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// fold returns the value of an expression without the differences ignored by the
// folding. It changes Strings only. The constants of a Plan are folded already.
func (e *evaluation) fold(expr Expr, v Value, f Folding) (Value, error) {
	s, ok := v.(string)
	if _, known := expr.(Const); !ok || known || f == Exact {
		return v, nil
	}
	last := &e.folded[f]
	if last.from != s {
		if err := e.spend(textWork(s)); err != nil {
			return nil, err
		}
		last.from, last.to = s, Fold(s, f)
	}
	return last.to, nil
}

// text returns the value of a String; not ok when it is nil.
func (e *evaluation) text(expr Expr, f Folding) (s string, ok bool, err error) {
	v, err := e.value(expr)
	if v == nil || err != nil {
		return "", false, err
	}
	if v, err = e.fold(expr, v, f); err != nil {
		return "", false, err
	}
	s, ok = v.(string)
	if !ok {
		return "", false, fmt.Errorf("predicate: the form of %T", v)
	}
	return s, true, nil
}

func (e *evaluation) like(c Like) (bool, error) {
	s, ok, err := e.text(c.Operand, c.Folding)
	if !ok || err != nil {
		return false, err
	}
	return c.Pattern.fits(s, e.spend)
}

func (e *evaluation) match(c Match) (bool, error) {
	s, ok, err := e.text(c.Operand, Exact)
	if !ok || err != nil {
		return false, err
	}
	if len(s) <= shortText {
		if err := e.spend(matchWork * len(s)); err != nil {
			return false, err
		}
		return c.Pattern.MatchString(s), nil
	}
	r := spendingReader{e: e, rest: s}
	ok = c.Pattern.MatchReader(&r)
	return ok && r.err == nil, r.err
}

// spendingReader reads a text for a regular expression. Go cannot stop a running
// match, so the reader ends the text instead.
type spendingReader struct {
	e    *evaluation
	rest string
	err  error // the reason for an early end
}

// ReadRune implements io.RuneReader.
func (r *spendingReader) ReadRune() (char rune, size int, err error) {
	if r.err == nil {
		r.err = r.e.spend(matchWork)
	}
	if r.err != nil || r.rest == "" {
		return 0, 0, io.EOF
	}
	char, size = utf8.DecodeRuneInString(r.rest)
	r.rest = r.rest[size:]
	return char, size, nil
}
