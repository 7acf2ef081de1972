package metadata

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// ruled is a catalogue to change. It has two initial states and a closed one. It has
// the components App/UI/Login, Server/UI and Old, with Server as the successor of Old.
// It has milestones of one name in different components.
func ruled() *Catalogue {
	return NewCatalogue(ident.Version{Number: 3}, Content{
		States: []State{
			{ID: id(1), Name: "Open", Initial: true, Order: 10},
			{ID: id(2), Name: "Triage", Initial: true, Order: 11},
			{ID: id(3), Name: "Closed", Resolved: true, Order: 12},
		},
		Priorities:      []Priority{{ID: id(10), Name: "High", Order: -4}},
		Classifications: []Classification{{ID: id(20), Name: "Task"}},
		Components: []Component{
			{ID: id(30), Name: "App"},
			{ID: id(31), Name: "UI", Parent: id(30)},
			{ID: id(32), Name: "Login", Parent: id(31)},
			{ID: id(33), Name: "Server"},
			{ID: id(34), Name: "UI", Parent: id(33)},
			{ID: id(35), Name: "Old", Successor: id(33), Closed: true},
			{ID: id(36), Name: "Ring", Successor: id(37)},
			{ID: id(37), Name: "Ring 2", Successor: id(36)},
		},
		Milestones: []Milestone{{ID: id(40), Name: "1.0"}, {ID: id(41), Name: "1.0", Component: id(30)}},
	})
}

// D2: refused and accepted objects in a filled catalogue.
func TestRules(t *testing.T) {
	t.Parallel()
	c := ruled()
	for _, r := range []struct {
		rule string
		err  error
		want fault.Kind
	}{
		{"a new state", c.CheckState(State{Name: "New"}), ""},
		{"a state's name is unique", c.CheckState(State{ID: id(9), Name: "Open"}), fault.AlreadyExists},
		{"names compare exactly (D3)", c.CheckState(State{ID: id(9), Name: "open"}), ""},
		{"a state keeps its own name", c.CheckState(State{ID: id(1), Name: "Open", Initial: true}), ""},
		{"a state takes the name of another", c.CheckState(State{ID: id(1), Name: "Closed", Initial: true}), fault.AlreadyExists},
		{"one of two initial states is so no longer", c.CheckState(State{ID: id(1), Name: "Open"}), ""},
		{"what never was initial", c.CheckState(State{ID: id(3), Name: "Closed"}), ""},
		{"a priority's name is unique", c.CheckPriority(Priority{Name: "High"}), fault.AlreadyExists},
		{"a priority has a state's name", c.CheckPriority(Priority{Name: "Open"}), ""},
		{"a priority keeps its own name", c.CheckPriority(Priority{ID: id(10), Name: "High", Order: 7}), ""},
		{"a classification's name is unique", c.CheckClassification(Classification{Name: "Task"}), fault.AlreadyExists},
		{"a new classification", c.CheckClassification(Classification{Name: "Feature"}), ""},
		{"a component's name is unique at the root", c.CheckComponent(Component{Name: "App"}), fault.AlreadyExists},
		{"and within its parent", c.CheckComponent(Component{Name: "UI", Parent: id(30)}), fault.AlreadyExists},
		{"but free within another", c.CheckComponent(Component{Name: "Login", Parent: id(34)}), ""},
		{"a component moves to where its name is taken", c.CheckComponent(Component{ID: id(34), Name: "UI", Parent: id(30)}), fault.AlreadyExists},
		{"a component moves", c.CheckComponent(Component{ID: id(31), Name: "UI", Parent: id(35)}), ""},
		{"a milestone's name is unique without component", c.CheckMilestone(Milestone{Name: "1.0"}), fault.AlreadyExists},
		{"and within its component", c.CheckMilestone(Milestone{Name: "1.0", Component: id(30)}), fault.AlreadyExists},
		{"but free within another component", c.CheckMilestone(Milestone{Name: "1.0", Component: id(33)}), ""},
		{"a milestone keeps its own name", c.CheckMilestone(Milestone{ID: id(40), Name: "1.0"}), ""},
		{"a milestone moves to where its name is taken", c.CheckMilestone(Milestone{ID: id(41), Name: "1.0"}), fault.AlreadyExists},
		{"a ring that came from elsewhere can be renamed", c.CheckComponent(Component{ID: id(36), Name: "Circle", Successor: id(37)}), ""},
		{"and left", c.CheckComponent(Component{ID: id(36), Name: "Ring"}), ""},
		{"and leads nowhere else", c.CheckComponent(Component{ID: id(33), Name: "Server", Successor: id(36)}), ""},
	} {
		if got := r.err; (got != nil || r.want != "") && !fault.Is(got, r.want) {
			t.Errorf("%s: %v, want the kind %q", r.rule, got, r.want)
		}
	}
}

