package predicate

import (
	"fmt"
	"strings"
)

// form writes a tree with all parentheses, so trees are equal when their forms are. It
// knows nothing of precedences.
func form(n node) string {
	switch n := n.(type) {
	case *junction:
		parts := []string{string(n.op)}
		for _, c := range n.conds {
			parts = append(parts, form(c))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case *negation:
		return "(NOT " + form(n.cond) + ")"
	case *truth:
		return fmt.Sprintf("<%t>", n.holds)
	case *comparison:
		op := string(n.op)
		if n.fold != Exact {
			op += fmt.Sprintf("/%d", n.fold)
		}
		if n.qualifier != "" {
			op = string(n.qualifier) + " " + op
		}
		return "(" + op + " " + form(n.left) + " " + form(n.right) + ")"
	case *literal:
		return fmt.Sprintf("%s:%q:%#v", n.kind, n.text, n.value)
	case *list:
		return "{" + forms(n.members) + "}"
	case *self:
		return "SELF"
	case *reference:
		return "$" + n.name
	case *path:
		var b strings.Builder
		if n.of != nil {
			b.WriteString("[" + form(n.of) + "]")
		}
		for _, s := range n.steps {
			b.WriteString("." + string(s.aggregate) + s.name)
		}
		return b.String()
	case *subquery:
		return "(SUBQUERY " + form(n.coll) + " $" + n.variable + " " + form(n.cond) + ")"
	case *cast:
		return fmt.Sprintf("(CAST %s %q)", form(n.of), n.target)
	case *call:
		return "(" + n.name + "()" + forms(n.args) + ")"
	case *minus:
		return "(minus " + form(n.of) + ")"
	case *arithmetic:
		return "(" + string(n.op) + " " + form(n.left) + " " + form(n.right) + ")"
	}
	return fmt.Sprintf("no node: %T", n)
}

func forms(nodes []operand) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(" " + form(n))
	}
	return b.String()
}
