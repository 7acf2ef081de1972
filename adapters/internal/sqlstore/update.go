package sqlstore

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/store"
)

// update collects the statements to replace the row of a problem.
type update struct {
	sql       string // sets all columns but SetIfChanged
	indexes   []int  // of its columns in problemValues
	ifChanged []columnUpdate
}

// columnUpdate sets one column, if its value changes.
type columnUpdate struct {
	sql   string
	index int // of the column in problemValues
}

// updating returns the statements to replace the row of a problem.
func (s Syntax) updating() (u update) {
	var together []string
	for i, column := range strings.Split(problemColumns, ", ") {
		if slices.Contains(s.SetIfChanged, column) {
			u.ifChanged = append(u.ifChanged, columnUpdate{"UPDATE problems SET " + column + " = ? WHERE id = ? AND " + column + " IS DISTINCT FROM ?", i})
		} else {
			together, u.indexes = append(together, column), append(u.indexes, i)
		}
	}
	u.sql = "UPDATE problems SET (" + strings.Join(together, ", ") + ") = (" + placeholders(len(together)) + ") WHERE id = ?"
	return u
}

// updateProblem appends the statements to replace a problem.
func (w *writer) updateProblem(e store.UpdateProblem) {
	values, id := w.problemValues(e.Problem, e.Size, w.batch), int64(e.Problem.ID)
	args := make([]any, 0, len(w.update.indexes)+1)
	for _, i := range w.update.indexes {
		args = append(args, values[i])
	}
	w.statements = append(w.statements, Statement{w.update.sql, append(args, id), "a problem that is to be updated does not exist"})
	for _, column := range w.update.ifChanged {
		w.do(column.sql, values[column.index], id, values[column.index])
	}
}
