package predicatetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
)

// PlanForm writes a condition of a Plan in full: variables as #0, #1, constants with
// their type. It leaves regular expressions out, because they have many spellings.
func PlanForm(cond predicate.Cond) string {
	switch c := cond.(type) {
	case predicate.And:
		return "AND(" + planForms(c.Conds) + ")"
	case predicate.Or:
		return "OR(" + planForms(c.Conds) + ")"
	case predicate.Not:
		return "NOT " + PlanForm(c.Cond)
	case predicate.Compare:
		return "(" + ExprForm(c.Left) + " " + string(c.Op) + c.Folding.Modifier() + " " + ExprForm(c.Right) + ")"
	case predicate.Like:
		return fmt.Sprintf("(%s LIKE%s %+v)", ExprForm(c.Operand), c.Folding.Modifier(), c.Pattern.Parts)
	case predicate.Match:
		return "(" + ExprForm(c.Operand) + " MATCHES)"
	case predicate.In:
		return "(" + ExprForm(c.Operand) + " IN" + c.Folding.Modifier() + " {" + exprForms(c.List) + "})"
	case predicate.Exists:
		return fmt.Sprintf("EXISTS(%s AS #%d: %s)", ExprForm(c.Coll), c.Slot, PlanForm(c.Where))
	}
	return fmt.Sprintf("no condition: %T", cond)
}

func planForms(conds []predicate.Cond) string {
	forms := make([]string, len(conds))
	for i, c := range conds {
		forms[i] = PlanForm(c)
	}
	return strings.Join(forms, ", ")
}

// ExprForm is PlanForm for an expression.
func ExprForm(e predicate.Expr) string {
	switch e := e.(type) {
	case predicate.Const:
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
	case predicate.Path:
		return fmt.Sprintf("#%d%s", e.Slot, stepsForm(e.Steps))
	case predicate.List:
		return "{" + exprForms(e.Members) + "}"
	case predicate.Filter:
		return fmt.Sprintf("FILTER(%s AS #%d: %s)%s", ExprForm(e.Coll), e.Slot, PlanForm(e.Where), stepsForm(e.Steps))
	case predicate.Aggregate:
		return ExprForm(e.Coll) + "." + string(e.Func)
	case predicate.Call:
		return fmt.Sprintf("[%s](%s)%s", e.Func, exprForms(e.Args), e.Of)
	}
	return fmt.Sprintf("no expression: %T", e)
}

func exprForms(exprs []predicate.Expr) string {
	forms := make([]string, len(exprs))
	for i, e := range exprs {
		forms[i] = ExprForm(e)
	}
	return strings.Join(forms, ", ")
}

func stepsForm(steps []*predicate.Key) string {
	var b strings.Builder
	for _, key := range steps {
		b.WriteString("." + key.Name)
	}
	return b.String()
}
