package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/tracker"
)

const tagQueries = "Saved queries"

func (s *server) registerQueries() {
	example, tags := func(e *wire.Encoder) { e.SavedQuery(samples.Query()) }, []string{tagQueries}
	register(s, huma.Operation{
		OperationID: "listQueries", Method: http.MethodGet, Path: "/queries", Tags: tags,
		Summary:   "List the queries that the token's user has saved, and those that others share",
		Security:  needs(access.Read),
		Responses: responses{"200": {Description: "The queries, in the order in which they were saved."}},
		Metadata:  about(func(e *wire.Encoder) { wire.List(e, []query.Saved{samples.Query()}, e.SavedQuery) }),
	}, s.listQueries)
	register(s, huma.Operation{
		OperationID: "saveQuery", Method: http.MethodPost, Path: "/queries", Tags: tags,
		Summary:     "Save a query for problems",
		Description: "It is run by the parameter savedQuery of a search. NOW() and $ApiUser are then those of who runs it.",
		Security:    needs(access.Write),
		Responses:   responses{"201": {Description: "The query that was saved."}},
		Metadata: about(example, fault.RequiredField, fault.UnknownField, fault.ValidationFailed, fault.IdempotencyConflict).
			json(`{"name":"Mine, the latest first","predicate":"state.resolved = NO AND assignee.identifier = $ApiUser","sort":"-modificationDate","columns":"state,priority,due"}`, wire.NewQuery{}),
	}, s.saveQuery)
	register(s, huma.Operation{
		OperationID: "loadQuery", Method: http.MethodGet, Path: "/queries/{identifier}", Tags: tags,
		Summary:     "Load a saved query",
		Description: "Also one of somebody else: whoever has its URL can run it.",
		Security:    needs(access.Read),
		Responses:   responses{"200": {Description: "The query."}},
		Metadata:    about(example, fault.NotFound),
	}, s.loadQuery)
	register(s, huma.Operation{
		OperationID: "updateQuery", Method: http.MethodPatch, Path: "/queries/{identifier}", Tags: tags,
		Summary:     "Change, share or unshare a saved query",
		Description: "An own one. The scope admin can change all that are shared. Of these there are 100 at most.",
		Security:    needs(access.Write),
		Responses:   responses{"200": {Description: "The query as it is now."}},
		Metadata: about(func(e *wire.Encoder) { shared := samples.Query(); shared.Shared = true; e.SavedQuery(shared) },
			fault.UnknownField, fault.ValidationFailed, fault.NotFound).json(`{"shared":true}`, wire.QueryPatch{}),
	}, s.updateQuery)
	register(s, huma.Operation{
		OperationID: "deleteQuery", Method: http.MethodDelete, Path: "/queries/{identifier}", Tags: tags,
		Summary:     "Delete a saved query",
		Description: "An own one. The scope admin can delete all that are shared; others of other users are not found.",
		Security:    needs(access.Write),
		Responses:   responses{"204": {Description: "The query is gone."}},
		Metadata:    about(nil, fault.NotFound),
	}, s.deleteQuery)
}

func (s *server) listQueries(ctx context.Context, in *Request) (*output[[]wire.SavedQuery], error) {
	release, err := s.lists.Acquire(in.r)
	if err != nil {
		return nil, err
	}
	defer release()
	a, err := in.as().SavedQueries(ctx)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, q := range a.Value {
		size += len(q.Name) + len(q.Predicate) + len(q.Sort) + len(q.Columns)
	}
	if size > httpframe.FreeOfCharge {
		if err := in.frame.Reserve(ctx, int64(size)); err != nil {
			return nil, err
		}
	}
	return &output[[]wire.SavedQuery]{listOf[wire.SavedQuery](in.call, a.Catalogue, a.Value, (*wire.Encoder).SavedQuery)}, nil
}

type savedOutput struct {
	Located
	Replayable
	Body wire.JSON[wire.CreatedQuery]
}

func (s *server) saveQuery(ctx context.Context, in *createInput) (*savedOutput, error) {
	saved := func(a tracker.Answer[query.Saved]) *savedOutput {
		return &savedOutput{
			Located: in.located("/queries/" + a.Value.ID.String()),
			Body:    wire.One[wire.CreatedQuery](a.Catalogue, (*wire.Encoder).SavedQuery, a.Value),
		}
	}
	cmd := tracker.SaveQuery{Write: in.write()}
	var err error
	if cmd.Idempotency, err = idempotency(in.call, saved); err != nil {
		return nil, err
	}
	if err = in.decode(&cmd.Faults, queryMembers(&cmd)...); err != nil {
		return nil, err
	}
	a, err := s.Service.SaveQuery(ctx, in.caller, cmd)
	return answered(in.call, a, err, saved)
}

func (s *server) loadQuery(ctx context.Context, in *findInput) (*output[wire.SavedQuery], error) {
	return find[wire.SavedQuery](ctx, in, in.as().SavedQuery, (*wire.Encoder).SavedQuery)
}

func (s *server) updateQuery(ctx context.Context, in *changeInput) (*output[wire.SavedQuery], error) {
	cmd := tracker.SaveQuery{Write: in.write()}
	if err := in.decode(&cmd.Faults, queryMembers(&cmd)...); err != nil {
		return nil, err
	}
	id, err := in.object()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.UpdateQuery(ctx, in.caller, id, cmd)
	return one[wire.SavedQuery](a, err, (*wire.Encoder).SavedQuery)
}

func queryMembers(cmd *tracker.SaveQuery) []wire.Member {
	return []wire.Member{
		{Name: "name", Into: &cmd.Name}, {Name: "predicate", Into: &cmd.Predicate}, {Name: "sort", Into: &cmd.Sort},
		{Name: "columns", Into: &cmd.Columns}, {Name: "shared", Into: &cmd.Shared},
	}
}

func (s *server) deleteQuery(ctx context.Context, in *changeInput) (*noContent, error) {
	return remove(ctx, in, s.Service.DeleteQuery)
}
