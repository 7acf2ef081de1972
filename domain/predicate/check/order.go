package check

import (
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// CompileOrder reads the sort of a search (D31): paths of to-one keys from the root,
// joined by commas. A "-" before a path means descending order, as in
// "state.name,-modificationDate". An empty text gives no order, and neither does a
// repeated path. Its errors are *predicate.Error, of the kinds InvalidSyntax, Unsupported,
// UnknownKey, TypeMismatch, LimitExceeded and TooExpensive.
func CompileOrder(sort string, root predicate.Entity) ([]predicate.Order, error) {
	if sort == "" {
		return nil, nil
	}
	keys, err := syntax.ParseOrder(sort)
	if err != nil {
		return nil, err
	}
	c := newChecker(sort, root, predicate.Env{})
	var orders []predicate.Order
	known := map[string]bool{}
	for _, key := range keys {
		path, err := c.sortPath(key.Path)
		if err != nil {
			return nil, err
		}
		if name := pathName(path.Steps); !known[name] {
			known[name] = true
			orders = append(orders, predicate.Order{Path: path, Descending: key.Descending})
		}
	}
	return orders, nil
}

// sortPath checks a path of a sort.
func (c *checker) sortPath(n *syntax.Path) (predicate.Path, error) {
	v, err := c.path(n)
	if err != nil {
		return predicate.Path{}, err
	}
	last := n.Steps[len(n.Steps)-1].Offset
	path, ok := v.expr.(predicate.Path)
	if !ok {
		return predicate.Path{}, c.fail(last, predicate.TypeMismatch, "results are sorted by keys alone")
	}
	for i, key := range path.Steps {
		if key.Type.Many {
			return predicate.Path{}, c.fail(n.Steps[i].Offset, predicate.TypeMismatch, "results cannot be sorted by %s; it is a collection", key.Name)
		}
	}
	if t := path.Type(); t.Kind == predicate.Object {
		return predicate.Path{}, c.fail(last, predicate.TypeMismatch, "results cannot be sorted by an object; sort by a key of the %s, such as %s", t.Entity, predicate.Keys(t.Entity)[0].Name)
	}
	return path, nil
}
