package predicate

import (
	"errors"
	"fmt"
	"strings"
)

// The faults of a LIKE pattern.
var (
	errLikeEscape = errors.New(`in a pattern, a backslash stands before *, ? or another backslash`)
	errLikeRuns   = fmt.Errorf("a pattern has at most %d runs of *", MaxLikeRuns)
)

// parseLike reads the pattern of LIKE. * is any run of characters, and ? any one code
// point. A backslash before one of them, or before another backslash, makes it
// literal. Several * in a row are one.
func parseLike(literal string) (Pattern, error) {
	var p Pattern
	var text strings.Builder
	part := func(part Part) {
		if text.Len() > 0 {
			p.Parts = append(p.Parts, Part{Text: text.String()})
			text.Reset()
		}
		if part != (Part{}) {
			p.Parts = append(p.Parts, part)
		}
	}
	runs, escaped := 0, false
	last := rune(0) // the wildcard or backslash before, or 0
	for _, r := range literal {
		switch {
		case escaped:
			if !strings.ContainsRune(`*?\`, r) {
				return Pattern{}, errLikeEscape
			}
			text.WriteRune(r)
			escaped, last = false, 0
		case r == '\\':
			escaped, last = true, 0
		case r == '*':
			if last != '*' {
				if runs++; runs > MaxLikeRuns {
					return Pattern{}, errLikeRuns
				}
				part(Part{Any: true})
			}
			last = r
		case r == '?':
			part(Part{One: true})
			last = r
		default:
			text.WriteRune(r)
			last = 0
		}
	}
	if escaped {
		return Pattern{}, errLikeEscape
	}
	part(Part{})
	return p, nil
}

// folded returns the pattern for folded texts.
func (p Pattern) folded(f Folding) Pattern {
	var folded Pattern
	for _, part := range p.Parts {
		empty := part.Text == ""
		part.Text = Fold(part.Text, f)
		if empty || part.Text != "" {
			folded.Parts = append(folded.Parts, part)
		}
	}
	return folded
}

// patternOf returns the text of a pattern. The pattern must be a literal.
func (c *checker) patternOf(n *comparison, left, right value) (string, error) {
	if !left.is(String) {
		return "", c.fail(n.offset, TypeMismatch, "%s takes a string, not %s%s", n.sign(), left, n.advice(left, right))
	}
	if right.literal == nil || right.kind() != String {
		return "", c.fail(right.offset, TypeMismatch, "%s takes a literal string as its pattern", n.sign())
	}
	return right.expr.(Const).Value.(string), nil
}

func (c *checker) like(n *comparison, left, right value) (Cond, error) {
	text, err := c.patternOf(n, left, right)
	if err != nil {
		return nil, err
	}
	pattern, err := parseLike(text)
	switch {
	case errors.Is(err, errLikeRuns):
		return nil, c.fail(right.offset, LimitExceeded, "%s", err)
	case err != nil:
		return nil, c.fail(right.offset, InvalidPattern, "%s", err)
	}
	return Like{Operand: n.compared(left), Folding: n.fold, Pattern: pattern.folded(n.fold)}, nil
}
