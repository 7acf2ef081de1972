package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

func (s *server) registerProblems() {
	register(s, huma.Operation{
		OperationID: "createProblem", Method: http.MethodPost, Path: "/problems", Tags: []string{"Problems"},
		Summary:     "Create a problem",
		Description: "Metadata objects can be partial: just enough members to identify one. Without a state, the problem is created in the first initial one. Keywords are set as their own endpoint sets them, and comment is the first comment. Members that only the service writes are ignored; the header Ignored-Members names each ignored member whose value differs.",
		Security:    needs(access.Report),
		Responses:   responses{"201": {Description: "The problem that was created, with its log."}},
		Metadata: about(func(e *wire.Encoder) { e.Problem(samples.Created()) }, partialKinds(fault.RequiredField, fault.TransitionNotAllowed, fault.IdempotencyConflict)...).
			json(`{"title":"The login page answers slowly","priority":{"name":"High"},"assignee":{"email":"ann@example.org"},"keywords":[{"name":"version","value":"7.4.1"}]}`,
				wire.NewProblem{}, wire.Problem{}),
	}, s.createProblem)
	fields := body{media: mediaJSON, of: []any{wire.ProblemPatch{}, wire.Problem{}}, example: `{"state":{"name":"In Progress"},"milestone":null}`}
	merge := fields
	merge.media = mediaMerge
	register(s, huma.Operation{
		OperationID: "updateProblem", Method: http.MethodPatch, Path: "/problems/{identifier}", Tags: []string{"Problems"},
		Summary:     "Update fields of a problem",
		Description: "Members that are left out stay as they are; null clears. A comment is added by the same batch, or nothing is stored. A problem can be sent back as it was read: members that only the service writes must then be unchanged, and another revision than the current one is answered with 412. watching, readByAssignee, logs, modifier and modificationDate are ignored; the header Ignored-Members names each ignored member whose value differs.",
		Security:    needs(access.Write),
		Responses:   responses{"200": {Description: "The problem as it is now, with the log entries of this request."}},
		Metadata: about(func(e *wire.Encoder) { e.Problem(samples.Updated()) }, partialKinds(fault.ProblemNotFound, fault.StaleRevision, fault.ReadOnlyField, fault.TransitionNotAllowed, fault.IdempotencyConflict)...).
			body(fields, merge),
	}, s.updateProblem)
	load := loadGrowing[wire.Problem](growing[problem.LogEntry]{
		name: "log", parts: snapshot.Keywords | snapshot.Log,
		loaded: func(s snapshot.Snapshot) []problem.LogEntry { return s.Log },
		stored: tracker.Reader.Log,
		encode: (*wire.Encoder).LargeProblem,
	})
	register(s, huma.Operation{
		OperationID: "loadProblem", Method: http.MethodGet, Path: "/problems/{identifier}", Tags: []string{"Problems"},
		Summary:     "Load a problem",
		Description: "With its keywords and its whole history log. With limit, at most that many entries of the log; the header Link has the next page. Relationships, comments and watchers are loaded from their own paths.",
		Security:    needs(access.Read),
		Responses:   orKept("The problem."),
		Metadata:    about(func(e *wire.Encoder) { e.Problem(samples.Snapshot()) }, fault.ProblemNotFound),
	}, func(ctx context.Context, in *loadInput) (*windowOutput[wire.Problem], error) {
		return load(ctx, in.call)
	})
}

// loadInput is R1.
type loadInput struct {
	Request
	OfProblem
	Past
	Windowed
	Cached
	Chosen
}

// sentMembers are the members set by clients, and the members ignored wherever they are
// sent back (D11).
func sentMembers(p *tracker.ProblemPatch, sent *tracker.ServiceFields) []wire.Member {
	return append(wire.PatchMembers(p),
		wire.Member{Name: "watching", Into: wire.Ignored{Into: &sent.Watching}},
		wire.Member{Name: "readByAssignee", Into: wire.Ignored{Into: &sent.ReadByAssignee}},
		wire.Member{Name: "logs", Into: wire.Ignored{Into: &sent.Log}},
		wire.Member{Name: "modifier", Into: wire.Ignored{Into: &sent.Modifier}},
		wire.Member{Name: "modificationDate", Into: wire.Ignored{Into: &sent.Modified}},
	)
}

// commented is the member for a comment beside fields (D53).
func commented(into *patch.Field[string]) wire.Member {
	return wire.Member{Name: "comment", Into: into}
}

// createMembers are the members of the body of W1, without a comment.
func createMembers(cmd *tracker.CreateProblem) []wire.Member {
	sent := &cmd.Service
	return append(sentMembers(&cmd.ProblemPatch, sent),
		wire.Member{Name: "identifier", Into: wire.Ignored{Into: &sent.Identifier}},
		wire.Member{Name: "originator", Into: wire.Ignored{Into: &sent.Originator}},
		wire.Member{Name: "resolver", Into: wire.Ignored{Into: &sent.Resolver}},
		wire.Member{Name: "resolveDate", Into: wire.Ignored{Into: &sent.Resolved}},
		wire.Member{Name: "creationDate", Into: wire.Ignored{Into: &sent.Created}},
		wire.Member{Name: "revision", Into: wire.Ignored{Into: &sent.Revision}},
		wire.Member{Name: "keywords", Into: newKeywords(&cmd.Keywords)},
	)
}

