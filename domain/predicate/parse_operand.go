package predicate

import "strings"

// equalFold compares names of keys and functions without regard to case. The names are
// ASCII, so nothing but ASCII letters can match.
func equalFold(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }

// literal returns the token as a literal. ok is false for other tokens.
func (t token) literal() (*literal, bool) {
	l := &literal{offset: t.offset, text: t.text}
	switch t.kind {
	case number:
		l.value, _ = numberValue(t.text)
		l.kind = Int
		if _, ok := l.value.(float64); ok {
			l.kind = Float
		}
	case quote:
		l.kind, l.value = String, t.text
	case "YES", "TRUE", "NO", "FALSE":
		l.kind, l.text, l.value = Bool, "", t.kind == "YES" || t.kind == "TRUE"
	case "NIL", "NULL":
		l.kind, l.text = Nil, ""
	default:
		return nil, false
	}
	return l, true
}

// primary parses an operand without operators, parentheses or steps after it.
func (p *parser) primary() (operand, error) {
	if err := p.count(); err != nil {
		return nil, err
	}
	t := p.tok
	if l, ok := t.literal(); ok {
		return l, p.advance()
	}
	switch t.kind {
	case "SELF":
		return &self{offset: t.offset}, p.advance()
	case variable:
		return &reference{offset: t.offset, name: t.text}, p.advance()
	case hashWord:
		return firstKey(t), p.advance()
	case "{":
		return p.list()
	case "SUBQUERY":
		return p.subquery()
	case "CAST":
		return p.cast()
	case word:
		if err := p.advance(); err != nil {
			return nil, err
		}
		if p.tok.kind == "(" {
			return p.call(t)
		}
		return firstKey(t), nil
	}
	if misplaced[t.kind] {
		return nil, p.failHere(InvalidSyntax, "expected a value, not the reserved word %s; as a key it is written #%[1]s", t.text)
	}
	return nil, p.unexpected("a value")
}

// misplaced are the reserved words never valid as a value or an operator. Their author
// means a key.
var misplaced = map[tokenKind]bool{
	"ANYKEY": true, "CASEINSENSITIVE": true, "CI": true, "FETCH": true, "FIRST": true, "LAST": true, "SIZE": true,
}

// firstKey returns the path of this key from the root.
func firstKey(t token) *path {
	return &path{steps: []step{{offset: t.offset, name: t.text}}}
}

// list parses values in braces.
func (p *parser) list() (*list, error) {
	l := &list{offset: p.tok.offset}
	if err := p.enter(); err != nil {
		return nil, err
	}
	for p.tok.kind != "}" || len(l.members) > 0 {
		if len(l.members) == MaxListMembers {
			return nil, p.failHere(LimitExceeded, "the list has more than %d members", MaxListMembers)
		}
		m, err := p.member()
		if err != nil {
			return nil, err
		}
		l.members = append(l.members, m)
		if p.tok.kind != "," {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return l, p.leave("}")
}

// member parses a member of a list. A literal alone does not count as a node.
func (p *parser) member() (operand, error) {
	l, ok := p.tok.literal()
	if !ok {
		return p.operand(adding)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == "," || p.tok.kind == "}" {
		return l, nil
	}
	if err := p.countAt(l.offset); err != nil {
		return nil, err
	}
	o, err := p.postfix(l, false)
	if err != nil {
		return nil, err
	}
	n, err := p.follow(o, adding)
	if err != nil {
		return nil, err
	}
	return p.asOperand(n)
}

// subquery parses SUBQUERY(collection, $variable, condition).
func (p *parser) subquery() (*subquery, error) {
	q := &subquery{offset: p.tok.offset}
	p.queries++
	if p.queries > MaxSubqueryNesting {
		return nil, p.failHere(LimitExceeded, "SUBQUERY is nested more than %d levels deep", MaxSubqueryNesting)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	var err error
	if q.coll, err = p.operand(adding); err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	q.variable = p.tok.text
	if err := p.expect(variable); err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	if q.cond, err = p.condition(disjunctive); err != nil {
		return nil, err
	}
	p.queries--
	return q, p.leave(")")
}

// open moves past an opening parenthesis and counts its level.
func (p *parser) open() error {
	if p.tok.kind != "(" {
		return p.unexpected("(")
	}
	return p.enter()
}

// cast parses CAST(value, 'type').
func (p *parser) cast() (*cast, error) {
	c := &cast{offset: p.tok.offset}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	var err error
	if c.of, err = p.operand(adding); err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	if p.tok.kind != quote {
		return nil, p.failHere(InvalidSyntax, "expected a type as a string, 'NSDate', 'NSNumber' or 'NSString', not %s", p.tok)
	}
	c.target, c.targetOffset = p.tok.text, p.tok.offset
	if err := p.expect(quote); err != nil {
		return nil, err
	}
	return c, p.leave(")")
}

// call parses the arguments of a function.
func (p *parser) call(name token) (*call, error) {
	c := &call{offset: name.offset, name: name.text}
	if err := p.open(); err != nil {
		return nil, err
	}
	for p.tok.kind != ")" || len(c.args) > 0 {
		offset := p.tok.offset
		arg, err := p.operand(adding)
		if err != nil {
			return nil, err
		}
		c.args = append(c.args, arg)
		if _, ok := c.selector(); c.isFunction() && len(c.args) == 2 && !ok {
			return nil, p.noSelector(offset)
		}
		if p.tok.kind != "," {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if _, ok := c.selector(); c.isFunction() && !ok && p.tok.kind == ")" {
		return nil, p.noSelector(p.tok.offset)
	}
	return c, p.leave(")")
}

// noSelector returns the error for a FUNCTION without a function's name.
func (p *parser) noSelector(offset int) error {
	return p.fail(offset, InvalidSyntax, "FUNCTION takes the name of a function as a string, as in FUNCTION(NOW(), 'dateByAddingDays:', -7)")
}
