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

// tensForHundred is for how many problems with ten log entries there is one with a hundred.
const tensForHundred = 20

// Prepare makes the given number of problems with exactly ten log entries, and some with a
// hundred, over HTTP. It checks the results of searches.
func Prepare(ctx context.Context, c Contender, s *Scene, n int) error {
	w, err := newWorker(c, s, 0, 1, 0, time.Now().Add(prepareLimit))
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.makeMany(ctx, &s.Tens, n, 10); err != nil {
		return err
	}
	if err := w.makeMany(ctx, &s.hundreds, 1+n/tensForHundred, 100); err != nil {
		return err
	}
	return w.checkSearch()
}

// makeMany makes so many problems with the given number of log entries.
func (w *worker) makeMany(ctx context.Context, made *[]int64, n, entries int) error {
	for range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		id, err := w.makeLong(entries)
		if err != nil {
			return err
		}
		*made = append(*made, id)
	}
	return nil
}

// makeLong makes a problem with the given number of log entries: that of its creation, and
// then a keyword, a comment and a change in turn.
func (w *worker) makeLong(entries int) (int64, error) {
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
	changes := []string{`{"state":{"name":"Closed"}}`, `{"state":{"name":"Open"}}`, `{"priority":{"name":"High"}}`, `{"priority":{"name":"Normal"}}`}
	for n := range entries / 3 {
		w.to("/problems/%d/keywords/measured-%d", id, n)
		if err := w.ask("PUT", asJSON, []byte(`"a value"`), 201); err != nil {
			return 0, err
		}
		if err := w.commentOn(id); err != nil {
			return 0, err
		}
		w.to("/problems/%d", id)
		if err := w.ask("PATCH", asJSON, []byte(changes[n%len(changes)]), 200); err != nil {
			return 0, err
		}
	}
	if err := w.ask("GET", "", nil, 200); err != nil {
		return 0, err
	}
	if err := json.Unmarshal(w.body, &made); err != nil {
		return 0, fmt.Errorf("the answer to GET %s: %w", w.path, err)
	}
	if len(made.Logs) != entries {
		return 0, fmt.Errorf("problem %d was made to have %d log entries, and has %d", id, entries, len(made.Logs))
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
