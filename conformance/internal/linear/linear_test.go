package linear

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// call is what one asks of a list of letters: to append one, or to show it.
type call struct {
	list int    // of those that have nothing to do with each other
	add  string // empty: to show the list
}

// letters says how lists of letters answer. Who appends is told how many letters there are
// then; who looks, the letters.
func letters() Model[string, call, string] {
	return Model[string, call, string]{
		Step: func(before string, in call, out string) (string, bool) {
			if in.add == "" {
				return before, out == before
			}
			return before + in.add, out == strconv.Itoa(len(before)+1)
		},
		Part:  func(in call) int { return in.list },
		Asked: func(in call) string { return fmt.Sprintf("list %d for %q", in.list, in.add) },
		Told:  func(_ call, out string) string { return strconv.Quote(out) },
		Shown: strconv.Quote,
	}
}

// history returns one made by hand.
func history(ops ...Operation[call, string]) *History[call, string] {
	h := new(History[call, string])
	for _, op := range ops {
		h.clients[op.Client] = append(h.clients[op.Client], op)
	}
	return h
}

func op(client int, called, returned int64, in call, out string) Operation[call, string] {
	return Operation[call, string]{Client: client, In: in, Out: out, Called: called, Returned: returned}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	look := call{}
	for _, c := range []struct {
		name  string
		ops   []Operation[call, string]
		wrong bool
	}{
		{"nothing", nil, false},
		{"one after the other", []Operation[call, string]{
			op(0, 1, 2, call{add: "e"}, "1"), op(0, 3, 4, look, "e"), op(1, 5, 6, call{add: "f"}, "2"), op(1, 7, 8, look, "ef"),
		}, false},
		{"at once, in the order of the calls", []Operation[call, string]{
			op(0, 1, 4, call{add: "e"}, "1"), op(1, 2, 3, look, "e"),
		}, false},
		{"at once, in the other order", []Operation[call, string]{
			op(0, 1, 4, call{add: "e"}, "1"), op(1, 2, 3, look, ""), op(0, 5, 6, look, "e"),
		}, false},
		{"at once, as the answers demand", []Operation[call, string]{
			op(0, 1, 6, call{add: "e"}, "3"), op(1, 2, 7, call{add: "f"}, "1"), op(2, 3, 8, call{add: "g"}, "2"), op(0, 9, 10, look, "fge"),
		}, false},
		{"a look that is stale", []Operation[call, string]{
			op(0, 1, 2, call{add: "e"}, "1"), op(1, 3, 4, look, ""),
		}, true},
		{"a look that goes back", []Operation[call, string]{
			op(0, 1, 8, call{add: "e"}, "1"), op(1, 2, 3, look, "e"), op(2, 4, 5, look, ""),
		}, true},
		{"two that were told the same", []Operation[call, string]{
			op(0, 1, 4, call{add: "e"}, "1"), op(1, 2, 3, call{add: "f"}, "1"),
		}, true},
		{"one that is lost", []Operation[call, string]{
			op(0, 1, 4, call{add: "e"}, "1"), op(1, 2, 3, call{add: "f"}, "2"), op(1, 5, 6, look, "f"),
		}, true},
		{"what nobody added", []Operation[call, string]{op(0, 1, 2, look, "i")}, true},
		{"lists that have nothing to do with each other", []Operation[call, string]{
			op(0, 1, 2, call{list: 1, add: "e"}, "1"), op(0, 3, 4, call{list: 2, add: "f"}, "1"), op(1, 5, 6, call{list: 1}, "e"), op(1, 7, 8, call{list: 2}, "f"),
		}, false},
		{"the second of two lists", []Operation[call, string]{
			op(0, 1, 2, call{list: 1, add: "e"}, "1"), op(0, 3, 4, call{list: 2, add: "f"}, "1"), op(1, 5, 6, call{list: 1}, "e"), op(1, 7, 8, call{list: 2}, ""),
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := letters().Check(history(c.ops...), time.Minute)
			if _, violated := errors.AsType[*Violation](err); violated != c.wrong || !violated && err != nil {
				t.Errorf("Check: %v; want a Violation: %t", err, c.wrong)
			}
		})
	}
}

