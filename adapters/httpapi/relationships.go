package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

func relationshipEndpoints() []endpoint {
	const path = "/problems/{identifier}/relationships"
	example := func(e *wire.Encoder) { e.Relationship(samples.Related()) }
	link := jsonBody(`{"type":"ParentOf","problemIdentifier":13}`, wire.Link{}, wire.Relationship{})
	written := []string{"Problem-Revision", "Dry-Run"}
	return []endpoint{
		{
			id: "addRelationship", method: http.MethodPut, path: path, tag: "Relationships",
			summary:     "Add a relationship and its mirror",
			description: "Only one side is given; the other problem gets the mirrored type. A type cannot be changed in place: delete the relationship first, then add the new one.",
			scope:       access.Write,
			headers:     []string{"If-Match"},
			bodies:      link,
			answers: []result{
				{status: 200, description: "The relationship, which was there before.", of: wire.Relationship{}, example: example, headers: written},
				{status: 201, description: "The relationship, which is new.", of: wire.Relationship{}, example: example, headers: written},
			},
			faults: []fault.Kind{
				fault.ProblemNotFound, fault.StaleRevision, fault.RequiredField, fault.UnknownField, fault.ValidationFailed,
				fault.RelationshipCycle, fault.RelationshipConflict,
			},
			do: (*call).addRelationship,
		},
		{
			id: "deleteRelationship", method: http.MethodDelete, path: path, tag: "Relationships",
			summary:     "Delete a relationship and its mirror",
			description: "The relationship is named by the body.",
			scope:       access.Write,
			headers:     []string{"If-Match"},
			bodies:      link,
			answers:     []result{{status: 204, description: "The relationship is no longer there.", headers: written}},
			faults: []fault.Kind{
				fault.ProblemNotFound, fault.StaleRevision, fault.RequiredField, fault.UnknownField, fault.ValidationFailed,
				fault.RelationshipNotFound,
			},
			do: (*call).deleteRelationship,
		},
		{
			id: "loadRelationships", method: http.MethodGet, path: path, tag: "Relationships",
			summary: "Load the relationships of a problem",
			scope:   access.Read,
			query:   []string{paramAsOf},
			headers: []string{"If-None-Match"},
			answers: loaded("The relationships, by type and other problem.", []wire.Relationship{}, func(e *wire.Encoder) {
				wire.List(e, []store.Related{samples.Related()}, e.Relationship)
			}),
			faults: []fault.Kind{fault.ProblemNotFound},
			do: load(store.Relationships, func(e *wire.Encoder, a tracker.Answer[store.Snapshot]) {
				wire.List(e, a.Value.Relationships, e.Relationship)
			}),
		},
	}
}

// relate reads the body of W6 and W7. A relationship as read is accepted, but only its
// type and its other problem act (D14).
func (c *call) relate() (cmd tracker.Relate, err error) {
	if cmd.Write, err = c.writeInput(); err != nil {
		return cmd, err
	}
	return cmd, c.decode(&cmd.Faults,
		wire.Member{Name: "type", Into: &cmd.Type},
		wire.Member{Name: "problemIdentifier", Into: &cmd.Other},
		wire.Member{Name: "creationDate", Into: nil},
		wire.Member{Name: "author", Into: nil},
		wire.Member{Name: "problem", Into: []wire.Member{{Name: "identifier", Into: &cmd.Listed}, {Name: "title", Into: nil}, {Name: "state", Into: nil}}},
	)
}

// addRelationship is W6.
func (c *call) addRelationship() (answer, error) {
	cmd, err := c.relate()
	if err != nil {
		return answer{}, err
	}
	id, err := c.problem()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.AddRelationship(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, func(a tracker.Answer[store.Related]) answer {
		e := wire.Encoder{Catalogue: a.Catalogue}
		e.Relationship(a.Value)
		return answer{status: created(a.New), revision: a.Revision, body: e.Buf}
	})
}

// deleteRelationship is W7.
func (c *call) deleteRelationship() (answer, error) {
	cmd, err := c.relate()
	if err != nil {
		return answer{}, err
	}
	id, err := c.problem()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.DeleteRelationship(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, noContent)
}