// D2: some initial state always remains.
func TestLastInitialState(t *testing.T) {
	t.Parallel()
	c := NewCatalogue(ident.Version{Number: 1}, Content{States: []State{{ID: id(1), Name: "Open", Initial: true}, {ID: id(2), Name: "Closed"}}})
	if err := c.CheckState(State{ID: id(1), Name: "Open"}); !fault.Is(err, fault.InUse) {
		t.Errorf("the last initial state can be made none: %v", err)
	}
	if err := c.CheckState(State{ID: id(1), Name: "New", Initial: true}); err != nil {
		t.Errorf("the last initial state cannot be renamed: %v", err)
	}
	if err := c.CheckState(State{ID: id(2), Name: "Closed", Initial: true}); err != nil {
		t.Errorf("no other state can become initial: %v", err)
	}
}

// An error has the first names of a long cycle, and the end of a long full name: it says most.
func TestLongComponentCircles(t *testing.T) {
	t.Parallel()
	const n = 40
	var content Content
	var ids []ident.ID
	for i := range n {
		o := Component{ID: id(100 + i), Name: strings.Repeat("é", 250) + fmt.Sprint(100+i)}
		if i > 0 {
			o.Parent, o.Successor = ids[i-1], ids[i-1]
		}
		content.Components, ids = append(content.Components, o), append(ids, o.ID)
	}
	c := NewCatalogue(ident.Version{Number: 1}, content)
	for _, o := range []Component{
		{ID: ids[0], Name: content.Components[0].Name, Parent: ids[n-1]},
		{ID: ids[0], Name: content.Components[0].Name, Successor: ids[n-1]},
	} {
		err := c.CheckComponent(o)
		if !fault.Is(err, fault.MetadataCycle) {
			t.Fatalf("%v, want metadata-cycle", err)
		}
		_, path, _ := strings.Cut(err.Error(), " would be: ")
		names := strings.Split(path, " → ")
		for i, want := range []string{"é100", "é139", "é138", "é137", "é136", "é135", "é134", "é133", "é132", "é131", "…", "é100"} {
			if i >= len(names) || !strings.HasSuffix(names[i], want) || utf8.RuneCountInString(names[i]) > 256 {
				t.Fatalf("name %d of the path is not %s: %s", i, want, path)
			}
		}
	}
	if got := c.candidates(Components, ids); len(got) > 8<<10 {
		t.Errorf("%d bytes list the candidates", len(got))
	}
}

// A cycle of components is refused with its path.
func TestComponentCircles(t *testing.T) {
	t.Parallel()
	c := ruled()
	for _, r := range []struct {
		o    Component
		want string
	}{
		{Component{ID: id(30), Name: "App", Parent: id(30)}, "a component cannot be below itself; the parents would be: App → App"},
		{Component{ID: id(30), Name: "App", Parent: id(32)}, "a component cannot be below itself; the parents would be: App → App/UI/Login → App/UI → App"},
		{Component{ID: id(31), Name: "X", Parent: id(32)}, "a component cannot be below itself; the parents would be: App/UI → App/UI/Login → App/UI"},
		{Component{ID: id(33), Name: "Server", Successor: id(33)}, "a component cannot succeed itself; the successors would be: Server → Server"},
		{Component{ID: id(33), Name: "Server", Successor: id(35)}, "a component cannot succeed itself; the successors would be: Server → Old → Server"},
		{Component{ID: id(33), Name: "Server", Parent: id(33), Successor: id(33)}, "a component cannot be below itself; the parents would be: Server → Server"},
	} {
		err := c.CheckComponent(r.o)
		if !fault.Is(err, fault.MetadataCycle) || !strings.HasSuffix(err.Error(), r.want) {
			t.Errorf("%+v: %v, want metadata-cycle: %s", r.o, err, r.want)
		}
	}
	if err := c.CheckComponent(Component{ID: id(30), Name: "App", Successor: id(31)}); err != nil {
		t.Errorf("a component cannot be succeeded by one below it: %v", err)
	}
}