// TestViolation shows what is told of a history that is not linearizable.
func TestViolation(t *testing.T) {
	t.Parallel()
	var ops []Operation[call, string]
	for i := range 7 {
		at := int64(2 * i)
		ops = append(ops, op(i%2, at+1, at+2, call{add: string(rune('a' + i))}, strconv.Itoa(i+1)))
	}
	ops = append(ops,
		op(0, 15, 17, call{}, "abc"), op(1, 16, 20, call{}, "g"), op(2, 17, 21, call{add: "i"}, "8"), op(3, 18, 19, call{}, "abcdefg"))
	err := letters().Check(history(ops...), time.Minute)
	v, ok := errors.AsType[*Violation](err)
	if !ok {
		t.Fatalf("Check: %v, want a Violation", err)
	}
	want := Violation{
		Operations: 11,
		Explained:  8,
		Before: []string{
			`From moment 5 to 6, client 0 asked list 0 for "c", and was told: "3".`,
			`From moment 7 to 8, client 1 asked list 0 for "d", and was told: "4".`,
			`From moment 9 to 10, client 0 asked list 0 for "e", and was told: "5".`,
			`From moment 11 to 12, client 1 asked list 0 for "f", and was told: "6".`,
			`From moment 13 to 14, client 0 asked list 0 for "g", and was told: "7".`,
			`From moment 17 to 21, client 2 asked list 0 for "i", and was told: "8".`,
		},
		State: `"abcdefgi"`,
		Stuck: []string{
			`From moment 15 to 17, client 0 asked list 0 for "", and was told: "abc".`,
			`From moment 16 to 20, client 1 asked list 0 for "", and was told: "g".`,
		},
	}
	switch {
	case v.Operations != want.Operations || v.Explained != want.Explained || v.State != want.State:
		t.Errorf("the Violation is %+v, want %+v", v, want)
	case !slices.Equal(v.Before, want.Before):
		t.Errorf("before the spot: %q, want %q", v.Before, want.Before)
	case !slices.Equal(v.Stuck, want.Stuck):
		t.Errorf("at the spot: %q, want %q", v.Stuck, want.Stuck)
	}
	for _, sentence := range append(slices.Concat(want.Before, want.Stuck), "no order of the 11 operations", "At most 8 of them", `Then there is "abcdefgi".`) {
		if !strings.Contains(err.Error(), sentence) {
			t.Errorf("the error does not say %q:\n%v", sentence, err)
		}
	}
}

// TestInconclusive has the checker look for an order that takes it too long: of
// many that were under way at once, only the last answer rules everything out.
func TestInconclusive(t *testing.T) {
	t.Parallel()
	m := Model[uint64, int, bool]{
		Step: func(before uint64, in int, out bool) (uint64, bool) {
			return before*31 + uint64(in), out // another state for every order
		},
		Asked: func(int) string { return "" }, Told: func(int, bool) string { return "" }, Shown: func(uint64) string { return "" },
	}
	h := new(History[int, bool])
	for i := range 12 {
		h.clients[0] = append(h.clients[0], Operation[int, bool]{In: i + 1, Out: true, Called: int64(i), Returned: 100})
	}
	h.clients[1] = append(h.clients[1], Operation[int, bool]{Client: 1, Out: false, Called: 50, Returned: 100})
	err := m.Check(h, 50*time.Millisecond)
	inconclusive, ok := errors.AsType[*Inconclusive](err)
	if !ok {
		t.Fatalf("Check: %v, want an Inconclusive error", err)
	}
	if inconclusive.Operations != 13 || inconclusive.Limit != 50*time.Millisecond {
		t.Errorf("the error is %+v, want one of 13 operations within 50 ms", inconclusive)
	}
	if !strings.Contains(err.Error(), "inconclusive") {
		t.Errorf("the error does not call itself inconclusive: %v", err)
	}
}

// TestDo has clients use a list that is what it should be, and one that loses
// what it is given.
func TestDo(t *testing.T) {
	t.Parallel()
	for _, lossy := range []bool{false, true} {
		t.Run(fmt.Sprintf("lossy: %t", lossy), func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var kept string
			ask := func(in call) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				if in.add == "" {
					return kept, nil
				}
				if !lossy || in.add != "c" {
					kept += in.add
				}
				return strconv.Itoa(len(kept)), nil
			}
			h := new(History[call, string])
			var all sync.WaitGroup
			for who := range 4 {
				all.Go(func() {
					for _, in := range []call{{}, {add: string(rune('a' + who))}, {}} {
						if _, err := h.Do(who, in, func() (string, error) { return ask(in) }); err != nil {
							t.Errorf("Do: %v", err)
						}
					}
				})
			}
			all.Wait()
			if n := len(h.operations()); n != 12 {
				t.Errorf("%d operations were recorded, want 12", n)
			}
			if err := letters().Check(h, time.Minute); (err != nil) != lossy {
				t.Errorf("Check: %v", err)
			}
		})
	}
}

// TestDoErrors shows what becomes of operations that fail.
func TestDoErrors(t *testing.T) {
	t.Parallel()
	h := new(History[call, string])
	failed := errors.New("failed")
	if _, err := h.Do(0, call{add: "a"}, func() (string, error) { return "", failed }); err != failed {
		t.Errorf("Do: %v, want the operation's own error", err)
	}
	if _, err := h.Do(1, call{add: "b"}, func() (string, error) { return "1", nil }); err != nil {
		t.Errorf("Do: %v", err)
	}
	ops := h.operations()
	if want := op(1, 3, 4, call{add: "b"}, "1"); len(ops) != 1 || ops[0] != want {
		t.Errorf("recorded is %+v, want the operation alone that did not fail: %+v", ops, want)
	}
}
