package predicate

// Order is one key of the order of results (D31). Nil comes before every value,
// whichever way it is sorted; strings are compared by code point, UUIDs by their
// bytes, and false is less than true.
type Order struct {
	// Path begins at slot 0 and has to-one keys alone. Its kind is not Object.
	Path       Path
	Descending bool
}

// CompileOrder reads how results are sorted (D31): paths of to-one keys from the
// root, joined by commas, "-" before those that descend, such as
// "state.name,-modificationDate". Of an empty text it makes no order, of a path
// that comes again none either. Its errors are *Error, of the kinds InvalidSyntax,
// Unsupported, UnknownKey, TypeMismatch, LimitExceeded and TooExpensive.
func CompileOrder(sort string, root Entity) ([]Order, error) {
	if sort == "" {
		return nil, nil
	}
	if len(sort) > MaxBytes {
		return nil, errorTooLong(sort)
	}
	keys, err := parseOrder(sort)
	if err != nil {
		return nil, err
	}
	c := newChecker(sort, root, Env{})
	var orders []Order
	known := map[string]bool{}
	for _, key := range keys {
		path, err := c.sortPath(key.path)
		if err != nil {
			return nil, err
		}
		if name := pathName(path.Steps); !known[name] {
			known[name] = true
			orders = append(orders, Order{Path: path, Descending: key.descending})
		}
	}
	return orders, nil
}

// sortKey is one key of a sort as it is written.
type sortKey struct {
	path       *path
	descending bool
}

func parseOrder(sort string) ([]sortKey, error) {
	p := parser{lexer: lexer{text: sort}}
	var keys []sortKey
	for {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if len(keys) == MaxSortKeys {
			return nil, p.failHere(LimitExceeded, "there are more than %d keys to sort by", MaxSortKeys)
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
func (p *parser) sortKey() (sortKey, error) {
	var key sortKey
	if p.tok.kind == "-" {
		key.descending = true
		if err := p.advance(); err != nil {
			return key, err
		}
	}
	if p.tok.kind != word && p.tok.kind != hashWord {
		return key, p.unexpected("a key")
	}
	key.path = firstKey(p.tok)
	if err := p.advance(); err != nil {
		return key, err
	}
	_, err := p.postfix(key.path, false)
	return key, err
}

// sortPath checks a path that results are sorted by.
func (c *checker) sortPath(n *path) (Path, error) {
	v, err := c.path(n)
	if err != nil {
		return Path{}, err
	}
	last := n.steps[len(n.steps)-1].offset
	path, ok := v.expr.(Path)
	if !ok {
		return Path{}, c.fail(last, TypeMismatch, "results are sorted by keys alone")
	}
	for i, key := range path.Steps {
		if key.Type.Many {
			return Path{}, c.fail(n.steps[i].offset, TypeMismatch, "results cannot be sorted by %s, which is a collection", key.Name)
		}
	}
	if t := path.Type(); t.Kind == Object {
		return Path{}, c.fail(last, TypeMismatch, "results cannot be sorted by an object; sort by a key of the %s, such as %s", t.Entity, schema[t.Entity].keys[0].Name)
	}
	return path, nil
}
