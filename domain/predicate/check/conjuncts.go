package check

import (
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// Conjunct is one of the conditions that a predicate joins with AND at its top: a problem
// satisfies the predicate if it satisfies all of them.
type Conjunct struct {
	// Text is the condition as it is written.
	Text string
	// Path is the left side of "path = value", of "path IN {values}", and of "ANY path =
	// value", which has Any. It is empty for a condition of another form, also with a
	// modifier of the operator.
	Path string
	Any  bool
	// Values are the values on its right side: a string, a number, a truth value, or nil.
	// A string is as the predicate has it. They are none for the caller.
	Values []predicate.Value
	// Caller is true for $ApiUser on the right side.
	Caller bool
	// Loose is true for a whole predicate with OR at its top.
	Loose bool
}

// Conjuncts returns the conditions that a predicate joins with AND at its top. It returns one
// condition for a predicate with OR there, and none for TRUEPREDICATE. Join makes the same
// predicate of them again. The errors are those of the predicate's form,
// *predicate.Error: nobody has looked at keys and types.
func Conjuncts(text string) ([]Conjunct, error) {
	spans, loose, err := syntax.Conjuncts(text)
	if err != nil {
		return nil, err
	}
	var all []Conjunct
	for _, s := range spans {
		c := Conjunct{Text: text[s.From:s.To], Loose: loose}
		tree, err := syntax.Parse(c.Text)
		if err != nil {
			return nil, err
		}
		if truth, ok := tree.Root.(*syntax.Truth); ok && truth.Holds {
			continue
		}
		if comparison, ok := tree.Root.(*syntax.Comparison); ok {
			c.read(comparison)
		}
		all = append(all, c)
	}
	return all, nil
}

// read sets the sides of a comparison, if it has one of the simple forms.
func (c *Conjunct) read(n *syntax.Comparison) {
	path, ok := n.Left.(*syntax.Path)
	if !ok || path.Of != nil || n.Fold != 0 || n.Qualifier != "" && n.Qualifier != "ANY" {
		return
	}
	var names []string
	for _, step := range path.Steps {
		if step.Aggregate != "" {
			return
		}
		names = append(names, step.Name)
	}
	switch right := n.Right.(type) {
	case *syntax.Literal:
		if n.Op != "=" {
			return
		}
		c.Values = []predicate.Value{right.Value}
	case *syntax.Reference:
		if n.Op != "=" || right.Name != apiUser {
			return
		}
		c.Caller = true
	case *syntax.List:
		if n.Op != "IN" || n.Qualifier != "" {
			return
		}
		for _, member := range right.Members {
			literal, ok := member.(*syntax.Literal)
			if !ok {
				c.Values = nil
				return
			}
			c.Values = append(c.Values, literal.Value)
		}
	default:
		return
	}
	c.Path, c.Any = strings.Join(names, "."), n.Qualifier == "ANY"
}

// Join returns the predicate that joins conditions with AND: TRUEPREDICATE for none. A loose one
// among others gets parentheses.
func Join(all ...Conjunct) string {
	if len(all) == 0 {
		return "TRUEPREDICATE"
	}
	texts := make([]string, len(all))
	for i, c := range all {
		if texts[i] = c.Text; c.Loose && len(all) > 1 {
			texts[i] = "(" + c.Text + ")"
		}
	}
	return strings.Join(texts, " AND ")
}
