package syntax

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
)

// postfix parses the steps after an operand. They extend a path, unless parentheses
// close it.
func (p *parser) postfix(n Operand, closed bool) (Operand, error) {
	on, ok := n.(*Path)
	if !ok || closed {
		on = nil
	}
	for p.tok.kind == "." || p.tok.kind == "[" {
		s, err := p.step()
		if err != nil {
			return nil, err
		}
		if on == nil {
			on = &Path{Of: n}
		}
		on.Steps = append(on.Steps, s)
		if s.Aggregate == "" && on.segments() > predicate.MaxPathSegments {
			return nil, p.fail(s.Offset, predicate.LimitExceeded, "the path has more than %d keys", predicate.MaxPathSegments)
		}
		n = on
	}
	return n, nil
}

// segments returns the number of keys of the path. It includes the keys of a path in
// parentheses at its start, or of the collection of a SUBQUERY there.
func (n *Path) segments() int {
	count := 0
	for _, s := range n.Steps {
		if s.Aggregate == "" {
			count++
		}
	}
	of := n.Of
	for {
		q, ok := of.(*Subquery)
		if !ok {
			break
		}
		of = q.Coll
	}
	if of, ok := of.(*Path); ok {
		count += of.segments()
	}
	return count
}

// step parses one step: .key, .@word or [SIZE].
func (p *parser) step() (Step, error) {
	if p.tok.kind == "[" {
		return p.size()
	}
	if err := p.advance(); err != nil {
		return Step{}, err
	}
	if p.tok.kind != "@" {
		s := Step{Offset: p.tok.offset, Name: p.tok.text}
		if !p.tok.isWord() && p.tok.kind != hashWord {
			return Step{}, p.unexpected("a key")
		}
		return s, p.advance()
	}
	if err := p.advance(); err != nil {
		return Step{}, err
	}
	s := Step{Offset: p.tok.offset}
	if !p.tok.isWord() {
		return Step{}, p.unexpected("a word such as count")
	}
	if a := predicate.AggregateFunc("@" + strings.ToLower(p.tok.text)); slices.Contains(predicate.Aggregates(), a) {
		s.Aggregate = a
		return s, p.advance()
	}
	return Step{}, p.failHere(predicate.Unsupported, "there are @count, @sum, @avg, @min and @max alone")
}

// size parses [SIZE].
func (p *parser) size() (Step, error) {
	opened := p.tok.offset
	if err := p.advance(); err != nil {
		return Step{}, err
	}
	s := Step{Offset: p.tok.offset, Aggregate: predicate.Count}
	switch p.tok.kind {
	case "SIZE":
	case "FIRST", "LAST", number:
		return Step{}, p.failHere(predicate.Unsupported, "collections have no order: there is [SIZE] alone")
	default:
		return Step{}, p.failHere(predicate.InvalidSyntax, "expected SIZE; a modifier such as [c] stands after an operator")
	}
	if err := p.advance(); err != nil {
		return Step{}, err
	}
	return s, p.closing("]", opened)
}
