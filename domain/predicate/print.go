package predicate

import (
	"strings"
)

// String returns the predicate in a canonical spelling. Parsing it gives an equal
// Syntax. It can be longer than the parsed text, and longer than MaxBytes.
func (s *Syntax) String() string {
	var b printer
	b.condition(s.root, disjunctive)
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

func (b *printer) condition(n condition, least precedence) {
	switch n := n.(type) {
	case *junction:
		binds := infix[n.op]
		b.enclosed(binds < least, func() {
			for i, c := range n.conds {
				if i > 0 {
					b.write(" ", string(n.op), " ")
				}
				b.condition(c, binds+1)
			}
		})
	case *negation:
		b.write("NOT ")
		b.condition(n.cond, negating)
	case *truth:
		if n.holds {
			b.write("TRUEPREDICATE")
		} else {
			b.write("FALSEPREDICATE")
		}
	case *comparison:
		if n.qualifier != "" {
			b.write(string(n.qualifier), " ")
		}
		b.operand(n.left, adding)
		b.write(" ", string(n.op), modifiers[n.fold], " ")
		b.operand(n.right, adding)
	}
}

// modifiers are the spellings of the foldings.
var modifiers = map[Folding]string{Case: "[c]", Marks: "[d]", Both: "[cd]"}

func (b *printer) operand(n operand, least precedence) {
	switch n := n.(type) {
	case *literal:
		b.literal(n)
	case *list:
		b.write("{")
		b.operands(n.members)
		b.write("}")
	case *self:
		b.write("SELF")
	case *reference:
		b.write("$", n.name)
	case *path:
		b.path(n)
	case *subquery:
		b.write("SUBQUERY(")
		b.operand(n.coll, adding)
		b.write(", $", n.variable, ", ")
		b.condition(n.cond, disjunctive)
		b.write(")")
	case *cast:
		b.write("CAST(")
		b.operand(n.of, adding)
		b.write(", ", quotedString(n.target), ")")
	case *call:
		b.write(n.name, "(")
		b.operands(n.args)
		b.write(")")
	case *minus:
		b.enclosed(signing < least, func() {
			b.write("-")
			b.operand(n.of, signing)
		})
	case *arithmetic:
		binds := infix[n.op]
		b.enclosed(binds < least, func() {
			b.operand(n.left, binds)
			b.write(" ", string(n.op), " ")
			b.operand(n.right, binds+1)
		})
	}
}

func (b *printer) operands(list []operand) {
	for i, n := range list {
		if i > 0 {
			b.write(", ")
		}
		b.operand(n, adding)
	}
}

func (b *printer) literal(n *literal) {
	switch v := n.value.(type) {
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
		b.write(n.text)
	}
}

func (b *printer) path(n *path) {
	if n.of != nil {
		_, closed := n.of.(*path)
		b.enclosed(closed, func() { b.operand(n.of, following) })
	}
	for i, s := range n.steps {
		if i > 0 || n.of != nil {
			b.write(".")
		} else if _, ok := reservedWord(s.name); ok {
			b.write("#")
		}
		b.write(string(s.aggregate), s.name)
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
