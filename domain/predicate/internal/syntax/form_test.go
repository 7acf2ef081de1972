package syntax

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
)

// form writes a tree with all parentheses, so trees are equal when their forms are. It
// knows nothing of precedences.
func form(n node) string {
	switch n := n.(type) {
	case *Junction:
		parts := []string{string(n.Op)}
		for _, c := range n.Conds {
			parts = append(parts, form(c))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case *Negation:
		return "(NOT " + form(n.Cond) + ")"
	case *Truth:
		return fmt.Sprintf("<%t>", n.Holds)
	case *Comparison:
		op := string(n.Op)
		if n.Fold != predicate.Exact {
			op += fmt.Sprintf("/%d", n.Fold)
		}
		if n.Qualifier != "" {
			op = string(n.Qualifier) + " " + op
		}
		return "(" + op + " " + form(n.Left) + " " + form(n.Right) + ")"
	case *Literal:
		return fmt.Sprintf("%s:%q:%#v", n.Kind, n.Text, n.Value)
	case *List:
		return "{" + forms(n.Members) + "}"
	case *Self:
		return "SELF"
	case *Reference:
		return "$" + n.Name
	case *Path:
		var b strings.Builder
		if n.Of != nil {
			b.WriteString("[" + form(n.Of) + "]")
		}
		for _, s := range n.Steps {
			b.WriteString("." + string(s.Aggregate) + s.Name)
		}
		return b.String()
	case *Subquery:
		return "(SUBQUERY " + form(n.Coll) + " $" + n.Variable + " " + form(n.Cond) + ")"
	case *Cast:
		return fmt.Sprintf("(CAST %s %q)", form(n.Of), n.Target)
	case *Call:
		return "(" + n.Name + "()" + forms(n.Args) + ")"
	case *Minus:
		return "(minus " + form(n.Of) + ")"
	case *Arithmetic:
		return "(" + string(n.Op) + " " + form(n.Left) + " " + form(n.Right) + ")"
	}
	return fmt.Sprintf("no node: %T", n)
}

func forms(nodes []Operand) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(" " + form(n))
	}
	return b.String()
}
