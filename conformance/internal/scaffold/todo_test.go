package scaffold

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

// harness returns one that declares this. It is never called.
func harness(durable, shared, replicated conformance.Support) conformance.Harness {
	h := conformance.Harness{
		Name: "mystore",
		Open: func(t conformance.T, _ conformance.Env) store.Store {
			t.Fatalf("no case was chosen that opens a store")
			return nil
		},
		Caps: conformance.Capabilities{Durable: durable, Shared: shared, Replicated: replicated},
	}
	if durable == conformance.Yes {
		h.Reopen, h.Crash = h.Open, conformance.KillChild
	}
	if shared == conformance.Yes {
		h.Peer = h.Open
	}
	if replicated == conformance.Yes {
		h.Replicate = func(conformance.T, conformance.Env) conformance.Replication { return conformance.Replication{} }
	}
	return h
}

func TestTodoHasWhatConcernsTheAdapter(t *testing.T) {
	t.Parallel()
	var declared []conformance.Harness
	for _, durable := range []conformance.Support{conformance.Yes, conformance.No} {
		for _, shared := range []conformance.Support{conformance.Yes, conformance.No} {
			for _, replicated := range []conformance.Support{conformance.Yes, conformance.No, conformance.Undeclared} {
				declared = append(declared, harness(durable, shared, replicated))
			}
		}
	}
	holding := harness(conformance.Yes, conformance.Yes, conformance.No)
	holding.Hold = func(conformance.T, conformance.Env) conformance.Holding { return conformance.Holding{} }
	for _, h := range append(declared, holding) {
		r, err := conformance.Execute(t.Context(), h, conformance.Options{Only: regexp.MustCompile(`^none$`)})
		if err != nil {
			t.Fatal(err)
		}
		todo, err := TodoOf(r)
		if err != nil {
			t.Fatal(err)
		}
		list := todo.Markdown()
		for _, c := range r.Cases {
			if got, want := strings.Count(list, "- [ ] `"+c.ID+"` "), 1; (got == want) == c.Waived {
				t.Errorf("%+v: %s is in the list %d times; waived: %v", h.Caps, c.ID, got, c.Waived)
			}
		}
	}
}

func TestTodoTicksWhatPassed(t *testing.T) {
	t.Parallel()
	todo, err := TodoOf(&report.Report{
		Suite:          report.Suite{Name: "store"},
		Implementation: report.Implementation{Name: "my_store"},
		Capabilities:   map[string]string{"durable": "yes", "shared": "no"},
		Cases: []report.Case{
			{ID: "CLOSE-001", Status: report.Passed},
			{ID: "CLOSE-002", Status: report.Failed},
			{ID: "VIEW-003", Status: report.NotRun},
			{ID: "OLD-001", Status: report.Passed},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	list := todo.Markdown()
	for _, want := range []string{"# What my\\_store has to do", "\n1 of ", "- [x] `CLOSE-001` ", "- [ ] `CLOSE-002` ", "- [ ] `VIEW-003` "} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %q", want)
		}
	}
	if strings.Contains(list, "OLD-001") {
		t.Error("the list has a case that the suite does not have")
	}
}

func TestTodoIsNotForServers(t *testing.T) {
	t.Parallel()
	_, err := TodoOf(&report.Report{Suite: report.Suite{Name: "http"}})
	if err == nil || !strings.Contains(err.Error(), `about the suite "http"`) {
		t.Errorf("the error is %v; want it to name the suite", err)
	}
}

// TestStages: stages without cases are patterns that nothing matches any more.
func TestStages(t *testing.T) {
	t.Parallel()
	all := groups()
	cases := make([][]string, len(all))
	for _, c := range conformance.Cases() {
		i := place(c, all)
		cases[i] = append(cases[i], c.ID)
	}
	for i, g := range all[:len(all)-1] {
		if len(cases[i]) == 0 {
			t.Errorf("no case belongs to %q", g.title)
		}
	}
	if first := cases[0]; !slices.Contains(first, "ID-001") {
		t.Errorf("the work begins with %v; want ID-001 there, which needs the least", first)
	}
	t.Logf("in no stage: %v", cases[len(all)-1])
}
