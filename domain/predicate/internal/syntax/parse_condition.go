package syntax

import (
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
)

// condition parses a condition. It fails for a mere operand.
func (p *parser) condition(least precedence) (Condition, error) {
	n, err := p.expression(least)
	if err != nil {
		return nil, err
	}
	c, ok := n.(Condition)
	if !ok {
		return nil, p.noCondition(n)
	}
	return c, nil
}

// junction parses the rest of a chain of AND or OR, after its first condition.
func (p *parser) junction(n node, binds precedence) (node, error) {
	first, ok := n.(Condition)
	if !ok {
		return nil, p.noCondition(n)
	}
	j := &Junction{Op: p.tok.kind, Conds: []Condition{first}}
	for p.tok.kind == j.Op {
		if err := p.count(); err != nil {
			return nil, err
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		n, err := p.expression(binds + 1)
		if err != nil {
			return nil, err
		}
		next, ok := n.(Condition)
		if !ok {
			return nil, p.noJunction(j, n)
		}
		j.Conds = append(j.Conds, next)
	}
	return j, nil
}

// noJunction returns the error for a value after AND or OR. The author may mean SQL's
// BETWEEN lowest AND highest; otherwise the error is that of noCondition.
func (p *parser) noJunction(j *Junction, n node) error {
	if last, ok := j.Conds[len(j.Conds)-1].(*Comparison); ok && last.Op == "BETWEEN" && j.Op == "AND" {
		return p.failHere(predicate.InvalidSyntax, "BETWEEN takes a list of the lowest and the highest value, as in BETWEEN {1, 2}")
	}
	return p.noCondition(n)
}

// comparison parses the rest of a comparison, starting at its operator.
func (p *parser) comparison(left Operand) (*Comparison, error) {
	c := &Comparison{Offset: p.tok.offset, Op: p.tok.kind, Left: left}
	if err := p.count(); err != nil {
		return nil, err
	}
	if c.Op == "MATCHES" {
		p.matches++
		if p.matches > predicate.MaxMatches {
			return nil, p.failHere(predicate.LimitExceeded, "MATCHES is used more than %d times", predicate.MaxMatches)
		}
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.foreignSign(c.Offset); err != nil {
		return nil, err
	}
	if p.tok.kind == "[" {
		if c.Op == "BETWEEN" {
			return nil, p.failHere(predicate.InvalidSyntax, "BETWEEN takes a list in braces, as in BETWEEN {1, 2}, and no modifier")
		}
		if err := p.modifier(c); err != nil {
			return nil, err
		}
		if p.tok.kind == "[" {
			return nil, p.failHere(predicate.InvalidSyntax, "expected a value, not [; %s", Braces)
		}
	}
	var err error
	c.Right, err = p.operand(adding)
	return c, err
}

// foldings are the modifiers of comparisons.
var foldings = map[string]predicate.Folding{"c": predicate.Case, "d": predicate.Marks, "cd": predicate.Both, "dc": predicate.Both}

// modifier parses the modifier of an operator.
func (p *parser) modifier(c *Comparison) error {
	if err := p.advance(); err != nil {
		return err
	}
	fold, ok := foldings[strings.ToLower(p.tok.text)]
	if p.tok.kind != word && c.Op == "IN" {
		return p.failHere(predicate.InvalidSyntax, "%s; the modifiers of an operator are [c], [d] and [cd]", Braces)
	}
	if p.tok.kind != word || !ok {
		return p.failHere(predicate.InvalidSyntax, "the modifiers of an operator are [c], [d] and [cd]")
	}
	if c.Op == "MATCHES" && fold&predicate.Marks != 0 {
		return p.failHere(predicate.Unsupported, "MATCHES has the modifier [c] alone: a regular expression cannot ignore diacritics")
	}
	c.Fold = fold
	if err := p.advance(); err != nil {
		return err
	}
	return p.expect("]")
}

// negation parses NOT and its condition.
func (p *parser) negation() (*Negation, error) {
	n := &Negation{Offset: p.tok.offset}
	if err := p.count(); err != nil {
		return nil, err
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	var err error
	n.Cond, err = p.condition(negating)
	p.depth--
	return n, err
}

// qualified parses a comparison that starts with a qualifier.
func (p *parser) qualified() (*Comparison, error) {
	qualifier, offset := p.tok.kind, p.tok.offset
	if qualifier == "SOME" {
		qualifier = "ANY"
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	left, err := p.operand(adding)
	if err != nil {
		return nil, err
	}
	if infix[p.tok.kind] != comparing {
		if err := p.noOperator(); err != nil {
			return nil, err
		}
		return nil, p.unexpected("an operator such as = or CONTAINS")
	}
	c, err := p.comparison(left)
	if err != nil {
		return nil, err
	}
	c.Qualifier, c.QualifierOffset = qualifier, offset
	return c, nil
}
