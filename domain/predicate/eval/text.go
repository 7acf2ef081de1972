package eval

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// fold returns the value of an expression without the differences ignored by the
// folding. It changes Strings only. The constants of a Plan are folded already.
func (e *evaluation) fold(expr predicate.Expr, v predicate.Value, f predicate.Folding) (predicate.Value, error) {
	s, ok := v.(string)
	if _, known := expr.(predicate.Const); !ok || known || f == predicate.Exact {
		return v, nil
	}
	last := &e.folded[f]
	if last.from != s {
		if err := e.spend(textWork(s)); err != nil {
			return nil, err
		}
		last.from, last.to = s, predicate.Fold(s, f)
	}
	return last.to, nil
}

// text returns the value of a String; not ok when it is nil.
func (e *evaluation) text(expr predicate.Expr, f predicate.Folding) (s string, ok bool, err error) {
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

func (e *evaluation) like(c predicate.Like) (bool, error) {
	s, ok, err := e.text(c.Operand, c.Folding)
	if !ok || err != nil {
		return false, err
	}
	return fits(c.Pattern, s, e.spend)
}

func (e *evaluation) match(c predicate.Match) (bool, error) {
	s, ok, err := e.text(c.Operand, predicate.Exact)
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
