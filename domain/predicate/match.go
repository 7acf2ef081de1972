package predicate

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// maxPatternSize bounds how much a regular expression becomes when it is compiled: it
// is the work for each character of a text. 256 characters can stand for millions of
// instructions, as (.*.?){999} does again and again.
const maxPatternSize = 2_000

// errPatternSize refuses what is larger, as RE2 does what is repeated too often.
var errPatternSize = &syntax.Error{Code: syntax.ErrLarge}

// compilePattern makes a regular expression (RE2) that has to match whole strings.
// The pattern is parsed on its own first: "a)|(b" is not to become one by what is
// put around it.
func compilePattern(pattern string, fold Folding) (*regexp.Regexp, error) {
	flags, open := syntax.Perl, `\A(?:`
	if fold&Case != 0 {
		flags, open = flags|syntax.FoldCase, `\A(?i:`
	}
	parsed, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, err
	}
	if patternSize(parsed) > maxPatternSize {
		return nil, errPatternSize
	}
	if endsQuoted(pattern) {
		pattern += `\E`
	}
	return regexp.Compile(open + pattern + `)\z`)
}

// rangesPerInstruction is how many ranges of characters in a class weigh as much as
// an instruction.
const rangesPerInstruction = 4

// patternSize returns about how many instructions a regular expression is compiled
// to, without doing so: what is repeated counts as often as it is.
func patternSize(re *syntax.Regexp) int {
	size := 1 // of what has no parts, and of *, + and ?
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass:
		return size + len(re.Rune)/2/rangesPerInstruction
	case syntax.OpConcat, syntax.OpRepeat:
		size = 0
	case syntax.OpCapture:
		size = 2
	case syntax.OpAlternate:
		size = len(re.Sub)
	}
	for _, sub := range re.Sub {
		size = min(size+patternSize(sub), maxPatternSize+1)
	}
	if re.Op == syntax.OpRepeat {
		return min(size*max(re.Min, re.Max, 1), maxPatternSize+1)
	}
	return size
}

// endsQuoted reports whether a pattern ends in \Q without an \E: what follows would
// be taken as it is.
func endsQuoted(pattern string) bool {
	for {
		_, after, ok := strings.Cut(pattern, `\`)
		if !ok || after == "" {
			return false
		}
		if after[0] != 'Q' {
			pattern = after[1:]
			continue
		}
		if _, pattern, ok = strings.Cut(after, `\E`); !ok {
			return true
		}
	}
}

func (c *checker) match(n *comparison, left, right value) (Cond, error) {
	text, err := c.patternOf(n, left, right)
	if err != nil {
		return nil, err
	}
	// As it is written: NFC can make two code points of one, or one of two.
	if utf8.RuneCountInString(right.literal.text) > MaxPatternLength {
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