// D2: a person answers for each robot.
func TestCheckRobot(t *testing.T) {
	t.Parallel()
	c := NewCatalogue(ident.Version{Number: 1}, Content{Users: []user.User{{ID: id(50)}, {ID: id(51), RobotOf: id(50)}, {ID: id(52)}}})
	for rule, r := range map[string]struct {
		u  user.User
		ok bool
	}{
		"a new person":                  {user.User{}, true},
		"a new robot":                   {user.User{RobotOf: id(50)}, true},
		"another person":                {user.User{ID: id(51), RobotOf: id(52)}, true},
		"a robot of itself":             {user.User{ID: id(52), RobotOf: id(52)}, false},
		"a robot of a robot":            {user.User{ID: id(52), RobotOf: id(51)}, false},
		"a robot that answers for one":  {user.User{ID: id(50), RobotOf: id(52)}, false},
		"a person who answers for none": {user.User{ID: id(50)}, true},
	} {
		if err := c.CheckRobot(r.u); (err == nil) != r.ok {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

func TestCheckComponentName(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{"Server": true, "a\\b": true, "a∕b": true, "/": false, "a/b": false, "a/": false} {
		if err := CheckComponentName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// D2: no full name becomes longer than 4,096 bytes, neither that of the component nor one
// below it. Longer ones are there from before, and can become shorter.
func TestCheckFullName(t *testing.T) {
	t.Parallel()
	name := func(bytes int) string { return strings.Repeat("x", bytes) }
	c := NewCatalogue(ident.Version{Number: 1}, Content{Components: []Component{
		{ID: id(1), Name: name(2000)},
		{ID: id(2), Name: name(1000), Parent: id(1)}, // 3001
		{ID: id(3), Name: "deep", Parent: id(2)},     // 3006
		{ID: id(4), Name: name(50), Parent: id(2)},   // 3052
		{ID: id(5), Name: "a", Parent: id(1)},        // 2002
		{ID: id(6), Name: name(1000)},
		{ID: id(7), Name: name(5000)}, // from before
		{ID: id(8), Name: "old", Parent: id(7)},
		{ID: id(9), Name: "left", Parent: id(10)}, // a ring that came from elsewhere
		{ID: id(10), Name: "right", Parent: id(9)},
	}})
	const own, below = "must be shorter: the full name of this component would have %d bytes in UTF-8, and at most 4096 are possible",
		"must be shorter: the full name of the component %q below it would have %d bytes in UTF-8, and at most 4096 are possible"
	for _, r := range []struct {
		rule string
		o    Component
		want string
	}{
		{"a new one at the root", Component{Name: name(4096)}, ""},
		{"too long by a byte", Component{Name: name(4097)}, fmt.Sprintf(own, 4097)},
		{"bytes count, not characters", Component{Name: strings.Repeat("é", 2049)}, fmt.Sprintf(own, 4098)},
		{"below others", Component{Name: name(1094), Parent: id(2)}, ""},
		{"too long by a byte below others", Component{Name: name(1095), Parent: id(2)}, fmt.Sprintf(own, 4097)},
		{"a renamed leaf", Component{ID: id(3), Name: name(1094), Parent: id(2)}, ""},
		{"a renamed leaf becomes too long", Component{ID: id(3), Name: name(1095), Parent: id(2)}, fmt.Sprintf(own, 4097)},
		{"a renamed root", Component{ID: id(1), Name: name(3044)}, ""},
		{"a renamed root makes one below too long", Component{ID: id(1), Name: name(3045)}, fmt.Sprintf(below, name(50), 4097)},
		{"a moved component", Component{ID: id(2), Name: name(1000), Parent: id(6)}, ""},
		{"a moved component becomes too long", Component{ID: id(6), Name: name(1095), Parent: id(2)}, fmt.Sprintf(own, 4097)},
		{"a move makes one below too long", Component{ID: id(1), Name: name(2045), Parent: id(6)}, fmt.Sprintf(below, name(50), 4098)},
		{"one to the root", Component{ID: id(2), Name: name(1000)}, ""},
		{"one from before as it is", Component{ID: id(7), Name: name(5000), Closed: true}, ""},
		{"one from before with another name", Component{ID: id(7), Name: strings.Repeat("y", 5000)}, ""},
		{"one from before becomes shorter", Component{ID: id(7), Name: name(4999)}, ""},
		{"one from before becomes longer", Component{ID: id(7), Name: name(5001)}, fmt.Sprintf(below, "old", 5005)},
		{"one below it becomes shorter", Component{ID: id(8), Name: "o", Parent: id(7)}, ""},
		{"one below it becomes longer", Component{ID: id(8), Name: "older", Parent: id(7)}, fmt.Sprintf(own, 5006)},
		{"a new one below it", Component{Name: "n", Parent: id(7)}, fmt.Sprintf(own, 5002)},
		{"one below itself is refused elsewhere", Component{ID: id(1), Name: name(4096), Parent: id(3)}, ""},
		{"a ring is left", Component{ID: id(9), Name: name(4000)}, ""},
	} {
		got := ""
		if err := c.CheckFullName(r.o); err != nil {
			got = err.Error()
		}
		if got != r.want {
			t.Errorf("%s: %q, want %q", r.rule, got, r.want)
		}
	}
}

// An object without an order comes last.
func TestNextOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"states", ruled().NextStateOrder(), 13},
		{"priorities below zero", ruled().NextPriorityOrder(), -3},
		{"none", NewCatalogue(ident.Version{}, Content{}).NextPriorityOrder(), 1},
		{"the last possible", NewCatalogue(ident.Version{}, Content{States: []State{{Order: MaxOrder}}}).NextStateOrder(), MaxOrder},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.what, c.got, c.want)
		}
	}
}

