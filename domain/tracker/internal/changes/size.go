package changes

import (
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// CheckSize refuses a Change that takes a problem above the limit, in bytes, with
// fault.InvalidValue (D38). The last 1/64 of the limit is for changes without client
// text. So a full problem can still move to another state, for example, and its
// keywords can be deleted. It refuses a Change above store.MostSize with fault.TooLarge
// (D22).
func CheckSize(change store.Change, limit int64) error {
	for _, effect := range change.Effects {
		var id problem.ID
		var size int64
		switch e := effect.(type) {
		case store.CreateProblem:
			id, size = e.Problem.ID, e.Size
		case store.UpdateProblem:
			id, size = e.Problem.ID, e.Size
		}
		most := limit
		if addsText(change, id) {
			most -= limit / 64
		}
		if size > most {
			var faults fault.List
			faults.Add(fault.InvalidValue, fault.Location{}, "problem %d would be too large: its title, keywords, comments and log would take %d bytes, and the limit is %d. Its log keeps every value it ever had; go on in a new problem", id, size, limit)
			return faults.Err()
		}
	}
	if size := change.Size(); size > store.MostSize {
		return fault.New(fault.TooLarge, "the request would store %d bytes, and one request can store %d: send it in parts", size, store.MostSize)
	}
	return nil
}

// addsText reports whether the Change adds text of a client to the problem.
func addsText(change store.Change, id problem.ID) bool {
	for _, e := range change.Log {
		if e.Problem != id {
			continue
		}
		switch e.Type {
		case problem.ProblemCreated, problem.CommentAdded, problem.CommentEdited, problem.KeywordSet:
			return true
		case problem.FieldChanged:
			if f := problem.FieldNamed(e.Field); f != nil && f.Kind() == problem.TextField {
				return true
			}
		}
	}
	return false
}
