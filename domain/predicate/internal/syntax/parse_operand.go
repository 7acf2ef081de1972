package syntax

import (
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
)

// EqualFold compares names of keys and functions without regard to case. The names are
// ASCII, so nothing but ASCII letters can match.
func EqualFold(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }

// literal returns the token as a literal. ok is false for other tokens.
func (t token) literal() (*Literal, bool) {
	l := &Literal{Offset: t.offset, Text: t.text}
	switch t.kind {
	case number:
		l.Value, _ = numberValue(t.text)
		l.Kind = predicate.Int
		if _, ok := l.Value.(float64); ok {
			l.Kind = predicate.Float
		}
	case quote:
		l.Kind, l.Value = predicate.String, t.text
	case "YES", "TRUE", "NO", "FALSE":
		l.Kind, l.Text, l.Value = predicate.Bool, "", t.kind == "YES" || t.kind == "TRUE"
	case "NIL", "NULL":
		l.Kind, l.Text = predicate.Nil, ""
	default:
		return nil, false
	}
	return l, true
}

// primary parses an operand without operators, parentheses or steps after it.
func (p *parser) primary() (Operand, error) {
	if err := p.count(); err != nil {
		return nil, err
	}
	t := p.tok
	if l, ok := t.literal(); ok {
		return l, p.advance()
	}
	switch t.kind {
	case "SELF":
		return &Self{Offset: t.offset}, p.advance()
	case variable:
		return &Reference{Offset: t.offset, Name: t.text}, p.advance()
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
		return nil, p.failHere(predicate.InvalidSyntax, "expected a value, not the reserved word %s; as a key it is written #%[1]s", t.text)
	}
	return nil, p.unexpected("a value")
}

// misplaced are the reserved words never valid as a value or an operator. Their author
// means a key.
var misplaced = map[TokenKind]bool{
	"ANYKEY": true, "CASEINSENSITIVE": true, "CI": true, "FETCH": true, "FIRST": true, "LAST": true, "SIZE": true,
}

// firstKey returns the path of this key from the root.
func firstKey(t token) *Path {
	return &Path{Steps: []Step{{Offset: t.offset, Name: t.text}}}
}

// list parses values in braces.
func (p *parser) list() (*List, error) {
	l := &List{Offset: p.tok.offset}
	if err := p.enter(); err != nil {
		return nil, err
	}
	for p.tok.kind != "}" || len(l.Members) > 0 {
		if len(l.Members) == predicate.MaxListMembers {
			return nil, p.failHere(predicate.LimitExceeded, "the list has more than %d members", predicate.MaxListMembers)
		}
		m, err := p.member()
		if err != nil {
			return nil, err
		}
		l.Members = append(l.Members, m)
		if p.tok.kind != "," {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return l, p.leave("}", l.Offset)
}

// member parses a member of a list. A literal alone does not count as a node.
func (p *parser) member() (Operand, error) {
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
	if err := p.countAt(l.Offset); err != nil {
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
func (p *parser) subquery() (*Subquery, error) {
	q := &Subquery{Offset: p.tok.offset}
	p.queries++
	if p.queries > predicate.MaxSubqueryNesting {
		return nil, p.failHere(predicate.LimitExceeded, "SUBQUERY is nested more than %d levels deep", predicate.MaxSubqueryNesting)
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	begun, err := p.open()
	if err != nil {
		return nil, err
	}
	if q.Coll, err = p.operand(adding); err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	q.Variable = p.tok.text
	if err := p.expect(variable); err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	if q.Cond, err = p.condition(disjunctive); err != nil {
		return nil, err
	}
	p.queries--
	return q, p.leave(")", begun)
}

// open moves past an opening parenthesis and counts its level. It returns the offset of
// the parenthesis.
func (p *parser) open() (offset int, err error) {
	if p.tok.kind != "(" {
		return 0, p.unexpected("(")
	}
	offset = p.tok.offset
	return offset, p.enter()
}

// cast parses CAST(value, 'type').
func (p *parser) cast() (*Cast, error) {
	c := &Cast{Offset: p.tok.offset}
	if err := p.advance(); err != nil {
		return nil, err
	}
	begun, err := p.open()
	if err != nil {
		return nil, err
	}
	if c.Of, err = p.operand(adding); err != nil {
		return nil, err
	}
	if err := p.expect(","); err != nil {
		return nil, err
	}
	if p.tok.kind != quote {
		return nil, p.failHere(predicate.InvalidSyntax, "expected a type as a string, 'NSDate', 'NSNumber' or 'NSString', not %s", p.tok)
	}
	c.Target, c.TargetOffset = p.tok.text, p.tok.offset
	if err := p.expect(quote); err != nil {
		return nil, err
	}
	return c, p.leave(")", begun)
}

// call parses the arguments of a function.
func (p *parser) call(name token) (*Call, error) {
	c := &Call{Offset: name.offset, Name: name.text}
	begun, err := p.open()
	if err != nil {
		return nil, err
	}
	for p.tok.kind != ")" || len(c.Args) > 0 {
		offset := p.tok.offset
		arg, err := p.operand(adding)
		if err != nil {
			return nil, err
		}
		c.Args = append(c.Args, arg)
		if _, ok := c.Selector(); c.IsFunction() && len(c.Args) == 2 && !ok {
			return nil, p.noSelector(offset)
		}
		if p.tok.kind != "," {
			break
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	if _, ok := c.Selector(); c.IsFunction() && !ok && p.tok.kind == ")" {
		return nil, p.noSelector(p.tok.offset)
	}
	return c, p.leave(")", begun)
}

// noSelector returns the error for a FUNCTION without a function's name.
func (p *parser) noSelector(offset int) error {
	return p.fail(offset, predicate.InvalidSyntax, "FUNCTION takes the name of a function as a string, as in FUNCTION(NOW(), 'dateByAddingDays:', -7)")
}
