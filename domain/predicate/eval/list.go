package eval

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
)

func (e *evaluation) in(c predicate.In) (bool, error) {
	v, err := e.value(c.Operand)
	if err != nil {
		return false, err
	}
	if v, err = e.fold(c.Operand, v, c.Folding); err != nil {
		return false, err
	}
	if is, ok := e.prepared(c.List).Has(v); ok {
		return is, e.spend(textWork(v))
	}
	for _, member := range c.List {
		w, err := e.value(member)
		if err != nil {
			return false, err
		}
		if w, err = e.fold(member, w, c.Folding); err != nil {
			return false, err
		}
		if err := e.spend(1 + equalWork(v, w)); err != nil {
			return false, err
		}
		if predicate.EqualValues(v, w) {
			return true, nil
		}
	}
	return false, nil
}

// shortList is the greatest length of lists for comparing: it is as fast as a look-up.
const shortList = 8

// prepared returns the literals of a long list. It returns none for a list to compare
// member by member.
func (e *evaluation) prepared(list []predicate.Expr) literals {
	if e.lists == nil || len(list) <= shortList {
		return literals{}
	}
	prepared, known := e.lists[&list[0]]
	if !known {
		prepared = literalsOf(list)
		e.lists[&list[0]] = prepared
	}
	return prepared
}

// literals are the members of a list of Strings only, Ints only or UUIDs only. Go's ==
// compares them correctly.
type literals struct {
	one predicate.Value // any one of them
	all map[predicate.Value]struct{}
}

// literalsOf returns the literals of a list, or none when it has other members.
func literalsOf(list []predicate.Expr) literals {
	l := literals{all: make(map[predicate.Value]struct{}, len(list))}
	for i, member := range list {
		c, ok := member.(predicate.Const)
		if i == 0 {
			l.one = c.Value
		}
		if !ok || !alike(c.Value, l.one) {
			return literals{}
		}
		l.all[c.Value] = struct{}{}
	}
	return l
}

// Has reports whether a value is one of the literals. It is not ok when the literals
// cannot tell.
func (l literals) Has(v predicate.Value) (is, ok bool) {
	if l.all == nil || v != nil && !alike(v, l.one) {
		return false, false
	}
	if v != nil {
		_, is = l.all[v]
	}
	return is, true
}

// alike reports whether both values are Strings, Ints or UUIDs.
func alike(a, b predicate.Value) (ok bool) {
	switch a.(type) {
	case string:
		_, ok = b.(string)
	case int64:
		_, ok = b.(int64)
	case ident.ID:
		_, ok = b.(ident.ID)
	}
	return ok
}
