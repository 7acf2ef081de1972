package syntax

import "github.com/problemtracking/problems/domain/predicate"

// SortKey is one key of a sort in its written form.
type SortKey struct {
	Path       *Path
	Descending bool
}

// ParseOrder reads a sort: keys with commas between them. Its errors are
// *predicate.Error, of the kinds InvalidSyntax, Unsupported and LimitExceeded.
func ParseOrder(sort string) ([]SortKey, error) {
	if len(sort) > predicate.MaxBytes {
		return nil, errorTooLong(sort)
	}
	p := parser{lexer: lexer{text: sort}}
	var keys []SortKey
	for {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if len(keys) == predicate.MaxSortKeys {
			return nil, p.failHere(predicate.LimitExceeded, "there are more than %d keys to sort by", predicate.MaxSortKeys)
		}
		key, err := p.sortKey()
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
		if p.tok.kind == end {
			return keys, nil
		}
		if p.tok.kind != "," {
			return nil, p.unexpected("a comma or the end")
		}
	}
}

// sortKey parses a path, with "-" before it or without.
func (p *parser) sortKey() (SortKey, error) {
	var key SortKey
	if p.tok.kind == "-" {
		key.Descending = true
		if err := p.advance(); err != nil {
			return key, err
		}
	}
	if p.tok.kind != word && p.tok.kind != hashWord {
		return key, p.unexpected("a key")
	}
	key.Path = firstKey(p.tok)
	if err := p.advance(); err != nil {
		return key, err
	}
	_, err := p.postfix(key.Path, false)
	return key, err
}