// updateMembers are the members of the body of W2.
func updateMembers(cmd *tracker.UpdateProblem) []wire.Member {
	sent := &cmd.Service
	return append(sentMembers(&cmd.ProblemPatch, sent),
		wire.Member{Name: "identifier", Into: &sent.Identifier.Field}, // of another type, it is invalid by itself
		wire.Member{Name: "originator", Into: &sent.Originator},
		wire.Member{Name: "resolver", Into: &sent.Resolver},
		wire.Member{Name: "resolveDate", Into: &sent.Resolved},
		wire.Member{Name: "creationDate", Into: &sent.Created},
		wire.Member{Name: "keywords", Into: &sent.Keywords},
		wire.Member{Name: "revision", Into: &cmd.Revision},
		commented(&cmd.Comment),
	)
}

type createOutput struct {
	Status int
	Located
	Tagged
	Revised
	Replayable
	Ignoring
	Body wire.JSON[wire.CreatedProblem]
}

// createProblem is W1.
func (s *server) createProblem(ctx context.Context, in *createInput) (*createOutput, error) {
	cmd := tracker.CreateProblem{Write: in.write()}
	var err error
	if cmd.Idempotency, err = idempotency(in.call, in.created); err != nil {
		return nil, err
	}
	if err := in.decode(&cmd.Faults, append(createMembers(&cmd), commented(&cmd.Comment))...); err != nil {
		return nil, err
	}
	a, err := s.Service.CreateProblem(ctx, in.caller, cmd)
	return answered(in.call, a, err, in.created)
}

// created returns a problem with its log, as the answer that it was created, or was there.
func (in *createInput) created(a tracker.Answer[snapshot.Snapshot]) *createOutput {
	out := &createOutput{Status: http.StatusOK, Tagged: in.tagged(tagOf(a)), Revised: revised(a.Revision), Ignoring: ignoring(a.Ignored)}
	if a.New {
		out.Status = http.StatusCreated
		out.Located = in.located("/problems/" + strconv.FormatInt(int64(a.Value.ID), 10))
	}
	out.Body = wire.One[wire.CreatedProblem](a.Catalogue, named(in.call, (*wire.Encoder).Problem), a.Value)
	return out
}

// newKeywords reads the keywords of a new problem.
func newKeywords(into *[]tracker.NewKeyword) wire.Elements {
	return func() []wire.Member {
		*into = append(*into, tracker.NewKeyword{})
		k := &(*into)[len(*into)-1]
		return []wire.Member{{Name: "name", Into: &k.Name}, {Name: "value", Into: &k.Value}}
	}
}

type updateInput struct {
	Request
	OfProblem
	Write
	Matching
	Based
	Keyed
}

type updateOutput struct {
	Tagged
	Revised
	Replayable
	Ignoring
	Body wire.JSON[wire.Problem]
}

// base returns the revision that a change began with, if the request has one (D52).
func (c *call) base() (revision patch.Field[int64], err error) {
	if !c.query.Has(paramBase) {
		return revision, nil
	}
	text := c.query.Get(paramBase)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		return revision, fault.New(fault.MalformedRequest, "base has to be a revision of the problem, such as 3, without sign or leading zeros")
	}
	return patch.Set(n), nil
}

// updateProblem is W2.
func (s *server) updateProblem(ctx context.Context, in *updateInput) (*updateOutput, error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.UpdateProblem{Write: write}
	if cmd.Idempotency, err = idempotency(in.call, in.updated); err != nil {
		return nil, err
	}
	if cmd.Base, err = in.base(); err != nil {
		return nil, err
	}
	if err := in.decode(&cmd.Faults, updateMembers(&cmd)...); err != nil {
		return nil, err
	}
	if cmd.Revision.Null {
		cmd.Faults.Add(fault.InvalidType, fault.At("revision"), "%v", wire.ErrInteger)
		cmd.Revision.Sent = false
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.UpdateProblem(ctx, in.caller, id, cmd)
	return answered(in.call, a, err, in.updated)
}

// updated returns a problem after a change. What is kept for a repeat is whole.
func (in *updateInput) updated(a tracker.Answer[snapshot.Snapshot]) *updateOutput {
	parts := isLarge(a.Value) && in.r.Header.Get("Idempotency-Key") == ""
	return &updateOutput{
		Tagged: in.tagged(tagOf(a)), Revised: revised(a.Revision), Ignoring: ignoring(a.Ignored),
		Body: compose[wire.Problem](in.call, wire.Encoder{Catalogue: a.Catalogue}, parts, func(e *wire.Encoder) error { e.Problem(a.Value); return nil }),
	}
}
