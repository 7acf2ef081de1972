package syntax

import (
	"strings"
)

// String returns the predicate in a canonical spelling. Parsing it gives an equal
// Tree. It can be longer than the parsed text, and longer than MaxBytes.
func (s *Tree) String() string {
	var b printer
	b.condition(s.Root, disjunctive)
	return b.String()
}

// printer writes nodes, with parentheses around nodes of too low precedence.
type printer struct{ strings.Builder }

func (b *printer) write(parts ...string) {
	for _, part := range parts {
		b.WriteString(part)
	}
}

// enclosed calls the function and writes parentheses around its output, if needed.
func (b *printer) enclosed(needed bool, write func()) {
	if needed {
		b.write("(")
		defer b.write(")")
	}
	write()
}

func (b *printer) condition(n Condition, least precedence) {
	switch n := n.(type) {
	case *Junction:
		binds := infix[n.Op]
		b.enclosed(binds < least, func() {
			for i, c := range n.Conds {
				if i > 0 {
					b.write(" ", string(n.Op), " ")
				}
				b.condition(c, binds+1)
			}
		})
	case *Negation:
		b.write("NOT ")
		b.condition(n.Cond, negating)
	case *Truth:
		if n.Holds {
			b.write("TRUEPREDICATE")
		} else {
			b.write("FALSEPREDICATE")
		}
	case *Comparison:
		if n.Qualifier != "" {
			b.write(string(n.Qualifier), " ")
		}
		b.operand(n.Left, adding)
		b.write(" ", string(n.Op), n.Fold.Modifier(), " ")
		b.operand(n.Right, adding)
	}
}

func (b *printer) operand(n Operand, least precedence) {
	switch n := n.(type) {
	case *Literal:
		b.literal(n)
	case *List:
		b.write("{")
		b.operands(n.Members)
		b.write("}")
	case *Self:
		b.write("SELF")
	case *Reference:
		b.write("$", n.Name)
	case *Path:
		b.path(n)
	case *Subquery:
		b.write("SUBQUERY(")
		b.operand(n.Coll, adding)
		b.write(", $", n.Variable, ", ")
		b.condition(n.Cond, disjunctive)
		b.write(")")
	case *Cast:
		b.write("CAST(")
		b.operand(n.Of, adding)
		b.write(", ", quotedString(n.Target), ")")
	case *Call:
		b.write(n.Name, "(")
		b.operands(n.Args)
		b.write(")")
	case *Minus:
		b.enclosed(signing < least, func() {
			b.write("-")
			b.operand(n.Of, signing)
		})
	case *Arithmetic:
		binds := infix[n.Op]
		b.enclosed(binds < least, func() {
			b.operand(n.Left, binds)
			b.write(" ", string(n.Op), " ")
			b.operand(n.Right, binds+1)
		})
	}
}

func (b *printer) operands(list []Operand) {
	for i, n := range list {
		if i > 0 {
			b.write(", ")
		}
		b.operand(n, adding)
	}
}

func (b *printer) literal(n *Literal) {
	switch v := n.Value.(type) {
	case nil:
		b.write("nil")
	case bool:
		if v {
			b.write("YES")
		} else {
			b.write("NO")
		}
	case string:
		b.write(quotedString(v))
	default:
		b.write(n.Text)
	}
}

func (b *printer) path(n *Path) {
	if n.Of != nil {
		_, closed := n.Of.(*Path)
		b.enclosed(closed, func() { b.operand(n.Of, following) })
	}
	for i, s := range n.Steps {
		if i > 0 || n.Of != nil {
			b.write(".")
		} else if _, ok := reservedWord(s.Name); ok {
			b.write("#")
		}
		b.write(string(s.Aggregate), s.Name)
	}
}

// quotedString returns a string as a literal, in the quotes with fewer escapes.
func quotedString(s string) string {
	delimiter := "'"
	if strings.Count(s, "'") > strings.Count(s, `"`) {
		delimiter = `"`
	}
	return delimiter + strings.NewReplacer(`\`, `\\`, delimiter, `\`+delimiter).Replace(s) + delimiter
}
