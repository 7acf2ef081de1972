package syntax

import "github.com/problemtracking/problems/domain/predicate"

// Parse reads a predicate (sections 1 and 2 of the query language). Its errors are
// *predicate.Error, of the kinds InvalidSyntax, Unsupported and LimitExceeded.
func Parse(text string) (*Tree, error) {
	if len(text) > predicate.MaxBytes {
		return nil, errorTooLong(text)
	}
	return parse(text)
}

// parse is Parse for a text of any length.
func parse(text string) (*Tree, error) {
	p := parser{lexer: lexer{text: text}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.expression(disjunctive)
	if err != nil {
		return nil, err
	}
	root, ok := n.(Condition)
	if !ok {
		return nil, p.noCondition(n)
	}
	if p.tok.kind != end {
		return nil, p.noEnd()
	}
	return &Tree{Text: text, Root: root}, nil
}

// precedence is the strength of an operator's binding. Up to comparing, operators take
// conditions; from adding on, only values.
type precedence int

// The precedences, from the weakest.
const (
	none precedence = iota
	disjunctive
	conjunctive
	negating
	comparing
	adding
	multiplying
	raising
	signing
	following // steps of a path
)

// infix are the operators between two operands.
var infix = map[TokenKind]precedence{
	"OR": disjunctive, "AND": conjunctive,
	"=": comparing, "!=": comparing, "<": comparing, "<=": comparing, ">": comparing, ">=": comparing,
	"IN": comparing, "BETWEEN": comparing, "CONTAINS": comparing, "BEGINSWITH": comparing,
	"ENDSWITH": comparing, "LIKE": comparing, "MATCHES": comparing,
	"+": adding, "-": adding, "*": multiplying, "/": multiplying, "**": raising,
}

// parser builds a tree from tokens by precedence. It looks at one token at a time and
// never goes back, so its work is proportional to the text. An error is at the first
// token without a valid continuation. Its message may look at one token more.
type parser struct {
	lexer
	tok     token
	depth   int // of nesting
	nodes   int
	queries int // SUBQUERY, open ones
	matches int // MATCHES
}

func (p *parser) advance() (err error) {
	p.tok, err = p.next()
	return err
}

func (p *parser) failHere(kind predicate.ErrorKind, format string, args ...any) error {
	return p.fail(p.tok.offset, kind, format, args...)
}

// unexpected returns the error for a token in place of a wanted one.
func (p *parser) unexpected(wanted string) error {
	return p.failHere(predicate.InvalidSyntax, "expected %s, not %s%s", wanted, p.tok, p.adviceOr(""))
}

// noCondition returns the error for a value in place of a condition.
func (p *parser) noCondition(n node) error {
	if err := p.foreignStart(n); err != nil {
		return err
	}
	if err := p.noOperator(); err != nil {
		return err
	}
	if _, ok := n.(*Subquery); ok {
		return p.failHere(predicate.InvalidSyntax, "a SUBQUERY alone is no condition: write .@count > 0 behind it to ask whether it has members")
	}
	if n, ok := n.(*Path); ok && n.Steps[len(n.Steps)-1].Aggregate != "" {
		return p.failHere(predicate.InvalidSyntax, "a number alone is no condition: compare it, for example with > 0")
	}
	return p.failHere(predicate.InvalidSyntax, "a value alone is no condition: compare it, for example with = YES or != nil")
}

// Braces is the advice for lists in other brackets.
const Braces = "a list stands in braces, as in {1, 2}"

// expect moves past a token of one kind.
func (p *parser) expect(kind TokenKind) error {
	if p.tok.kind != kind {
		return p.unexpected(kind.String())
	}
	return p.advance()
}

// count counts a node at the current token.
func (p *parser) count() error {
	return p.countAt(p.tok.offset)
}

// countAt counts a node at the offset.
func (p *parser) countAt(offset int) error {
	p.nodes++
	if p.nodes > predicate.MaxNodes {
		return p.fail(offset, predicate.LimitExceeded, "the predicate has more than %d operands and operators", predicate.MaxNodes)
	}
	return nil
}

// enter opens a level of nesting with the token, and moves past it.
func (p *parser) enter() error {
	p.depth++
	if p.depth > predicate.MaxNesting {
		return p.failHere(predicate.LimitExceeded, "the predicate is nested more than %d levels deep", predicate.MaxNesting)
	}
	return p.advance()
}

// leave closes a level of nesting with a token of this kind. The level has begun at the
// offset.
func (p *parser) leave(kind TokenKind, begun int) error {
	p.depth--
	return p.closing(kind, begun)
}

// closing moves past the closing bracket of one kind. Its opening one is at the offset.
func (p *parser) closing(kind TokenKind, opened int) error {
	if p.tok.kind != end {
		return p.expect(kind)
	}
	at := ErrorAt(p.text, opened, predicate.InvalidSyntax, "")
	return p.failHere(predicate.InvalidSyntax, "expected %s, not the end: the %s at %d:%d is not closed", kind, p.text[opened:opened+1], at.Line, at.Column)
}

// expression parses a node with at least this precedence. From adding on, the node is
// an operand. Up to comparing, it is a condition or, where a comparison can follow, an
// operand.
func (p *parser) expression(least precedence) (node, error) {
	n, err := p.prefix(least)
	if err != nil {
		return nil, err
	}
	return p.follow(n, least)
}

// follow parses the operators that follow a node.
func (p *parser) follow(n node, least precedence) (node, error) {
	for {
		binds := infix[p.tok.kind]
		if binds == none || binds < least {
			return n, nil
		}
		var err error
		if binds <= conjunctive {
			n, err = p.junction(n, binds)
		} else {
			left, ok := n.(Operand)
			if !ok {
				return nil, p.failHere(predicate.InvalidSyntax, "a condition has no value for %s; comparisons do not chain, join them with AND", p.tok)
			}
			if binds == comparing {
				n, err = p.comparison(left)
			} else {
				n, err = p.arithmetic(left, binds)
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// operand parses an operand. least is at least adding.
func (p *parser) operand(least precedence) (Operand, error) {
	n, err := p.expression(least)
	if err != nil {
		return nil, err
	}
	return p.asOperand(n)
}

// asOperand returns a node as an operand. It fails for a condition.
func (p *parser) asOperand(n node) (Operand, error) {
	o, ok := n.(Operand)
	if !ok {
		return nil, p.failHere(predicate.InvalidSyntax, "a condition stands where a value has to")
	}
	return o, nil
}

// arithmetic parses the rest of an operation, starting at its operator.
func (p *parser) arithmetic(left Operand, binds precedence) (*Arithmetic, error) {
	a := &Arithmetic{First: left.Start(), Offset: p.tok.offset, Op: p.tok.kind, Left: left}
	if err := p.count(); err != nil {
		return nil, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	a.Right, err = p.operand(binds + 1)
	return a, err
}

// prefix parses the start of a node. It accepts a condition only with at least this
// precedence.
func (p *parser) prefix(least precedence) (node, error) {
	switch kind := p.tok.kind; kind {
	case "NOT":
		if least <= negating {
			return p.negation()
		}
	case "ANY", "SOME", "ALL", "NONE":
		if least <= comparing {
			return p.qualified()
		}
	case "TRUEPREDICATE", "FALSEPREDICATE":
		if least <= comparing {
			t := &Truth{Offset: p.tok.offset, Holds: kind == "TRUEPREDICATE"}
			if err := p.count(); err != nil {
				return nil, err
			}
			return t, p.advance()
		}
	case "(":
		return p.parentheses(least)
	case "-":
		return p.minus()
	}
	n, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.postfix(n, false)
}

// parentheses parses a condition or an operand in parentheses. It accepts a condition
// only in the position of one.
func (p *parser) parentheses(least precedence) (node, error) {
	begun := p.tok.offset
	if err := p.enter(); err != nil {
		return nil, err
	}
	inner := adding
	if least <= comparing {
		inner = disjunctive
	}
	n, err := p.expression(inner)
	if err != nil {
		return nil, err
	}
	if p.tok.kind == "," {
		return nil, p.failHere(predicate.InvalidSyntax, "expected ), not ,; %s", Braces)
	}
	o, isOperand := n.(Operand)
	if isOperand && inner == disjunctive && p.tok.kind != ")" {
		if err := p.noOperator(); err != nil {
			return nil, err
		}
	}
	if err := p.leave(")", begun); err != nil {
		return nil, err
	}
	if isOperand {
		return p.postfix(o, true)
	}
	return n, nil
}

// minus parses the opposite of a number.
func (p *parser) minus() (*Minus, error) {
	m := &Minus{Offset: p.tok.offset}
	if err := p.count(); err != nil {
		return nil, err
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	var err error
	m.Of, err = p.operand(signing)
	p.depth--
	return m, err
}
