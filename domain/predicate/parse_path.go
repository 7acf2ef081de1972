package predicate

import "strings"

// postfix parses the steps after an operand. They extend a path, unless parentheses
// close it.
func (p *parser) postfix(n operand, closed bool) (operand, error) {
	on, ok := n.(*path)
	if !ok || closed {
		on = nil
	}
	for p.tok.kind == "." || p.tok.kind == "[" {
		s, err := p.step()
		if err != nil {
			return nil, err
		}
		if on == nil {
			on = &path{of: n}
		}
		on.steps = append(on.steps, s)
		if s.aggregate == "" && on.segments() > MaxPathSegments {
			return nil, p.fail(s.offset, LimitExceeded, "the path has more than %d keys", MaxPathSegments)
		}
		n = on
	}
	return n, nil
}

// segments returns the number of keys of the path. It includes the keys of a path in
// parentheses at its start, or of the collection of a SUBQUERY there.
func (n *path) segments() int {
	count := 0
	for _, s := range n.steps {
		if s.aggregate == "" {
			count++
		}
	}
	of := n.of
	for {
		q, ok := of.(*subquery)
		if !ok {
			break
		}
		of = q.coll
	}
	if of, ok := of.(*path); ok {
		count += of.segments()
	}
	return count
}

// aggregates are the names after ".@".
var aggregates = map[AggregateFunc]bool{Count: true, Sum: true, Average: true, Min: true, Max: true}

// step parses one step: .key, .@word or [SIZE].
func (p *parser) step() (step, error) {
	if p.tok.kind == "[" {
		return p.size()
	}
	if err := p.advance(); err != nil {
		return step{}, err
	}
	if p.tok.kind != "@" {
		s := step{offset: p.tok.offset, name: p.tok.text}
		if !p.tok.isWord() && p.tok.kind != hashWord {
			return step{}, p.unexpected("a key")
		}
		return s, p.advance()
	}
	if err := p.advance(); err != nil {
		return step{}, err
	}
	s := step{offset: p.tok.offset}
	if !p.tok.isWord() {
		return step{}, p.unexpected("a word such as count")
	}
	if a := AggregateFunc("@" + strings.ToLower(p.tok.text)); aggregates[a] {
		s.aggregate = a
		return s, p.advance()
	}
	return step{}, p.failHere(Unsupported, "there are @count, @sum, @avg, @min and @max alone")
}

// size parses [SIZE].
func (p *parser) size() (step, error) {
	if err := p.advance(); err != nil {
		return step{}, err
	}
	s := step{offset: p.tok.offset, aggregate: Count}
	switch p.tok.kind {
	case "SIZE":
	case "FIRST", "LAST", number:
		return step{}, p.failHere(Unsupported, "collections have no order: there is [SIZE] alone")
	default:
		return step{}, p.failHere(InvalidSyntax, "expected SIZE; a modifier such as [c] stands after an operator")
	}
	if err := p.advance(); err != nil {
		return step{}, err
	}
	return s, p.expect("]")
}
