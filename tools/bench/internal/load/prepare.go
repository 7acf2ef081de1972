package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/problemtracking/problems/conformance/dataset"
)

// prepareLimit is how long it may take to make the problems for the load of one.
const prepareLimit = 10 * time.Minute

// Prepare makes the given number of problems with exactly ten log entries, over HTTP, and
// checks the results of searches.
func Prepare(ctx context.Context, c Contender, s *Scene, n int) error {
	w, err := newWorker(c, s, 0, 1, 0, time.Now().Add(prepareLimit))
	if err != nil {
		return err
	}
	defer w.Close()
	for range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		id, err := w.makeTen()
		if err != nil {
			return err
		}
		s.Tens = append(s.Tens, id)
	}
	return w.checkSearch()
}

// makeTen makes a problem with ten log entries.
func (w *worker) makeTen() (int64, error) {
	if err := create(w); err != nil {
		return 0, err
	}
	var made struct {
		Identifier int64
		Logs       []json.RawMessage
	}
	if err := json.Unmarshal(w.body, &made); err != nil {
		return 0, fmt.Errorf("the answer to POST /problems: %w", err)
	}
	id := made.Identifier
	for n := range 3 {
		w.to("/problems/%d/keywords/measured-%d", id, n)
		if err := w.ask("PUT", asJSON, []byte(`"a value"`), 201); err != nil {
			return 0, err
		}
		if err := w.commentOn(id); err != nil {
			return 0, err
		}
	}
	w.to("/problems/%d", id)
	for _, patch := range []string{`{"state":{"name":"Closed"}}`, `{"state":{"name":"Open"}}`, `{"priority":{"name":"High"}}`} {
		if err := w.ask("PATCH", asJSON, []byte(patch), 200); err != nil {
			return 0, err
		}
	}
	if err := w.ask("GET", "", nil, 200); err != nil {
		return 0, err
	}
	if err := json.Unmarshal(w.body, &made); err != nil {
		return 0, fmt.Errorf("the answer to GET %s: %w", w.path, err)
	}
	if len(made.Logs) != 10 {
		return 0, fmt.Errorf("problem %d was made to have 10 log entries, and has %d", id, len(made.Logs))
	}
	return id, nil
}

// checkSearch checks that the search finds something, and only problems of the caller.
func (w *worker) checkSearch() error {
	nothing := true
	for n, token := range w.scene.tokens {
		w.path = append(append(w.path[:0], API...), searchPath...)
		if err := w.askAs(token, "GET", "", nil, 200); err != nil {
			return err
		}
		var found []struct{ Assignee struct{ Email string } }
		if err := json.Unmarshal(w.body, &found); err != nil {
			return fmt.Errorf("the answer to GET %s: %w", w.path, err)
		}
		for _, f := range found {
			nothing = false
			if f.Assignee.Email != dataset.Email(n) {
				return fmt.Errorf("%s finds problems of %s", dataset.Email(n), f.Assignee.Email)
			}
		}
	}
	if nothing {
		return errors.New("nobody has an open problem, so that there is nothing to search for: a larger data set is needed")
	}
	return nil
}
