package predicate

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// maxPatternSize bounds the instructions of a compiled regular expression, and so the
// work for each character of a text. 256 characters can compile to millions of
// instructions: (.*.?){999} does so again and again.
const maxPatternSize = 2_000

// errPatternSize refuses larger expressions. RE2 refuses too many repetitions with the
// same error.
var errPatternSize = &syntax.Error{Code: syntax.ErrLarge}

// compilePattern compiles a regular expression (RE2) to match whole strings. It first
// parses the pattern on its own. Otherwise the parentheses around it could make
// "a)|(b" valid.
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

// rangesPerInstruction is the number of ranges in a class of characters with the
// weight of one instruction.
const rangesPerInstruction = 4

// patternSize estimates the number of instructions without compiling. It counts a
// repeated part once for each repetition.
func patternSize(re *syntax.Regexp) int {
	size := 1 // for a part without parts, and for *, + and ?
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

// endsQuoted reports whether a pattern ends inside \Q without an \E. Such a pattern
// would quote the text after it.
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
	// Count the pattern as written: NFC can make two code points of one, or one of two.
	if utf8.RuneCountInString(right.literal.text) > MaxPatternLength {
		return nil, c.fail(right.offset, LimitExceeded, "the pattern is longer than %d characters", MaxPatternLength)
	}
	pattern, err := compilePattern(text, n.fold)
	if err != nil {
		return nil, c.fail(right.offset, InvalidPattern, "the pattern is not a regular expression of RE2: %s", patternFault(err))
	}
	return Match{Operand: left.expr, Pattern: pattern}, nil
}

// patternFault describes the fault of a regular expression without repeating a part of
// it.
func patternFault(err error) string {
	var fault *syntax.Error
	if errors.As(err, &fault) {
		return string(fault.Code)
	}
	return "it cannot be compiled"
}
