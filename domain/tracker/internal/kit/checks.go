package kit

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Equal reports a difference between what a test got and what it wants.
func Equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// NoError ends the test when there is an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// WantFault checks the kind of an error and, where the test names them, its items,
// each as "kind pointer".
func WantFault(t *testing.T, err error, kind fault.Kind, items ...string) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Fatalf("got the error %v, want one of kind %s", err, kind)
	}
	if len(items) == 0 {
		return
	}
	var got []string
	for _, item := range FaultOf(t, err).Items {
		got = append(got, string(item.Kind)+" "+Pointer(item.At))
		if item.Detail == "" {
			t.Errorf("the fault at %q has no detail", Pointer(item.At))
		}
	}
	slices.Sort(got)
	Equal(t, "faults", got, slices.Sorted(slices.Values(items)))
}

// FaultOf returns err as the fault that it has to be.
func FaultOf(t *testing.T, err error) *fault.Error {
	t.Helper()
	f, ok := err.(*fault.Error)
	if !ok {
		t.Fatalf("the error %v is no *fault.Error", err)
	}
	return f
}

// EffectsOf returns the effects of one type.
func EffectsOf[E store.Effect](c store.Change) (effects []E) {
	for _, e := range c.Effects {
		if e, ok := e.(E); ok {
			effects = append(effects, e)
		}
	}
	return effects
}

// Updated returns the problem that the change stores.
func Updated(t *testing.T, c store.Change, id problem.ID) problem.Problem {
	t.Helper()
	var found []problem.Problem
	for _, e := range EffectsOf[store.UpdateProblem](c) {
		if e.Problem.ID == id {
			found = append(found, e.Problem)
		}
	}
	if len(found) != 1 {
		t.Fatalf("the change stores problem %d %d times, want once: %+v", id, len(found), c.Effects)
	}
	return found[0]
}

// Nothing checks that a change does nothing, so that it is not committed (D8).
func Nothing(t *testing.T, c store.Change) {
	t.Helper()
	if !c.Empty() {
		t.Errorf("the change is not empty: effects %+v, log %+v", c.Effects, c.Log)
	}
}

// Logged checks the log entries of a change: what they say, each as
// "problem@revision Type field: from → to", and that they are of one batch (D8).
func Logged(t *testing.T, c store.Change, want ...string) {
	t.Helper()
	var got []string
	seen := map[ident.ID]bool{c.Batch: true}
	for _, e := range c.Log {
		got = append(got, fmt.Sprintf("%d@%d %s %s: %s → %s", e.Problem, e.Revision, e.Type, e.Field, e.From.JSON(), e.To.JSON()))
		if e.Batch != c.Batch || e.Author != c.Author || !e.Created.Equal(c.At) {
			t.Errorf("entry %+v does not carry the batch %s, the author %s and the time %s of its change", e, c.Batch, c.Author, c.At)
		}
		if e.ID.IsNone() || seen[e.ID] {
			t.Errorf("the identifier %s of an entry is not its own", e.ID)
		}
		seen[e.ID] = true
	}
	Equal(t, "log", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// Ref is how the log shows an object (D8), written out by the test.
func Ref(id ident.ID, name string) string {
	return fmt.Sprintf(`{"identifier":"%s","name":"%s"}`, id, name)
}

// Expects checks what a change rests on, in any order.
func Expects(t *testing.T, c store.Change, want ...store.Expectation) {
	t.Helper()
	show := func(all []store.Expectation) []string {
		texts := make([]string, len(all))
		for i, e := range all {
			texts[i] = fmt.Sprintf("%T%+v", e, e)
		}
		slices.Sort(texts)
		return texts
	}
	Equal(t, "expectations", show(c.Expect), show(want))
}

// LogSize returns the size of what a change adds to the log of a problem.
func LogSize(change store.Change, id problem.ID) (size int64) {
	for _, e := range change.Log {
		if e.Problem == id {
			size += e.Size()
		}
	}
	return size
}

// Pointer returns a place in a body as tests write it, such as /keywords/0/name.
func Pointer(at fault.Location) (text string) {
	for _, step := range at.Steps() {
		if text += "/"; step.Element {
			text += strconv.Itoa(step.Index)
		} else {
			text += strings.NewReplacer("~", "~0", "/", "~1").Replace(step.Name)
		}
	}
	return text
}

// MemberAt returns the place of a member such as /title, and the whole body for "".
func MemberAt(pointer string) fault.Location {
	if name, ok := strings.CutPrefix(pointer, "/"); ok {
		return fault.At(name)
	}
	return fault.Location{}
}

// AtOnce calls fn n times at once, and returns the errors and how long the last
// took.
func AtOnce(n int, fn func(i int) error) (errs []error, took time.Duration) {
	began := time.Now()
	errs = make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = fn(i) })
	}
	all.Wait()
	return errs, time.Since(began)
}