// Put random components and states, if the rules allow them. Then names stay unique,
// parents and successors have no cycles, and an initial state remains. Full names are
// the names from the root.
func TestRulesProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 9))
		c := NewCatalogue(ident.Version{Number: 1}, Content{States: []State{{ID: id(100), Name: "a", Initial: true}}})
		refused := 0
		for range 60 {
			content := c.Content().Clone()
			name := string(rune('a' + random.IntN(4)))
			anyOf := func(base, n int) ident.ID {
				if i := random.IntN(n + 1); i > 0 {
					return id(base + i)
				}
				return ident.None
			}
			var err error
			if random.IntN(3) == 0 {
				s := State{ID: id(100 + random.IntN(4)), Name: name, Initial: random.IntN(3) == 0}
				if err = c.CheckState(s); err == nil {
					content.States = replace(content.States, s, func(o State) ident.ID { return o.ID })
				}
			} else {
				// All references lead to existing objects: the tracker resolves them.
				n := len(content.Components)
				o := Component{ID: id(201 + random.IntN(min(n+1, 8))), Name: name, Parent: anyOf(200, n), Successor: anyOf(200, n)}
				if err = c.CheckComponent(o); err == nil {
					content.Components = replace(content.Components, o, func(o Component) ident.ID { return o.ID })
				}
			}
			if err != nil {
				refused++
				continue
			}
			c = NewCatalogue(c.Version.Next(ident.None), content)
			if broken := brokenRule(c); broken != "" {
				t.Fatalf("seed %d: %s in %+v", seed, broken, c.Content())
			}
		}
		if refused == 0 || refused == 60 {
			t.Errorf("seed %d: %d of 60 refused, which shows nothing", seed, refused)
		}
	}
}

func replace[T any](list []T, o T, idOf func(T) ident.ID) []T {
	for i := range list {
		if idOf(list[i]) == idOf(o) {
			list[i] = o
			return list
		}
	}
	return append(list, o)
}

// brokenRule looks for violations of the rules in the simplest way.
func brokenRule(c *Catalogue) string {
	initial, names := 0, map[string]bool{}
	for _, s := range c.Content().States {
		if s.Initial {
			initial++
		}
		if names[s.Name] {
			return "two states of one name"
		}
		names[s.Name] = true
	}
	if initial == 0 {
		return "no initial state"
	}
	for _, o := range c.Content().Components {
		key := fmt.Sprint(o.Parent, "/", o.Name)
		if names[key] {
			return "two components of one name"
		}
		names[key] = true
		full, above, steps := o.Name, o.Parent, 0
		for ; !above.IsNone(); steps++ {
			if steps > 20 {
				return "a circle of parents"
			}
			parent, _ := c.Component(above)
			full, above = parent.Name+"/"+full, parent.Parent
		}
		if got := c.FullName(o.ID); got != full {
			return fmt.Sprintf("the full name %q of %q", got, full)
		}
		for next, steps := o.Successor, 0; !next.IsNone(); steps++ {
			if steps > 20 {
				return "a circle of successors"
			}
			s, _ := c.Component(next)
			next = s.Successor
		}
	}
	return ""
}

// The rules of single members, at the edges.
func TestRulesOfMembers(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	for _, r := range []struct {
		rule string
		err  error
		ok   bool
	}{
		{"the least order", CheckOrder(MinOrder), true},
		{"below the least order", CheckOrder(MinOrder - 1), false},
		{"the greatest order", CheckOrder(MaxOrder), true},
		{"above the greatest order", CheckOrder(MaxOrder + 1), false},
		{"the most next states", CheckNext(MaxNext), true},
		{"more next states", CheckNext(MaxNext + 1), false},
		{"a milestone of a moment", CheckPeriod(day(1), day(1)), true},
		{"a milestone that ends first", CheckPeriod(day(2), day(1)), false},
		{"a milestone without end", CheckPeriod(day(2), time.Time{}), true},
		{"a milestone without start", CheckPeriod(time.Time{}, day(1)), true},
	} {
		if (r.err == nil) != r.ok {
			t.Errorf("%s: %v", r.rule, r.err)
		}
	}
}
