package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
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
			description: "Metadata objects can be partial: just enough members to identify one. Without a state, the problem is created in the first initial one. Keywords are set as their own endpoint sets them. Members that only the service writes are ignored; the header Ignored-Members names each ignored member whose value differs.",
			scope:       access.Write,
			headers:     []string{"Idempotency-Key"},
			bodies: jsonBody(`{"title":"The login page answers slowly","priority":{"name":"High"},"assignee":{"email":"ann@example.org"},"keywords":[{"name":"version","value":"7.4.1"}]}`,
				wire.NewProblem{}, wire.Problem{}),
			answers: []result{{
				status: 201, description: "The problem that was created, with its log.", of: wire.CreatedProblem{},
				example: func(e *wire.Encoder) { e.Problem(samples.Created()) },
				headers: []string{"Location", "ETag", "Problem-Revision", "Idempotency-Replayed", "Ignored-Members", "Dry-Run"},
			}},
			faults: partialKinds(fault.RequiredField, fault.TransitionNotAllowed, fault.IdempotencyConflict),
			do:     (*call).createProblem,
		},
		{
			id: "updateProblem", method: http.MethodPatch, path: "/problems/{identifier}", tag: "Problems",
			summary:     "Update fields of a problem",
			description: "Members that are left out stay as they are; null clears. A problem can be sent back as it was read: members that only the service writes must then be unchanged, and another revision than the current one is answered with 412. watching, readByAssignee, logs, modifier and modificationDate are ignored; the header Ignored-Members names each ignored member whose value differs.",
			scope:       access.Write,
			headers:     []string{"If-Match"},
			bodies: []body{
				{media: mediaJSON, of: []any{wire.ProblemPatch{}, wire.Problem{}}, example: `{"state":{"name":"In Progress"},"milestone":null}`},
				{media: mediaMerge, of: []any{wire.ProblemPatch{}, wire.Problem{}}, example: `{"state":{"name":"In Progress"},"milestone":null}`},
			},
			answers: []result{{
				status: 200, description: "The problem as it is now, with the log entries of this request.", of: wire.Problem{},
				example: func(e *wire.Encoder) { e.Problem(samples.Updated()) },
				headers: []string{"ETag", "Problem-Revision", "Ignored-Members", "Dry-Run"},
			}},
			faults: partialKinds(fault.ProblemNotFound, fault.StaleRevision, fault.ReadOnlyField, fault.TransitionNotAllowed),
			do:     (*call).updateProblem,
		},
		{
			id: "loadProblem", method: http.MethodGet, path: "/problems/{identifier}", tag: "Problems",
			summary:     "Load a problem",
			description: "With its keywords and its whole history log. With limit, at most that many entries of the log; the header Link has the next page. Relationships, comments and watchers are loaded from their own paths.",
			scope:       access.Read,
			query:       []string{paramAsOf, paramLimit, paramCursor},
			shown:       shownInWindow,
			headers:     []string{"If-None-Match"},
			answers:     linked(loaded("The problem.", wire.Problem{}, func(e *wire.Encoder) { e.Problem(samples.Snapshot()) })),
			faults:      []fault.Kind{fault.ProblemNotFound},
			do: growing[problem.LogEntry]{
				name: "log", parts: store.Keywords | store.Log,
				loaded: func(s store.Snapshot) []problem.LogEntry { return s.Log },
				stored: (*tracker.Service).Log,
				encode: (*wire.Encoder).LargeProblem,
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

// loaded describes the answers of R1–R4.
func loaded(description string, of any, example func(*wire.Encoder)) []result {
	return []result{
		{status: 200, description: description, of: of, example: example, headers: []string{"ETag", "Problem-Revision"}},
		{status: 304, description: "The client's copy is still right.", headers: []string{"ETag", "Problem-Revision"}},
	}
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

// createMembers are the members of the body of W1.
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
func newKeywords(into *[]tracker.NewKeyword) wire.Elements {
	return func() []wire.Member {
		*into = append(*into, tracker.NewKeyword{})
		k := &(*into)[len(*into)-1]
		return []wire.Member{{Name: "name", Into: &k.Name}, {Name: "value", Into: &k.Value}}
	}
}

// createdProblem renders the answer of W1.
func (c *call) createdProblem(a tracker.Answer[store.Snapshot]) answer {
	e := wire.Encoder{Catalogue: a.Catalogue}
	e.Problem(a.Value)
	out := problemAnswer(http.StatusCreated, a, e.Buf)
	if !c.dryRun {
		out.header.Set("Location", c.BasePath+prefix+"/problems/"+strconv.FormatInt(int64(a.Value.ID), 10))
	}
	return out
}

// updateProblem is W2.
func (c *call) updateProblem() (answer, error) {
	write, err := c.writeInput()
	if err != nil {
		return answer{}, err
	}
	cmd := tracker.UpdateProblem{Write: write}
	if err := c.decode(&cmd.Faults, updateMembers(&cmd)...); err != nil {
		return answer{}, err
	}
	if cmd.Revision.Null {
		cmd.Faults.Add(fault.InvalidType, fault.At("revision"), "%v", wire.ErrInteger)
		cmd.Revision.Sent = false
	}
	id, err := c.problem()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.UpdateProblem(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, func(a tracker.Answer[store.Snapshot]) answer {
		body := c.compose(wire.Encoder{Catalogue: a.Catalogue}, isLarge(a.Value), func(e *wire.Encoder) error { e.Problem(a.Value); return nil })
		return problemAnswer(http.StatusOK, a, body)
	})
}

// problemAnswer answers a write with the whole problem, and names the ignored members.
func problemAnswer(status int, a tracker.Answer[store.Snapshot], body []byte) answer {
	header := http.Header{}
	setIgnored(header, a.Ignored)
	return answer{status: status, revision: a.Revision, tag: etag.Problem(a.Value, a.Catalogue), header: header, body: body}
}

// setIgnored names the members sent but not stored.
func setIgnored(header http.Header, names []string) {
	if len(names) > 0 {
		header.Set("Ignored-Members", strings.Join(names, ", "))
	}
}

// unlessKnown answers 304 when the client already has the representation of the tag
// (D20). A malformed If-None-Match is as good as none. The revision is the problem's, or
// 0.
func (c *call) unlessKnown(tag string, revision int64, body func() []byte) answer {
	a := answer{status: http.StatusOK, revision: revision, tag: tag}
	if known, err := etag.Parse(c.r.Header["If-None-Match"]); err == nil && known.Has(tag) {
		a.status = http.StatusNotModified
		return a
	}
	a.body = body()
	return a
}
