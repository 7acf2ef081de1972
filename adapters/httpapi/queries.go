package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/tracker"
)

const tagQueries = "Saved queries"

func queryEndpoints() []endpoint {
	example := func(e *wire.Encoder) { e.SavedQuery(samples.Query()) }
	return []endpoint{
		{
			id: "listQueries", method: http.MethodGet, path: "/queries", tag: tagQueries,
			summary: "List the queries that the token's user has saved",
			scope:   access.Read,
			answers: []result{{status: 200, description: "The queries, in the order in which they were saved.", of: []wire.SavedQuery{},
				example: func(e *wire.Encoder) { wire.List(e, []query.Saved{samples.Query()}, e.SavedQuery) }}},
			do: (*call).listQueries,
		},
		{
			id: "saveQuery", method: http.MethodPost, path: "/queries", tag: tagQueries,
			summary:     "Save a query for problems",
			description: "It is run by the parameter savedQuery of a search. NOW() and $ApiUser are then those of who runs it.",
			scope:       access.Write,
			headers:     []string{"Idempotency-Key"},
			bodies:      jsonBody(`{"name":"Mine, the latest first","predicate":"state.resolved = NO AND assignee.identifier = $ApiUser","sort":"-modificationDate"}`, wire.NewQuery{}),
			answers: []result{{status: 201, description: "The query that was saved.", of: wire.CreatedQuery{}, example: example,
				headers: []string{"Location", "Idempotency-Replayed", "Dry-Run"}}},
			faults: []fault.Kind{fault.RequiredField, fault.UnknownField, fault.ValidationFailed, fault.IdempotencyConflict},
			do:     (*call).saveQuery,
		},
		{
			id: "loadQuery", method: http.MethodGet, path: "/queries/{identifier}", tag: tagQueries,
			summary:     "Load a saved query",
			description: "Also one of somebody else: whoever has its URL can run it.",
			scope:       access.Read,
			answers:     []result{{status: 200, description: "The query.", of: wire.SavedQuery{}, example: example}},
			faults:      []fault.Kind{fault.NotFound},
			do:          (*call).loadQuery,
		},
		{
			id: "deleteQuery", method: http.MethodDelete, path: "/queries/{identifier}", tag: tagQueries,
			summary:     "Delete a saved query",
			description: "One's own: those of others are not found.",
			scope:       access.Write,
			answers:     []result{{status: 204, description: "The query is gone.", headers: []string{"Dry-Run"}}},
			faults:      []fault.Kind{fault.NotFound},
			do:          (*call).deleteQuery,
		},
	}
}

func (c *call) listQueries() (answer, error) {
	release, err := c.lists.Acquire(c.r)
	if err != nil {
		return answer{}, err
	}
	defer release()
	a, err := c.Service.SavedQueries(c.r.Context(), c.caller)
	if err == nil {
		size := 0
		for _, q := range a.Value {
			size += len(q.Name) + len(q.Predicate) + len(q.Sort)
		}
		if size > httpframe.FreeOfCharge {
			err = c.frame.Reserve(c.r.Context(), int64(size))
		}
	}
	return answered(a, err, func(a tracker.Answer[[]query.Saved]) answer {
		return answer{status: http.StatusOK, body: listInParts(c, a.Catalogue, a.Value, (*wire.Encoder).SavedQuery)}
	})
}

func (c *call) saveQuery() (answer, error) {
	cmd := tracker.SaveQuery{Write: tracker.Write{DryRun: c.dryRun}}
	var err error
	if cmd.Idempotency, err = idempotency(c, c.savedQuery); err != nil {
		return answer{}, err
	}
	err = c.decode(&cmd.Faults,
		wire.Member{Name: "name", Into: &cmd.Name},
		wire.Member{Name: "predicate", Into: &cmd.Predicate},
		wire.Member{Name: "sort", Into: &cmd.Sort},
	)
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.SaveQuery(c.r.Context(), c.caller, cmd)
	return answered(a, err, c.savedQuery)
}

// savedQuery renders the answer to the saving of a query.
func (c *call) savedQuery(a tracker.Answer[query.Saved]) answer {
	header := http.Header{}
	if !c.dryRun {
		header.Set("Location", c.BasePath+prefix+"/queries/"+a.Value.ID.String())
	}
	return queryAnswer(http.StatusCreated, header, a)
}

func (c *call) loadQuery() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.SavedQuery(c.r.Context(), id)
	return answered(a, err, func(a tracker.Answer[query.Saved]) answer {
		return queryAnswer(http.StatusOK, nil, a)
	})
}

func (c *call) deleteQuery() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.DeleteQuery(c.r.Context(), c.caller, id, tracker.Write{DryRun: c.dryRun})
	return answered(a, err, noContent)
}

func queryAnswer(status int, header http.Header, a tracker.Answer[query.Saved]) answer {
	e := wire.Encoder{Catalogue: a.Catalogue}
	e.SavedQuery(a.Value)
	return answer{status: status, header: header, body: e.Buf}
}
