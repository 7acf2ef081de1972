package check

import (
	"errors"
	"regexp"
	resyntax "regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// maxPatternSize bounds the instructions of a compiled regular expression, and so the
// work for each character of a text. 256 characters can compile to millions of
// instructions: (.*.?){999} does so again and again.
const maxPatternSize = 2_000

// errPatternSize refuses larger expressions. RE2 refuses too many repetitions with the
// same error.
var errPatternSize = &resyntax.Error{Code: resyntax.ErrLarge}

// compilePattern compiles a regular expression (RE2) to match whole strings. It first
// parses the pattern on its own. Otherwise the parentheses around it could make
// "a)|(b" valid.
func compilePattern(pattern string, fold predicate.Folding) (*regexp.Regexp, error) {
	flags, open := resyntax.Perl, `\A(?:`
	if fold&predicate.Case != 0 {
		flags, open = flags|resyntax.FoldCase, `\A(?i:`
	}
	parsed, err := resyntax.Parse(pattern, flags)
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
func patternSize(re *resyntax.Regexp) int {
	size := 1 // for a part without parts, and for *, + and ?
	switch re.Op {
	case resyntax.OpLiteral:
		return len(re.Rune)
	case resyntax.OpCharClass:
		return size + len(re.Rune)/2/rangesPerInstruction
	case resyntax.OpConcat, resyntax.OpRepeat:
		size = 0
	case resyntax.OpCapture:
		size = 2
	case resyntax.OpAlternate:
		size = len(re.Sub)
	}
	for _, sub := range re.Sub {
		size = min(size+patternSize(sub), maxPatternSize+1)
	}
	if re.Op == resyntax.OpRepeat {
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

func (c *checker) match(n *syntax.Comparison, left, right value) (predicate.Cond, error) {
	text, err := c.patternOf(n, left, right)
	if err != nil {
		return nil, err
	}
	// Count the pattern as written: NFC can make two code points of one, or one of two.
	if utf8.RuneCountInString(right.literal.Text) > predicate.MaxPatternLength {
		return nil, c.fail(right.offset, predicate.LimitExceeded, "the pattern is longer than %d characters", predicate.MaxPatternLength)
	}
	pattern, err := compilePattern(text, n.Fold)
	if err != nil {
		return nil, c.fail(right.offset, predicate.InvalidPattern, "the pattern is not a regular expression of RE2: %s", patternFault(err))
	}
	return predicate.Match{Operand: left.expr, Pattern: pattern}, nil
}

// patternFault describes the fault of a regular expression without repeating a part of
// it.
func patternFault(err error) string {
	var fault *resyntax.Error
	if errors.As(err, &fault) {
		return string(fault.Code)
	}
	return "it cannot be compiled"
}
