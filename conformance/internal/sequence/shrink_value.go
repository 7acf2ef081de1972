package sequence

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// merge lets one problem stand for another, if it still fails then.
func (s *Shrinker) merge(q Sequence) (shorter Sequence, merged bool) {
	ids := q.numbers()
	for _, id := range slices.Backward(ids) {
		for _, other := range ids {
			if other >= id {
				break
			}
			if shorter, ok := s.try(q.merged(id, other)); ok {
				return shorter, true
			}
		}
	}
	return q, false
}

// numbers returns the numbers of all problems in the Changes, in order.
func (q Sequence) numbers() []problem.ID {
	found := make(map[problem.ID]bool)
	q.replace(func(id problem.ID) problem.ID {
		found[id] = true
		return id
	})
	return slices.Sorted(maps.Keys(found))
}

// merged returns the sequence without the creation of a problem, and with another problem
// named instead.
func (q Sequence) merged(id, other problem.ID) Sequence {
	q = slices.Clone(q)
	for i := range q {
		if c, ok := q[i].(Commits); ok {
			c.Change.Effects = slices.DeleteFunc(slices.Clone(c.Change.Effects), func(e store.Effect) bool {
				create, ok := e.(store.CreateProblem)
				return ok && create.Problem.ID == id
			})
			q[i] = c
		}
	}
	return q.replace(func(named problem.ID) problem.ID {
		if named == id {
			return other
		}
		return named
	})
}

// replace returns the sequence with the problems in its Changes replaced.
func (q Sequence) replace(by func(problem.ID) problem.ID) Sequence {
	q = slices.Clone(q)
	for i := range q {
		if c, ok := q[i].(Commits); ok {
			c.Change.Expect = replaced(c.Change.Expect, by)
			c.Change.Effects = replaced(c.Change.Effects, by)
			c.Change.Log = replaced(c.Change.Log, by)
			q[i] = c
		}
	}
	return q
}

func replaced[T any](list []T, by func(problem.ID) problem.ID) []T {
	list = slices.Clone(list)
	for i := range list {
		copied := copyOf(list[i])
		for f := range leaves[problem.ID](copied) {
			f.SetInt(int64(by(problem.ID(f.Int()))))
		}
		list[i] = copied.Interface().(T)
	}
	return list
}

// texts makes the texts of Changes shorter.
func (s *Shrinker) texts(q Sequence) Sequence {
	for i := 0; i < len(q); i++ {
		for n := 0; n < effectsOf(q, i); n++ {
			q = s.shorten(q, i, n)
		}
	}
	return q
}

// shorten makes the texts of an effect shorter.
func (s *Shrinker) shorten(q Sequence, i, n int) Sequence {
	for text := 0; ; text++ {
		for edit := 0; edit < len(edits); {
			c := q[i].(Commits)
			effect, found, changed := edited(c.Change.Effects[n], text, edits[edit])
			if !found || s.Tried == s.Most {
				return q
			}
			if !changed {
				edit++
				continue
			}
			c.Change.Effects = slices.Clone(c.Change.Effects)
			c.Change.Effects[n] = effect
			shorter, ok := s.try(q.with(i, c))
			if !ok {
				edit++
				continue
			}
			less := Weight(shorter) < Weight(q)
			if q = shorter; less { // the positions have changed
				return q
			}
		}
	}
}

// effectsOf returns how many effects the step at an index has, if there is one.
func effectsOf(q Sequence, i int) int {
	if i >= len(q) {
		return 0
	}
	c, _ := q[i].(Commits)
	return len(c.Change.Effects)
}

// edits make a text shorter.
var edits = [...]func(string) string{
	func(string) string { return "x" },
	func(s string) string { return string([]rune(s)[:len([]rune(s))/2]) },
	func(s string) string { return string([]rune(s)[len([]rune(s))/2:]) },
}

// edited returns a copy of an effect with an edit made to one of its texts, by index.
// Metadata and users keep their texts, because these have to differ. So do keys of
// replies, because these have to be found again. found is false when there are not so
// many; changed is false when the text cannot be changed so.
func edited(effect store.Effect, place int, edit func(string) string) (e store.Effect, found, changed bool) {
	switch effect.(type) {
	case store.CreateProblem, store.UpdateProblem, store.PutSavepoint, store.AddComment, store.PutComment, store.PutAttachment, store.PutKeyword:
	default:
		return effect, false, false
	}
	copied := copyOf(effect)
	for f := range leaves[string](copied) {
		if place--; place >= 0 {
			continue
		}
		next := edit(f.String())
		// A keyword cannot have some names (D4), nor a problem an empty title.
		if len(next) >= f.Len() || next == "" || next == "." || next == ".." {
			return effect, true, false
		}
		f.SetString(next)
		return copied.Interface().(store.Effect), true, true
	}
	return effect, false, false
}

// copyOf returns a copy of a value for changes.
func copyOf(v any) reflect.Value {
	copied := reflect.New(reflect.TypeOf(v)).Elem()
	copied.Set(reflect.ValueOf(v))
	return copied
}

// leaves yields the fields of a type, of a struct and of structs in it.
func leaves[T any](v reflect.Value) func(func(reflect.Value) bool) {
	return func(yield func(reflect.Value) bool) { visit(v, reflect.TypeFor[T](), yield) }
}

// visit calls yield with the fields of a type until it returns false.
func visit(v reflect.Value, t reflect.Type, yield func(reflect.Value) bool) bool {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Type() == t:
			if !yield(f) {
				return false
			}
		case f.Kind() == reflect.Struct && f.Type() != reflect.TypeFor[time.Time]():
			if !visit(f, t, yield) {
				return false
			}
		}
	}
	return true
}
