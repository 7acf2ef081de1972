package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// The faults of a LIKE pattern.
var (
	errLikeEscape = errors.New(`in a pattern, a backslash stands before *, ? or another backslash`)
	errLikeRuns   = fmt.Errorf("a pattern has at most %d runs of *", predicate.MaxLikeRuns)
)

// parseLike reads the pattern of LIKE. * is any run of characters, and ? any one code
// point. A backslash before one of them, or before another backslash, makes it
// literal. Several * in a row are one.
func parseLike(literal string) (predicate.Pattern, error) {
	var p predicate.Pattern
	var text strings.Builder
	part := func(part predicate.Part) {
		if text.Len() > 0 {
			p.Parts = append(p.Parts, predicate.Part{Text: text.String()})
			text.Reset()
		}
		if part != (predicate.Part{}) {
			p.Parts = append(p.Parts, part)
		}
	}
	runs, escaped := 0, false
	last := rune(0) // the wildcard or backslash before, or 0
	for _, r := range literal {
		switch {
		case escaped:
			if !strings.ContainsRune(`*?\`, r) {
				return predicate.Pattern{}, errLikeEscape
			}
			text.WriteRune(r)
			escaped, last = false, 0
		case r == '\\':
			escaped, last = true, 0
		case r == '*':
			if last != '*' {
				if runs++; runs > predicate.MaxLikeRuns {
					return predicate.Pattern{}, errLikeRuns
				}
				part(predicate.Part{Any: true})
			}
			last = r
		case r == '?':
			part(predicate.Part{One: true})
			last = r
		default:
			text.WriteRune(r)
			last = 0
		}
	}
	if escaped {
		return predicate.Pattern{}, errLikeEscape
	}
	part(predicate.Part{})
	return p, nil
}

// foldedPattern returns the pattern for folded texts.
func foldedPattern(p predicate.Pattern, f predicate.Folding) predicate.Pattern {
	var folded predicate.Pattern
	for _, part := range p.Parts {
		empty := part.Text == ""
		part.Text = predicate.Fold(part.Text, f)
		if empty || part.Text != "" {
			folded.Parts = append(folded.Parts, part)
		}
	}
	return folded
}

// patternOf returns the text of a pattern. The pattern must be a literal.
func (c *checker) patternOf(n *syntax.Comparison, left, right value) (string, error) {
	if !left.is(predicate.String) {
		return "", c.fail(n.Offset, predicate.TypeMismatch, "%s takes a string, not %s%s", n.Sign(), left, advice(n, left, right))
	}
	if right.literal == nil || right.kind() != predicate.String {
		return "", c.fail(right.offset, predicate.TypeMismatch, "%s takes a literal string as its pattern", n.Sign())
	}
	return right.expr.(predicate.Const).Value.(string), nil
}

func (c *checker) like(n *syntax.Comparison, left, right value) (predicate.Cond, error) {
	text, err := c.patternOf(n, left, right)
	if err != nil {
		return nil, err
	}
	pattern, err := parseLike(text)
	switch {
	case errors.Is(err, errLikeRuns):
		return nil, c.fail(right.offset, predicate.LimitExceeded, "%s", err)
	case err != nil:
		return nil, c.fail(right.offset, predicate.InvalidPattern, "%s", err)
	}
	return predicate.Like{Operand: compared(n, left), Folding: n.Fold, Pattern: foldedPattern(pattern, n.Fold)}, nil
}
