package predicate

import "strings"

// condition parses a condition. It fails for a mere operand.
func (p *parser) condition(least precedence) (condition, error) {
	n, err := p.expression(least)
	if err != nil {
		return nil, err
	}
	c, ok := n.(condition)
	if !ok {
		return nil, p.noCondition(n)
	}
	return c, nil
}

// junction parses the rest of a chain of AND or OR, after its first condition.
func (p *parser) junction(n node, binds precedence) (node, error) {
	first, ok := n.(condition)
	if !ok {
		return nil, p.noCondition(n)
	}
	j := &junction{op: p.tok.kind, conds: []condition{first}}
	for p.tok.kind == j.op {
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
		next, ok := n.(condition)
		if !ok {
			return nil, p.noJunction(j, n)
		}
		j.conds = append(j.conds, next)
	}
	return j, nil
}

// noJunction returns the error for a value after AND or OR. The author may mean SQL's
// BETWEEN lowest AND highest; otherwise the error is that of noCondition.
func (p *parser) noJunction(j *junction, n node) error {
	if last, ok := j.conds[len(j.conds)-1].(*comparison); ok && last.op == "BETWEEN" && j.op == "AND" {
		return p.failHere(InvalidSyntax, "BETWEEN takes a list of the lowest and the highest value, as in BETWEEN {1, 2}")
	}
	return p.noCondition(n)
}

// comparison parses the rest of a comparison, starting at its operator.
func (p *parser) comparison(left operand) (*comparison, error) {
	c := &comparison{offset: p.tok.offset, op: p.tok.kind, left: left}
	if err := p.count(); err != nil {
		return nil, err
	}
	if c.op == "MATCHES" {
		p.matches++
		if p.matches > MaxMatches {
			return nil, p.failHere(LimitExceeded, "MATCHES is used more than %d times", MaxMatches)
		}
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == "[" {
		if c.op == "BETWEEN" {
			return nil, p.failHere(InvalidSyntax, "BETWEEN takes a list in braces, as in BETWEEN {1, 2}, and no modifier")
		}
		if err := p.modifier(c); err != nil {
			return nil, err
		}
		if p.tok.kind == "[" {
			return nil, p.failHere(InvalidSyntax, "expected a value, not [; %s", braces)
		}
	}
	var err error
	c.right, err = p.operand(adding)
	return c, err
}

// foldings are the modifiers of comparisons.
var foldings = map[string]Folding{"c": Case, "d": Marks, "cd": Both, "dc": Both}

// modifier parses the modifier of an operator.
func (p *parser) modifier(c *comparison) error {
	if err := p.advance(); err != nil {
		return err
	}
	fold, ok := foldings[strings.ToLower(p.tok.text)]
	if p.tok.kind != word && c.op == "IN" {
		return p.failHere(InvalidSyntax, "%s; the modifiers of an operator are [c], [d] and [cd]", braces)
	}
	if p.tok.kind != word || !ok {
		return p.failHere(InvalidSyntax, "the modifiers of an operator are [c], [d] and [cd]")
	}
	if c.op == "MATCHES" && fold&Marks != 0 {
		return p.failHere(Unsupported, "MATCHES has the modifier [c] alone: a regular expression cannot ignore diacritics")
	}
	c.fold = fold
	if err := p.advance(); err != nil {
		return err
	}
	return p.expect("]")
}

// negation parses NOT and its condition.
func (p *parser) negation() (*negation, error) {
	n := &negation{offset: p.tok.offset}
	if err := p.count(); err != nil {
		return nil, err
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	var err error
	n.cond, err = p.condition(negating)
	p.depth--
	return n, err
}

// qualified parses a comparison that starts with a qualifier.
func (p *parser) qualified() (*comparison, error) {
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
		return nil, p.unexpected("an operator such as = or CONTAINS")
	}
	c, err := p.comparison(left)
	if err != nil {
		return nil, err
	}
	c.qualifier, c.qualifierOffset = qualifier, offset
	return c, nil
}
