package httpapi

import (
	"net/url"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
)

// setupPast returns a fixture whose problem has a past: it was created Open by Bob
// with the revision 1, and got a comment with 2, a keyword with 3, a relationship
// that is gone with 4 and 5, and the state In Progress with 6, a minute each.
func setupPast(t *testing.T) *fixture {
	t.Helper()
	f := setup(t)
	s := &f.snapshot
	created := s.Problem
	created.State, created.Modifier, created.Modified, created.Revision = samples.Open.ID, samples.Bob.ID, samples.Time, 1
	moved := s.Problem
	moved.Modified, moved.Revision = samples.Time.Add(5*time.Minute), 6
	s.Problem = moved
	s.Savepoints = []snapshot.Savepoint{{Problem: created}, {Problem: moved}}
	first := s.Log[0]
	s.Log = []problem.LogEntry{first}
	for i, e := range []problem.LogEntry{
		{Type: problem.CommentAdded, Field: "comments", To: problem.LogText(samples.Comment().ID.String())},
		{Type: problem.KeywordSet, Field: "version", From: problem.LogText("7.4.0"), To: problem.LogText("7.4.1")},
		{Type: problem.RelationshipAdded, Field: string(relationship.BlockedBy), To: problem.LogLink(13)},
		{Type: problem.RelationshipDeleted, Field: string(relationship.BlockedBy), From: problem.LogLink(13)},
		{Type: problem.FieldChanged, Field: "state", From: problem.LogRef(samples.Open.ID, "Open"), To: problem.LogRef(samples.Progress.ID, "In Progress")},
	} {
		e.ID, e.Batch, e.Problem, e.Author = samples.Identifier(200+i), samples.Identifier(300+i), 12, samples.Ann.ID
		e.Revision, e.Created = int64(i)+2, samples.Time.Add(time.Duration(i+1)*time.Minute)
		s.Log = append(s.Log, e)
	}
	return f
}

// What asOf cannot be is malformed; what the problem has not been is not found
// (D18, D36). It is looked at before the path, and never on a write.
func TestAsOfRefused(t *testing.T) {
	t.Parallel()
	f := setupPast(t)
	for _, path := range []string{"/problems/12", "/problems/12/comments", "/problems/12/relationships", "/problems/12/watchers"} {
		for _, asOf := range []string{
			"", "x", "+1", " 1", "1 ", "01", "007", "1.0", "1e3", "0x1", "1_0", "--1", "-", "today", "2015-11-05", "2015-11-05T09:30:00",
			"2015-11-05 09:30:00Z", "2015-13-05T09:30:00Z", "2015-11-05T10:33:01 01:00", "1\x00",
		} {
			f.send(t, request("GET", api+path+"?asOf="+url.QueryEscape(asOf), ""), 400, fault.MalformedRequest)
		}
		for _, asOf := range []string{"0", "-0", "-1", "7", "1446715800", "99999999999999999999", "-99999999999999999999", "2015-11-05T09:30:00.124Z", "0001-01-01T00:00:00Z"} {
			f.send(t, request("GET", api+path+"?asOf="+asOf, ""), 404, fault.ProblemNotFound)
		}
		f.send(t, request("GET", api+path+"?asOf=1&asOf=1", ""), 400, fault.MalformedRequest)
		f.send(t, request("GET", api+path+"?asOf=1&dryRun=true", ""), 400, fault.MalformedRequest)
	}
	f.send(t, request("GET", api+"/problems/007?asOf=x", ""), 400, fault.MalformedRequest)
	f.send(t, request("GET", api+"/problems/99?asOf=1", ""), 404, fault.ProblemNotFound)
	f.send(t, request("GET", api+"/me?asOf=1", ""), 400, fault.MalformedRequest)
	for _, e := range endpoints() {
		if writes(e.Operation) && ofProblem(e.Operation) {
			path := pathOf(e)
			f.send(t, request(e.Method, api+path+"?asOf=1", `{}`), 400, fault.MalformedRequest)
		}
	}
	if len(f.changes) > 0 {
		t.Errorf("written: %+v", f.changes)
	}
}

// pathOf returns the path of an operation about the problem of the fixture.
func pathOf(e endpoint) string {
	return "/problems/12" + map[string]string{
		"/problems/{identifier}/comments":                      "/comments",
		"/problems/{identifier}/comments/{comment}":            "/comments/" + samples.Comment().ID.String(),
		"/problems/{identifier}/attachments":                   "/attachments",
		"/problems/{identifier}/attachments/{attachment}":      "/attachments/" + samples.Attachment().ID.String(),
		"/problems/{identifier}/keywords/{keyword}":            "/keywords/version",
		"/problems/{identifier}/relationships":                 "/relationships",
		"/problems/{identifier}/batches/{batch}/undo":          "/batches/" + samples.Identifier(13).String() + "/undo",
		"/problems/{identifier}/watchers":                      "/watchers",
		"/problems/{identifier}/claim":                         "/claim",
		"/problems/{identifier}/redactions":                    "/redactions",
		"/problems/{identifier}/comments/{comment}/redactions": "/comments/" + samples.Comment().ID.String() + "/redactions",
	}[e.Path]
}

// D20: the past has tags too. They change with names and other problems, which are
// shown as they are today; a mark is none of theirs.
func TestAsOfConditional(t *testing.T) {
	t.Parallel()
	f := setupPast(t)
	for _, path := range []string{"", "/comments", "/attachments", "/relationships", "/watchers"} {
		path = api + "/problems/12" + path
		tag := f.send(t, request("GET", path+"?asOf=4", ""), 200, "").Header().Get("ETag")
		header(t, f.send(t, request("GET", path+"?asOf=4", "", "If-None-Match", tag), 304, ""), map[string]string{"ETag": tag, "Problem-Revision": "4"})
		f.send(t, request("GET", path, "", "If-None-Match", tag), 200, "")
		f.send(t, request("GET", path+"?asOf=5", "", "If-None-Match", tag), 200, "")
		today := f.send(t, request("GET", path, ""), 200, "").Header().Get("ETag")
		f.send(t, request("GET", path+"?asOf=6", "", "If-None-Match", today), 200, "") // which has no marks
		f.send(t, request("PATCH", api+"/problems/12", `{"title":"U"}`, "If-Match", tag), 412, fault.StaleRevision)

		f.snapshot.Read = !f.snapshot.Read
		f.send(t, request("GET", path+"?asOf=4", "", "If-None-Match", tag), 304, "")
		f.snapshot.Catalogue.Number++ // something was renamed
		f.catalogue = metadata.NewCatalogue(f.snapshot.Catalogue, f.catalogue.Content())
		f.send(t, request("GET", path+"?asOf=4", "", "If-None-Match", tag), 200, "")
	}
	tag := f.send(t, request("GET", api+"/problems/12/relationships?asOf=4", ""), 200, "").Header().Get("ETag")
	f.snapshot.Title = "Renamed" // of the other problem too
	f.send(t, request("GET", api+"/problems/12/relationships?asOf=4", "", "If-None-Match", tag), 200, "")
}
