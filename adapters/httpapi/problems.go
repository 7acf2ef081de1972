package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

func problemEndpoints() []endpoint {
	return []endpoint{
		{
			id: "createProblem", method: http.MethodPost, path: "/problems", tag: "Problems",
			summary:     "Create a problem",
			description: "Metadata objects can be partial: just enough members to identify one. Without a state, the problem is created in the first initial one. Keywords are set as their own endpoint sets them. Members that only the service writes are ignored; the header Ignored-Members names those that the new problem has otherwise.",
			scope:       access.Write,
			headers:     []string{"Idempotency-Key"},
			bodies: jsonBody(`{"title":"The login page answers slowly","priority":{"name":"High"},"assignee":{"email":"ann@example.org"},"keywords":[{"name":"version","value":"7.4.1"}]}`,
				NewProblem{}, Problem{}),
			answers: []result{{
				status: 201, description: "The problem that was created, with its log.", of: CreatedProblem{},
				example: func(e *encoder) { e.problem(sampleCreated()) },
				headers: []string{"Location", "ETag", "Problem-Revision", "Idempotency-Replayed", "Ignored-Members", "Dry-Run"},
			}},
			faults: partialKinds(fault.RequiredField, fault.TransitionNotAllowed, fault.IdempotencyConflict),
			do:     (*call).createProblem,
		},
		{
			id: "updateProblem", method: http.MethodPatch, path: "/problems/{identifier}", tag: "Problems",
			summary:     "Update fields of a problem",
			description: "Members that are left out stay as they are; null clears. A problem can be sent back as it was read: members that only the service writes must then be unchanged, and another revision than the current one is answered with 412. watching, readByAssignee, logs, modifier and modificationDate are ignored; the header Ignored-Members names those that the problem had otherwise.",
			scope:       access.Write,
			headers:     []string{"If-Match"},
			bodies: []body{
				{media: mediaJSON, of: []any{ProblemPatch{}, Problem{}}, example: `{"state":{"name":"In Progress"},"milestone":null}`},
				{media: mediaMerge, of: []any{ProblemPatch{}, Problem{}}, example: `{"state":{"name":"In Progress"},"milestone":null}`},
			},
			answers: []result{{
				status: 200, description: "The problem as it is now, with the log entries of this request.", of: Problem{},
				example: func(e *encoder) { e.problem(sampleUpdated()) },
				headers: []string{"ETag", "Problem-Revision", "Ignored-Members", "Dry-Run"},
			}},
			faults: partialKinds(fault.ProblemNotFound, fault.StaleRevision, fault.ReadOnlyField, fault.TransitionNotAllowed),
			do:     (*call).updateProblem,
		},
		{
			id: "loadProblem", method: http.MethodGet, path: "/problems/{identifier}", tag: "Problems",
			summary:     "Load a problem",
			description: "With its keywords and its whole history log; with a limit, as many entries of the log, and the header Link leads to the next ones. Relationships, comments and watchers are loaded from their own paths.",
			scope:       access.Read,
			query:       []string{paramAsOf, paramLimit, paramCursor},
			shown:       shownInWindow,
			headers:     []string{"If-None-Match"},
			answers:     linked(loaded("The problem.", Problem{}, func(e *encoder) { e.problem(sampleSnapshot()) })),
			faults:      []fault.Kind{fault.ProblemNotFound},
			do: growing[problem.LogEntry]{
				name: "log", parts: store.Keywords | store.Log,
				loaded: func(s store.Snapshot) []problem.LogEntry { return s.Log },
				stored: (*tracker.Service).Log,
				encode: (*encoder).largeProblem,
			}.load,
		},
	}
}

// shownInWindow are the parameters of a window as the document shows them.
var shownInWindow = map[string]string{paramLimit: paramWindowLimit, paramCursor: paramAuditCursor}

// linked adds the link to the next page to the first answer.
func linked(answers []result) []result {
	answers[0].headers = append(answers[0].headers, "Link")
	return answers
}

// loaded describes what R1–R4 answer.
func loaded(description string, of any, example func(*encoder)) []result {
	return []result{
		{status: 200, description: description, of: of, example: example, headers: []string{"ETag", "Problem-Revision"}},
		{status: 304, description: "The client's copy is still right.", headers: []string{"ETag", "Problem-Revision"}},
	}
}

// sentMembers are the members that clients set, and those that are ignored wherever they
// are sent back (D11).
func sentMembers(p *tracker.ProblemPatch, sent *tracker.ServiceFields) []member {
	return append(patchMembers(p),
		member{"watching", ignored{&sent.Watching}},
		member{"readByAssignee", ignored{&sent.ReadByAssignee}},
		member{"logs", ignored{&sent.Log}},
		member{"modifier", ignored{&sent.Modifier}},
		member{"modificationDate", ignored{&sent.Modified}},
	)
}

