package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

func relationshipEndpoints() []endpoint {
	const path = "/problems/{identifier}/relationships"
	example := func(e *encoder) { e.relationship(sampleRelated()) }
	link := jsonBody(`{"type":"ParentOf","problemIdentifier":13}`, Link{}, Relationship{})
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
				{status: 200, description: "The relationship, which was there before.", of: Relationship{}, example: example, headers: written},
				{status: 201, description: "The relationship, which is new.", of: Relationship{}, example: example, headers: written},
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
			answers: loaded("The relationships, by type and other problem.", []Relationship{}, func(e *encoder) {
				list(e, []store.Related{sampleRelated()}, e.relationship)
			}),
			faults: []fault.Kind{fault.ProblemNotFound},
			do: load(store.Relationships, func(e *encoder, a tracker.Answer[store.Snapshot]) {
				list(e, a.Value.Relationships, e.relationship)
			}),
		},
	}
}

// relate reads what W6 and W7 take: a relationship as it was read will do, but
// only its type and its other problem act (D14).
func (c *call) relate() (cmd tracker.Relate, err error) {
	if cmd.Write, err = c.write(); err != nil {
		return cmd, err
	}
	return cmd, c.decode(&cmd.Faults,
		member{"type", &cmd.Type},
		member{"problemIdentifier", &cmd.Other},
		member{"creationDate", nil},
		member{"author", nil},
		member{"problem", []member{{"identifier", &cmd.Listed}, {"title", nil}, {"state", nil}}},
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
		e := encoder{catalogue: a.Catalogue}
		e.relationship(a.Value)
		return answer{status: created(a.New), revision: a.Revision, body: e.buf}
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
