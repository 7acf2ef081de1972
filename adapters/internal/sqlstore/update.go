package sqlstore

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/store"
)

// update is how the row of a problem is replaced.
type update struct {
	sql    string // sets all columns but those that stand apart
	places []int  // of these columns among those of problemValues
	apart  []apart
}

// apart is a column that is set by itself, and only if its value changes.
type apart struct {
	sql   string
	place int // of the column among those of problemValues
}

// updating returns how the row of a problem is replaced.
func (w Words) updating() (u update) {
	var together []string
	for place, column := range strings.Split(problemColumns, ", ") {
		if slices.Contains(w.Apart, column) {
			u.apart = append(u.apart, apart{"UPDATE problems SET " + column + " = ? WHERE id = ? AND " + column + " IS DISTINCT FROM ?", place})
		} else {
			together, u.places = append(together, column), append(u.places, place)
		}
	}
	u.sql = "UPDATE problems SET (" + strings.Join(together, ", ") + ") = (" + marks(len(together)) + ") WHERE id = ?"
	return u
}

// updateProblem appends what replaces a problem.
func (w *writer) updateProblem(e store.UpdateProblem) {
	values, id := w.problemValues(e.Problem, e.Size, w.batch), int64(e.Problem.ID)
	args := make([]any, 0, len(w.update.places)+1)
	for _, place := range w.update.places {
		args = append(args, values[place])
	}
	w.statements = append(w.statements, Statement{w.update.sql, append(args, id), "a problem that is to be updated does not exist"})
	for _, column := range w.update.apart {
		w.do(column.sql, values[column.place], id, values[column.place])
	}
}
