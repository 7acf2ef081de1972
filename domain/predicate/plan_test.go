package predicate

import (
	"fmt"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// planForm writes a condition of a Plan in full: variables as #0, #1, constants with
// their type. It leaves regular expressions out, because they have many spellings.
func planForm(cond Cond) string {
	switch c := cond.(type) {
	case And:
		return "AND(" + planForms(c.Conds) + ")"
	case Or:
		return "OR(" + planForms(c.Conds) + ")"
	case Not:
		return "NOT " + planForm(c.Cond)
	case Compare:
		return "(" + exprForm(c.Left) + " " + string(c.Op) + modifiers[c.Folding] + " " + exprForm(c.Right) + ")"
	case Like:
		return fmt.Sprintf("(%s LIKE%s %+v)", exprForm(c.Operand), modifiers[c.Folding], c.Pattern.Parts)
	case Match:
		return "(" + exprForm(c.Operand) + " MATCHES)"
	case In:
		return "(" + exprForm(c.Operand) + " IN" + modifiers[c.Folding] + " {" + exprForms(c.List) + "})"
	case Exists:
		return fmt.Sprintf("EXISTS(%s AS #%d: %s)", exprForm(c.Coll), c.Slot, planForm(c.Where))
	}
	return fmt.Sprintf("no condition: %T", cond)
}

func planForms(conds []Cond) string {
	forms := make([]string, len(conds))
	for i, c := range conds {
		forms[i] = planForm(c)
	}
	return strings.Join(forms, ", ")
}

func exprForm(e Expr) string {
	switch e := e.(type) {
	case Const:
		v := fmt.Sprintf("%v", e.Value)
		switch value := e.Value.(type) {
		case string:
			v = "'" + value + "'"
		case time.Time:
			v = value.Format(time.RFC3339Nano)
		case ident.ID:
			v = value.String()
		}
		return e.Of.String() + ":" + v
	case Path:
		return fmt.Sprintf("#%d%s", e.Slot, stepsForm(e.Steps))
	case List:
		return "{" + exprForms(e.Members) + "}"
	case Filter:
		return fmt.Sprintf("FILTER(%s AS #%d: %s)%s", exprForm(e.Coll), e.Slot, planForm(e.Where), stepsForm(e.Steps))
	case Aggregate:
		return exprForm(e.Coll) + "." + string(e.Func)
	case Call:
		return fmt.Sprintf("[%s](%s)%s", e.Func, exprForms(e.Args), e.Of)
	}
	return fmt.Sprintf("no expression: %T", e)
}

func exprForms(exprs []Expr) string {
	forms := make([]string, len(exprs))
	for i, e := range exprs {
		forms[i] = exprForm(e)
	}
	return strings.Join(forms, ", ")
}

func stepsForm(steps []*Key) string {
	var b strings.Builder
	for _, key := range steps {
		b.WriteString("." + key.Name)
	}
	return b.String()
}
