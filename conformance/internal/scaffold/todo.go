package scaffold

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/conformance/report"
)

// Todo has the tasks of an adapter: all cases for it, and the passed ones.
type Todo struct {
	name       string
	durable    bool
	shared     bool
	replicated bool
	held       bool // the harness can hold a Commit back
	passed     map[string]bool
}

// NewTodo returns the tasks of a scaffold: all cases for a durable store, neither shared
// nor replicated, as its harness declares. It cannot hold a Commit back.
func NewTodo(name string) Todo {
	return Todo{name: name, durable: true}
}

// TodoOf returns the remaining tasks after a run. The declared capabilities decide about
// the cases. Harness.Hold is no capability: a report without it has waived its cases.
func TodoOf(r *report.Report) (Todo, error) {
	if r.Suite.Name != "store" {
		return Todo{}, fmt.Errorf("the report is about the suite %q; want one of the suite \"store\", as -conformance.report writes", r.Suite.Name)
	}
	t := Todo{
		name:       r.Implementation.Name,
		durable:    r.Capabilities["durable"] == conformance.Yes.String(),
		shared:     r.Capabilities["shared"] == conformance.Yes.String(),
		replicated: r.Capabilities["replicated"] == conformance.Yes.String(),
		passed:     make(map[string]bool),
	}
	waived := make(map[string]bool)
	for _, c := range r.Cases {
		t.passed[c.ID] = c.Status == report.Passed
		waived[c.ID] = c.Waived
	}
	for _, c := range conformance.Cases() {
		t.held = t.held || c.Held && !waived[c.ID]
	}
	return t, nil
}

// concerns reports whether a case concerns the adapter.
func (t Todo) concerns(c conformance.Case) bool {
	return (t.durable || !c.Durable) && (!t.durable || !c.Fleeting) && (t.shared || !c.Shared) && (!t.shared || !c.Alone) && (t.replicated || !c.Replicated) && (t.held || !c.Held)
}

// Markdown returns the list in a good order of work, with a box for each case.
func (t Todo) Markdown() string {
	boxes, done, total := t.boxes()
	var out strings.Builder
	fmt.Fprintf(&out, "# What %s has to do\n\n", plain(cmp.Or(t.name, "the adapter")))
	fmt.Fprintf(&out, "%d of %d cases of the suite, version %s, pass. They stand in a good order of work: what is core first, "+
		"then what is asked of stores that are durable, shared or replicated.\n\n", done, total, conformance.Version)
	fmt.Fprintf(&out, "One case: `go test . -conformance.run '^READ-002$'`. This list anew, with the cases ticked that pass:\n\n"+
		"    go test . -conformance.report report\n"+
		"    problems-conformance todo --report %s > TODO.md\n", path.Join("report", path.Base(t.name)))
	n := 0
	for i, g := range groups() {
		if len(boxes[i]) == 0 {
			continue
		}
		n++
		fmt.Fprintf(&out, "\n## %d. %s\n\n", n, g.title)
		if g.hint != "" {
			fmt.Fprintf(&out, "%s\n\n", g.hint)
		}
		fmt.Fprintln(&out, strings.Join(boxes[i], "\n"))
	}
	return out.String()
}

// boxes returns the lines of each stage, and how many of them are ticked.
func (t Todo) boxes() (lines [][]string, done, total int) {
	stages := groups()
	lines = make([][]string, len(stages))
	for _, c := range conformance.Cases() {
		if !t.concerns(c) {
			continue
		}
		box := " "
		if t.passed[c.ID] {
			done, box = done+1, "x"
		}
		total++
		i := place(c, stages)
		lines[i] = append(lines[i], fmt.Sprintf("- [%s] `%s` %s", box, c.ID, plain(c.Rule)))
	}
	return lines, done, total
}

// plain escapes the markup of Markdown.
func plain(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;", "`", "\\`", "[", `\[`).Replace(text)
}
