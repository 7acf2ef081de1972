package predicate

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// compilePattern makes a regular expression (RE2) that has to match whole strings.
// The pattern is parsed on its own first: "a)|(b" is not to become one by what is
// put around it.
func compilePattern(pattern string, fold Folding) (*regexp.Regexp, error) {
	flags := syntax.Perl
	if fold&Case != 0 {
		flags |= syntax.FoldCase
	}
	parsed, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	return regexp.Compile(`\A(?:` + parsed.String() + `)\z`)
}

func (c *checker) match(n *comparison, left, right value) (Cond, error) {
	text, err := c.patternOf(n, left, right)
	if err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(text) > MaxPatternLength {
		return nil, c.fail(right.offset, LimitExceeded, "the pattern is longer than %d characters", MaxPatternLength)
	}
	pattern, err := compilePattern(text, n.fold)
	if err != nil {
		return nil, c.fail(right.offset, InvalidPattern, "the pattern is not a regular expression of RE2: %s", patternFault(err))
	}
	return Match{Operand: left.expr, Pattern: pattern}, nil
}

// patternFault says what is wrong with a regular expression, without a part of it.
func patternFault(err error) string {
	var fault *syntax.Error
	if errors.As(err, &fault) {
		return string(fault.Code)
	}
	return "it cannot be compiled"
}