// createMembers are the members of the body of W1.
func createMembers(cmd *tracker.CreateProblem) []member {
	sent := &cmd.Service
	return append(sentMembers(&cmd.ProblemPatch, sent),
		member{"identifier", ignored{&sent.Identifier}},
		member{"originator", ignored{&sent.Originator}},
		member{"resolver", ignored{&sent.Resolver}},
		member{"resolveDate", ignored{&sent.Resolved}},
		member{"creationDate", ignored{&sent.Created}},
		member{"revision", ignored{&sent.Revision}},
		member{"keywords", newKeywords(&cmd.Keywords)},
	)
}

// updateMembers are the members of the body of W2.
func updateMembers(cmd *tracker.UpdateProblem) []member {
	sent := &cmd.Service
	return append(sentMembers(&cmd.ProblemPatch, sent),
		member{"identifier", &sent.Identifier.Field}, // of another type, it is invalid by itself
		member{"originator", &sent.Originator},
		member{"resolver", &sent.Resolver},
		member{"resolveDate", &sent.Resolved},
		member{"creationDate", &sent.Created},
		member{"keywords", &sent.Keywords},
		member{"revision", &cmd.Revision},
	)
}

// createProblem is W1.
func (c *call) createProblem() (answer, error) {
	cmd := tracker.CreateProblem{Write: tracker.Write{DryRun: c.dryRun}}
	var err error
	if cmd.Idempotency, err = idempotency(c, c.createdProblem); err != nil {
		return answer{}, err
	}
	if err := c.decode(&cmd.Faults, createMembers(&cmd)...); err != nil {
		return answer{}, err
	}
	a, err := c.Service.CreateProblem(c.r.Context(), c.caller, cmd)
	return answered(a, err, c.createdProblem)
}

// newKeywords reads the keywords of a new problem.
func newKeywords(into *[]tracker.NewKeyword) elements {
	return func() []member {
		*into = append(*into, tracker.NewKeyword{})
		k := &(*into)[len(*into)-1]
		return []member{{"name", &k.Name}, {"value", &k.Value}}
	}
}

// createdProblem renders the answer of W1.
func (c *call) createdProblem(a tracker.Answer[store.Snapshot]) answer {
	out := problemAnswer(http.StatusCreated, a)
	if !c.dryRun {
		out.header.Set("Location", c.BasePath+prefix+"/problems/"+strconv.FormatInt(int64(a.Value.ID), 10))
	}
	return out
}

// updateProblem is W2.
func (c *call) updateProblem() (answer, error) {
	write, err := c.write()
	if err != nil {
		return answer{}, err
	}
	cmd := tracker.UpdateProblem{Write: write}
	if err := c.decode(&cmd.Faults, updateMembers(&cmd)...); err != nil {
		return answer{}, err
	}
	if cmd.Revision.Null {
		cmd.Faults.Add(fault.InvalidType, fault.At("revision"), "%v", errInteger)
		cmd.Revision.Sent = false
	}
	id, err := c.problem()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.UpdateProblem(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, func(a tracker.Answer[store.Snapshot]) answer {
		if isLarge(a.Value) {
			c.inParts(encoder{catalogue: a.Catalogue}, func(e *encoder) error { e.problem(a.Value); return nil })
			return answer{status: http.StatusOK, revision: a.Revision, tag: problemTag(a.Value, a.Catalogue)}
		}
		return problemAnswer(http.StatusOK, a)
	})
}

// problemAnswer answers a write with the whole problem, and names the members that it
// has not stored.
func problemAnswer(status int, a tracker.Answer[store.Snapshot]) answer {
	e := encoder{catalogue: a.Catalogue}
	e.problem(a.Value)
	header := http.Header{}
	setIgnored(header, a.Ignored)
	return answer{status: status, revision: a.Revision, tag: problemTag(a.Value, a.Catalogue), header: header, body: e.buf}
}

// setIgnored names the members that were sent and not stored.
func setIgnored(header http.Header, names []string) {
	if len(names) > 0 {
		header.Set("Ignored-Members", strings.Join(names, ", "))
	}
}

// unlessKnown answers 304 when the client has what the tag stands for (D20). An
// If-None-Match that cannot be read is as good as none. The revision is that of the
// problem that the answer is about, or 0.
func (c *call) unlessKnown(tag string, revision int64, body func() []byte) answer {
	a := answer{status: http.StatusOK, revision: revision, tag: tag}
	if known, err := parseTags(c.r.Header["If-None-Match"]); err == nil && known.has(tag) {
		a.status = http.StatusNotModified
		return a
	}
	a.body = body()
	return a
}
