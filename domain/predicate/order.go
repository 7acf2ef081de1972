package predicate

// Order is one key of the order of results (D31). nil comes before every value, in
// ascending and in descending order. Strings compare by code point, and UUIDs by their
// bytes. false is less than true.
type Order struct {
	// Path begins at slot 0 and has only to-one keys. Its kind is not Object.
	Path       Path
	Descending bool
}

// CompileOrder reads the sort of a search (D31): paths of to-one keys from the root,
// joined by commas. A "-" before a path means descending order, as in
// "state.name,-modificationDate". An empty text gives no order, and neither does a
// repeated path. Its errors are *Error, of the kinds InvalidSyntax, Unsupported,
// UnknownKey, TypeMismatch, LimitExceeded and TooExpensive.
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

// sortKey is one key of a sort in its written form.
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

// sortPath checks a path of a sort.
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
			return Path{}, c.fail(n.steps[i].offset, TypeMismatch, "results cannot be sorted by %s; it is a collection", key.Name)
		}
	}
	if t := path.Type(); t.Kind == Object {
		return Path{}, c.fail(last, TypeMismatch, "results cannot be sorted by an object; sort by a key of the %s, such as %s", t.Entity, schema[t.Entity].keys[0].Name)
	}
	return path, nil
}
