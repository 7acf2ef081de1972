package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

func (s *server) registerRelationships() {
	const path = "/problems/{identifier}/relationships"
	link := body{media: mediaJSON, of: []any{wire.Link{}, wire.Relationship{}}, example: `{"type":"ParentOf","problemIdentifier":13}`}
	register(s, huma.Operation{
		OperationID: "addRelationship", Method: http.MethodPut, Path: path, Tags: []string{"Relationships"},
		Summary:     "Add a relationship and its mirror",
		Description: "Only one side is given; the other problem gets the mirrored type. A type cannot be changed in place: delete the relationship first, then add the new one.",
		Security:    needs(access.Write),
		Responses:   responses{"200": {Description: "The relationship, which was there before."}, "201": {Description: "The relationship, which is new."}},
		Metadata: about(func(e *wire.Encoder) { e.Relationship(samples.Related()) }, fault.ProblemNotFound, fault.StaleRevision, fault.RequiredField, fault.UnknownField, fault.ValidationFailed, fault.RelationshipCycle, fault.RelationshipConflict).
			body(link),
	}, s.addRelationship)
	register(s, huma.Operation{
		OperationID: "deleteRelationship", Method: http.MethodDelete, Path: path, Tags: []string{"Relationships"},
		Summary:     "Delete a relationship and its mirror",
		Description: "The relationship is named by the body.",
		Security:    needs(access.Write),
		Responses:   responses{"204": {Description: "The relationship is no longer there."}},
		Metadata: about(nil, fault.ProblemNotFound, fault.StaleRevision, fault.RequiredField, fault.UnknownField, fault.ValidationFailed, fault.RelationshipNotFound).
			body(link),
	}, s.deleteRelationship)
	register(s, huma.Operation{
		OperationID: "loadRelationships", Method: http.MethodGet, Path: path, Tags: []string{"Relationships"},
		Summary:   "Load the relationships of a problem",
		Security:  needs(access.Read),
		Responses: orKept("The relationships, by type and other problem."),
		Metadata:  about(func(e *wire.Encoder) { wire.List(e, []snapshot.Related{samples.Related()}, e.Relationship) }, fault.ProblemNotFound),
	}, loadPart[[]wire.Relationship](snapshot.Relationships, func(e *wire.Encoder, a tracker.Answer[snapshot.Snapshot]) {
		wire.List(e, a.Value.Relationships, e.Relationship)
	}))
}

// relateFrom reads the body of W6 and W7, and the problem. A relationship as read is accepted,
// but only its type and its other problem act (D14).
func relateFrom(in *problemWriteInput) (id problem.ID, cmd tracker.Relate, err error) {
	if cmd.Write, err = in.conditional(); err != nil {
		return 0, cmd, err
	}
	err = in.decode(&cmd.Faults,
		wire.Member{Name: "type", Into: &cmd.Type},
		wire.Member{Name: "problemIdentifier", Into: &cmd.Other},
		wire.Member{Name: "creationDate", Into: nil},
		wire.Member{Name: "author", Into: nil},
		wire.Member{Name: "problem", Into: []wire.Member{{Name: "identifier", Into: &cmd.Listed}, {Name: "title", Into: nil}, {Name: "state", Into: nil}}},
	)
	if err == nil {
		id, err = in.problem()
	}
	return id, cmd, err
}

// addRelationship is W6.
func (s *server) addRelationship(ctx context.Context, in *problemWriteInput) (*writtenOutput[wire.Relationship], error) {
	id, cmd, err := relateFrom(in)
	if err != nil {
		return nil, err
	}
	a, err := s.Service.AddRelationship(ctx, in.caller, id, cmd)
	return wrote[wire.Relationship](a, err, (*wire.Encoder).Relationship)
}

// deleteRelationship is W7.
func (s *server) deleteRelationship(ctx context.Context, in *problemWriteInput) (*deletedOutput, error) {
	id, cmd, err := relateFrom(in)
	if err != nil {
		return nil, err
	}
	a, err := s.Service.DeleteRelationship(ctx, in.caller, id, cmd)
	return &deletedOutput{revised(a.Revision)}, err
}
