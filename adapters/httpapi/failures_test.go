package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

var record = flag.Bool("record", false, "record the answers to requests at fault in failures.json")

// faultyProblems are bodies that are at fault for new problems and for changes.
var faultyProblems = map[fault.Kind]string{
	fault.RequiredField:        `{"priority":{"name":"High"}}`,
	fault.ReadOnlyField:        `{"creationDate":"2015-11-05T12:00:00.000Z"}`,
	fault.InvalidValue:         `{"title":""}`,
	fault.InvalidType:          `{"title":7}`,
	fault.UnknownField:         `{"title":"The login page answers slowly","colour":"red"}`,
	fault.MetadataNotFound:     `{"title":"The login page answers slowly","priority":{"name":"Urgent"}}`,
	fault.MetadataAmbiguous:    `{"title":"The login page answers slowly","assignee":{"inactive":false}}`,
	fault.ValidationFailed:     `{"title":7,"priority":{"name":"Urgent"}}`,
	fault.TransitionNotAllowed: `{"title":"The login page answers slowly","state":{"name":"Closed"}}`,
}

// report returns the body of a report of a problem.
func report(problem string) string {
	return `{"keyword":{"name":"alert","value":"login-slow"},"problem":` + problem + `}`
}

var faultyRelationships = map[fault.Kind]string{
	fault.RequiredField:        `{"problemIdentifier":13}`,
	fault.InvalidValue:         `{"type":"FriendOf","problemIdentifier":13}`,
	fault.InvalidType:          `{"type":"ParentOf","problemIdentifier":"13"}`,
	fault.UnknownField:         `{"type":"ParentOf","problemIdentifier":13,"since":2015}`,
	fault.ValidationFailed:     `{"type":"FriendOf","problemIdentifier":"13"}`,
	fault.RelationshipConflict: `{"type":"ChildOf","problemIdentifier":13}`,
	fault.RelationshipCycle:    `{"type":"BlockerOf","problemIdentifier":13}`,
	fault.RelationshipNotFound: `{"type":"CauseOf","problemIdentifier":13}`,
}

var faultyRedactions = map[fault.Kind]string{
	fault.RequiredField:    `{}`,
	fault.InvalidValue:     `{"text":"abc"}`,
	fault.InvalidType:      `{"text":7}`,
	fault.UnknownField:     `{"text":"correct horse","everywhere":true}`,
	fault.ValidationFailed: `{"text":"abc","replacement":7}`,
	fault.InUse:            `{"text":"correct horse"}`,
	fault.UnknownOutcome:   `{"text":"login page"}`,
}

// withBody returns the bodies with another one for a kind.
func withBody(bodies map[fault.Kind]string, kind fault.Kind, body string) map[fault.Kind]string {
	bodies = maps.Clone(bodies)
	bodies[kind] = body
	return bodies
}

var faultyKeywords = map[fault.Kind]string{
	fault.InvalidValue:     `"a\u0000"`,
	fault.InvalidType:      `7`,
	fault.UnknownOutcome:   `"7.4.2"`,
	fault.ValidationFailed: `7`, // for a name that is at fault too
}

var faultySearches = map[fault.Kind]string{
	fault.InvalidPredicate:  `{"predicate":"name BEGINSWITH"}`,
	fault.NotFound:          `{"savedQuery":"0150d4f1-6000-7000-8000-000000000063"}`,
	fault.InvalidValue:      `{"predicate":"TRUEPREDICATE","limit":0}`,
	fault.InvalidType:       `{"predicate":7}`,
	fault.UnknownField:      `{"predicate":"TRUEPREDICATE","page":2}`,
	fault.ValidationFailed:  `{"predicate":7,"page":2}`,
	fault.TooManyResults:    `{"predicate":"TRUEPREDICATE"}`,
	fault.QueryTooExpensive: `{"predicate":"TRUEPREDICATE"}`,
}

// faulty are the bodies that are at fault, by operation.
var faulty = map[string]map[fault.Kind]string{
	"takeClaim": {
		fault.RequiredField:    `{}`,
		fault.InvalidValue:     `{"lease":5}`,
		fault.InvalidType:      `{"lease":"an hour"}`,
		fault.UnknownField:     `{"lease":600,"holder":"Ann"}`,
		fault.ValidationFailed: `{"lease":5,"holder":"Ann"}`,
	},
	"claimNext": {
		fault.RequiredField:       `{}`,
		fault.InvalidValue:        `{"lease":600,"wait":61}`,
		fault.InvalidType:         `{"lease":"an hour"}`,
		fault.UnknownField:        `{"lease":600,"holder":"Ann"}`,
		fault.ValidationFailed:    `{"lease":5,"holder":"Ann"}`,
		fault.InvalidPredicate:    `{"lease":600,"predicate":"state.resolvd = NO"}`,
		fault.IdempotencyConflict: `{"lease":600}`,
		fault.UnknownOutcome:      `{"lease":600}`,
		fault.RateLimited:         `{"lease":600}`,
	},
	"reportProblem": {
		fault.RequiredField:        `{}`,
		fault.InvalidValue:         report(`{"title":""}`),
		fault.InvalidType:          report(`{"title":7}`),
		fault.UnknownField:         report(`{"title":"The login page answers slowly","colour":"red"}`),
		fault.MetadataNotFound:     report(`{"title":"The login page answers slowly","priority":{"name":"Urgent"}}`),
		fault.MetadataAmbiguous:    report(`{"title":"The login page answers slowly","assignee":{"inactive":false}}`),
		fault.ValidationFailed:     report(`{"title":7,"priority":{"name":"Urgent"}}`),
		fault.TransitionNotAllowed: report(`{"title":"The login page answers slowly","state":{"name":"Closed"}}`),
		fault.UnknownOutcome:       `{"keyword":{"name":"alert","value":"login-slow"},"problem":{"title":"The login page answers slowly"},"comment":"Seen."}`,
	},
	"createProblem":      faultyProblems,
	"updateProblem":      faultyProblems,
	"setKeyword":         faultyKeywords,
	"patchKeyword":       faultyKeywords,
	"addRelationship":    faultyRelationships,
	"deleteRelationship": faultyRelationships,
	"addComment": {
		fault.RequiredField:    `{"html":"<p>Seen again.</p>"}`,
		fault.InvalidValue:     `{"text":""}`,
		fault.InvalidType:      `{"text":["Seen again."]}`,
		fault.UnknownField:     `{"text":"Seen again.","markdown":"Seen *again*."}`,
		fault.ValidationFailed: `{"text":"","html":7}`,
	},
	"undoBatch": {
		fault.RequiredField:     `{}`,
		fault.InvalidValue:      `{"scope":"everywhere"}`,
		fault.InvalidType:       `{"scope":["here"]}`,
		fault.UnknownField:      `{"scope":"here","problem":12}`,
		fault.ValidationFailed:  `{"problem":12}`,
		fault.RelationshipCycle: `{"scope":"here"}`,
	},
	"addWatcher": {
		fault.InvalidValue:      `{"name":"Ann\u0000"}`,
		fault.InvalidType:       `"ann@example.org"`,
		fault.UnknownField:      `{"nickname":"ann"}`,
		fault.MetadataNotFound:  `{"email":"eve@example.org"}`,
		fault.MetadataAmbiguous: `{"inactive":false}`,
		fault.ValidationFailed:  `{"name":7,"nickname":"ann"}`,
	},
	"createUser": {
		fault.RequiredField:    `{"name":"Eve"}`,
		fault.InvalidValue:     `{"name":"Eve","email":"eve"}`,
		fault.InvalidType:      `{"name":"Eve","email":"eve@example.org","inactive":0}`,
		fault.UnknownField:     `{"name":"Eve","email":"eve@example.org","nickname":"eve"}`,
		fault.ValidationFailed: `{"name":7}`,
		fault.AlreadyExists:    `{"name":"Eve","email":"bob@example.org"}`,
	},
	"updateUser": {
		fault.InvalidValue:     `{"email":"ann"}`,
		fault.InvalidType:      `{"inactive":1}`,
		fault.UnknownField:     `{"nickname":"ann"}`,
		fault.ReadOnlyField:    `{"identifier":"0150d4f1-6000-7000-8000-000000000002"}`,
		fault.ValidationFailed: `{"email":"ann","inactive":1}`,
		fault.AlreadyExists:    `{"email":"bob@example.org"}`,
	},
	"createState": {
		fault.RequiredField:     `{"resolved":true}`,
		fault.InvalidValue:      `{"name":""}`,
		fault.InvalidType:       `{"name":"Verified","resolved":1}`,
		fault.UnknownField:      `{"name":"Verified","final":true}`,
		fault.MetadataNotFound:  `{"name":"Verified","nextStates":[{"name":"Done"}]}`,
		fault.MetadataAmbiguous: `{"name":"Verified","nextStates":[{"initial":false}]}`,
		fault.ValidationFailed:  `{"name":7,"nextStates":[{"name":"Done"}]}`,
		fault.AlreadyExists:     `{"name":"Closed"}`,
	},
	"updateState": {
		fault.InvalidValue:      `{"order":null}`,
		fault.InvalidType:       `{"nextStates":{"name":"Closed"}}`,
		fault.UnknownField:      `{"final":true}`,
		fault.ReadOnlyField:     `{"identifier":"0150d4f1-6000-7000-8000-000000000002"}`,
		fault.MetadataNotFound:  `{"nextStates":[{"name":"Done"}]}`,
		fault.MetadataAmbiguous: `{"nextStates":[{"initial":false}]}`,
		fault.ValidationFailed:  `{"name":"","nextStates":[{"name":"Done"}]}`,
		fault.AlreadyExists:     `{"name":"Closed"}`,
		fault.InUse:             `{"initial":false}`,
	},
	"createPriority": {
		fault.RequiredField:    `{"order":1}`,
		fault.InvalidValue:     `{"name":"Low","order":2147483648}`,
		fault.InvalidType:      `{"name":"Low","order":1.5}`,
		fault.UnknownField:     `{"name":"Low","colour":"grey"}`,
		fault.ValidationFailed: `{"order":"last"}`,
		fault.AlreadyExists:    `{"name":"High"}`,
	},
	"updatePriority": {
		fault.InvalidValue:     `{"order":null}`,
		fault.InvalidType:      `{"order":"last"}`,
		fault.UnknownField:     `{"colour":"red"}`,
		fault.ReadOnlyField:    `{"identifier":"0150d4f1-6000-7000-8000-000000000002"}`,
		fault.ValidationFailed: `{"name":"","order":"last"}`,
		fault.AlreadyExists:    `{"name":"Low"}`,
	},
	"createClassification": {
		fault.RequiredField:    `{}`,
		fault.InvalidValue:     `{"name":null}`,
		fault.InvalidType:      `{"name":7}`,
		fault.UnknownField:     `{"name":"Task","colour":"green"}`,
		fault.ValidationFailed: `{"name":7,"colour":"green"}`,
		fault.AlreadyExists:    `{"name":"Incorrect Behavior"}`,
	},
	"updateClassification": {
		fault.InvalidValue:     `{"name":""}`,
		fault.InvalidType:      `{"name":7}`,
		fault.UnknownField:     `{"colour":"red"}`,
		fault.ReadOnlyField:    `{"identifier":"0150d4f1-6000-7000-8000-000000000002"}`,
		fault.ValidationFailed: `{"name":"","colour":"red"}`,
		fault.AlreadyExists:    `{"name":"Task"}`,
	},
	"createComponent": {
		fault.RequiredField:     `{"parent":{"name":"Server"}}`,
		fault.InvalidValue:      `{"name":"Server/Login"}`,
		fault.InvalidType:       `{"name":"Login","closed":0}`,
		fault.UnknownField:      `{"name":"Login","owner":"Ann"}`,
		fault.MetadataNotFound:  `{"name":"Login","parent":{"name":"Client"}}`,
		fault.MetadataAmbiguous: `{"name":"Login","parent":{"closed":false}}`,
		fault.ValidationFailed:  `{"name":"Server/Login","parent":{"name":"Client"}}`,
		fault.AlreadyExists:     `{"name":"Server"}`,
	},
	"updateComponent": {
		fault.InvalidValue:      `{"name":"Server/Accounts"}`,
		fault.InvalidType:       `{"parent":"Server"}`,
		fault.UnknownField:      `{"owner":"Ann"}`,
		fault.ReadOnlyField:     `{"fullName":"Accounts"}`,
		fault.MetadataNotFound:  `{"successor":{"name":"Client"}}`,
		fault.MetadataAmbiguous: `{"successor":{"closed":false}}`,
		fault.ValidationFailed:  `{"closed":0,"successor":{"name":"Client"}}`,
		fault.AlreadyExists:     `{"name":"Web"}`,
		fault.MetadataCycle:     `{"parent":{"name":"Accounts"}}`,
	},
	"createMilestone": {
		fault.RequiredField:     `{"component":{"name":"Server"}}`,
		fault.InvalidValue:      `{"name":"Summer","startDate":"2016-06-01T00:00:00.000Z","endDate":"2016-05-01T00:00:00.000Z"}`,
		fault.InvalidType:       `{"name":"Summer","endDate":2016}`,
		fault.UnknownField:      `{"name":"Summer","owner":"Ann"}`,
		fault.MetadataNotFound:  `{"name":"Summer","component":{"name":"Client"}}`,
		fault.MetadataAmbiguous: `{"name":"Summer","component":{"closed":false}}`,
		fault.ValidationFailed:  `{"name":"Summer","endDate":2016,"component":{"name":"Client"}}`,
		fault.AlreadyExists:     `{"name":"Spring","component":{"name":"Server"}}`,
	},
	"updateMilestone": {
		fault.InvalidValue:      `{"startDate":"2016-06-01T00:00:00.000Z"}`,
		fault.InvalidType:       `{"component":"Server"}`,
		fault.UnknownField:      `{"owner":"Ann"}`,
		fault.ReadOnlyField:     `{"creationDate":"2015-11-05T12:00:00.000Z"}`,
		fault.MetadataNotFound:  `{"component":{"name":"Client"}}`,
		fault.MetadataAmbiguous: `{"component":{"closed":false}}`,
		fault.ValidationFailed:  `{"endDate":2016,"component":{"name":"Client"}}`,
		fault.AlreadyExists:     `{"name":"Summer"}`,
	},
	"searchProblemsByPost":        faultySearches,
	"searchUsersByPost":           faultySearches,
	"searchComponentsByPost":      faultySearches,
	"searchMilestonesByPost":      faultySearches,
	"searchPrioritiesByPost":      faultySearches,
	"searchClassificationsByPost": faultySearches,
	"searchStatesByPost":          faultySearches,
	"updateQuery": {
		fault.InvalidValue:     `{"columns":"state,colour"}`,
		fault.InvalidType:      `{"shared":"yes"}`,
		fault.UnknownField:     `{"owner":null}`,
		fault.ValidationFailed: `{"columns":"state,colour","owner":null}`,
	},
	"saveQuery": {
		fault.RequiredField:    `{"name":"Mine"}`,
		fault.InvalidValue:     `{"name":"Mine","predicate":"assignee.identifer = $ApiUser"}`,
		fault.InvalidType:      `{"name":"Mine","predicate":["assignee.identifier = $ApiUser"]}`,
		fault.UnknownField:     `{"name":"Mine","predicate":"assignee.identifier = $ApiUser","limit":50}`,
		fault.ValidationFailed: `{"name":7,"predicate":"assignee.identifier = $ApiUser","limit":50}`,
	},
	"updateProblems": {
		fault.InvalidValue:      `{"title":""}`,
		fault.InvalidType:       `{"title":7}`,
		fault.UnknownField:      `{"colour":"green"}`,
		fault.MetadataNotFound:  `{"priority":{"name":"Soon"}}`,
		fault.MetadataAmbiguous: `{"assignee":{"inactive":false}}`,
		fault.ValidationFailed:  `{"title":7,"priority":{"name":"Soon"}}`,
	},
	"createWebhook": {
		fault.RequiredField:    `{"types":["problem.created"]}`,
		fault.InvalidValue:     `{"url":"ftp://hooks.example.org"}`,
		fault.InvalidType:      `{"url":"https://hooks.example.org","types":"problem.created"}`,
		fault.UnknownField:     `{"url":"https://hooks.example.org","secret":"mine"}`,
		fault.ValidationFailed: `{"url":"hooks.example.org","types":[7]}`,
	},
	"updateWebhook": {
		fault.InvalidValue:     `{"types":["problem.deleted"]}`,
		fault.InvalidType:      `{"active":"yes"}`,
		fault.UnknownField:     `{"secret":"mine"}`,
		fault.ValidationFailed: `{"active":"yes","onFailure":"drop"}`,
		fault.CursorGone:       `{"cursor":"` + event.Cursor{Number: 7, Index: 1, Batch: samples.Ann.ID}.String() + `"}`,
	},
	"rotateWebhookSecret": {
		fault.InvalidValue:     `{"endEarlier":null}`,
		fault.InvalidType:      `{"endEarlier":"yes"}`,
		fault.UnknownField:     `{"secret":"mine"}`,
		fault.ValidationFailed: `{"endEarlier":"yes","secret":"mine"}`,
		fault.InUse:            `{}`,
	},
	"editComment": {
		fault.InvalidValue:     `{"text":""}`,
		fault.InvalidType:      `{"text":7}`,
		fault.UnknownField:     `{"text":"Seen again.","markdown":"Seen *again*."}`,
		fault.ValidationFailed: `{"text":"","html":7}`,
	},
	"redactProblem": withBody(faultyRedactions, fault.AttachmentNotFound, `{"attachment":"7"}`),
	"redactComment": withBody(faultyRedactions, fault.UnknownOutcome, `{"text":"second server"}`),
	"setPreferences": {
		fault.InvalidValue:     `{"timeZone":"Mars/Olympus"}`,
		fault.InvalidType:      `{"keys":"off"}`,
		fault.UnknownField:     `{"font":"large"}`,
		fault.ValidationFailed: `{"timeZone":"Mars/Olympus","font":"large"}`,
	},
	"setMail": {
		fault.RequiredField:    `{}`,
		fault.InvalidValue:     `{"mail":"weekly"}`,
		fault.InvalidType:      `{"mail":7}`,
		fault.UnknownField:     `{"mail":"none","user":"Bob"}`,
		fault.ValidationFailed: `{"mail":7,"user":"Bob"}`,
	},
	"createOwnToken": {
		fault.RequiredField:    `{}`,
		fault.InvalidValue:     `{"scope":"root"}`,
		fault.InvalidType:      `{"scope":7}`,
		fault.UnknownField:     `{"scope":"read","user":"ann"}`,
		fault.ValidationFailed: `{"scope":"root","user":"ann"}`,
	},
	"createToken": {
		fault.RequiredField:     `{"user":{"name":"Ann"}}`,
		fault.InvalidValue:      `{"user":{"name":"Ann"},"scope":"everything"}`,
		fault.InvalidType:       `{"user":"Ann","scope":"read"}`,
		fault.UnknownField:      `{"user":{"name":"Ann"},"scope":"read","label":"laptop"}`,
		fault.MetadataNotFound:  `{"user":{"name":"Eve"},"scope":"read"}`,
		fault.MetadataAmbiguous: `{"user":{},"scope":"read"}`,
		fault.ValidationFailed:  `{"user":{"name":"Eve"},"scope":"everything"}`,
	},
}

// provoke has the operation fail in the given way. What it does to the fixture is
// right for this kind alone.
func provoke(f *fixture, e endpoint, kind fault.Kind) *httptest.ResponseRecorder {
	path, keyword, object, parameters := "/problems/12", "version", objectOf(e).String(), ""
	comment, attachment := samples.Comment().ID.String(), samples.Attachment().ID.String()
	headers := []string{"X-Request-Id", "b7c1f0", "Content-Type", mediaJSON}
	if e.file {
		headers = append(headers, "Content-Disposition", `attachment; filename="a.json"`)
	}
	body := faulty[e.OperationID][kind]
	if body == "" && len(e.bodies) > 0 {
		body = e.bodies[len(e.bodies)-1].example // in JSON
	}
	if e.takes("query", paramPredicate) {
		parameters = "?predicate=TRUEPREDICATE"
	}
	if e.OperationID == "listEvents" {
		f.feed = sampleFeed()
	}
	batch := f.snapshot.Batch.String()
	switch e.OperationID {
	case "updateQuery":
		if kind != fault.NotFound {
			f.queries = []query.Saved{{ID: samples.Ann.ID, Owner: samples.Ann.ID, Name: "Mine", Predicate: "TRUEPREDICATE"}}
		}
	case "updateProblems":
		parameters = bulkQuery(f, kind)
	case "undoBatch":
		parameters = undoQuery(f, kind)
	}
	switch kind {
	case fault.InvalidPredicate:
		switch {
		case e.takes("query", paramPredicate):
			parameters = "?predicate=name+BEGINSWITH"
		case e.takes("query", paramSort):
			parameters = "?sort=name+desc"
		}
	case fault.CursorGone:
		if e.OperationID == "updateWebhook" {
			break
		}
		parameters = "?after=" + event.Cursor{Number: 7, Index: 1, Batch: samples.Ann.ID}.String()
	case fault.TooManyResults:
		f.hits, f.catalogue = make([]store.Hit, tracker.MostFound+1), hugeCatalogue()
	case fault.MalformedJSON:
		body = `{"title":`
	case fault.MalformedRequest:
		parameters = "?verbose=true"
	case fault.Unauthenticated:
		headers = append(headers, "Authorization", "")
	case fault.Forbidden:
		headers = append(headers, "Authorization", secretOf(access.Read).Reveal())
	case fault.NotFound:
		object = samples.Identifier(99).String()
		batch = object
		if e.takes("query", paramSavedQuery) {
			parameters = "?savedQuery=" + object
		}
	case fault.ProblemNotFound:
		path = "/problems/99"
	case fault.KeywordNotFound:
		keyword = "customers"
	case fault.CommentNotFound:
		comment = "14"
	case fault.AttachmentNotFound:
		attachment = "32"
	case fault.RangeNotSatisfiable:
		headers = append(headers, "Range", "bytes=4-")
	case fault.StorageFull:
		f.fileErr = fault.New(kind, "the storage for files is full; nothing was stored")
	case fault.Claimed:
		f.snapshot.Claim = samples.Claim()
	case fault.ClaimLost:
		headers = append(headers, "Claim", samples.Identifier(99).String())
	case fault.StaleRevision:
		if ofProblem(e.Operation) {
			headers = append(headers, "If-Match", `"2"`)
		}
	case fault.TooLarge:
		body = strings.Repeat(" ", int(DefaultLimits().BodyBytes)+1)
	case fault.UnsupportedMediaType:
		headers = append(headers, "Content-Type", "application/xml", "Content-Encoding", "gzip")
	case fault.TransitionNotAllowed:
		f.snapshot.State = samples.Open.ID
	case fault.InvalidValue, fault.ValidationFailed:
		headers = append(headers, "Content-Disposition", `attachment; filename="a/b"`)
		if e.OperationID == "deleteKeyword" || kind == fault.ValidationFailed {
			keyword = "a%00"
		}
	case fault.AlreadyExists:
		f.catalogue = fullCatalogue()
	case fault.InUse:
		f.tokens = f.tokens[:3] // without Bob's
		if e.OperationID == "redactProblem" {
			f.snapshot.Keywords = []problem.Keyword{{Name: "correct horse"}}
		}
		if e.OperationID == "revokeToken" || e.OperationID == "revokeOwnToken" {
			object = f.tokens[2].ID.String()
		}
		secret := &f.webhooks[0].Secret
		secret.Generation, secret.Rotated, secret.RotatedBefore = 3, samples.Time, samples.Time
	case fault.RelationshipCycle:
		f.neighbours = []relationship.Relationship{{Owner: 13, Type: relationship.BlockerOf, Other: 12}}
	}
	send := func(body string) *httptest.ResponseRecorder {
		at := strings.NewReplacer("/problems/{identifier}", path, "{identifier}", object, "{keyword}", keyword, "{comment}", comment, "{attachment}", attachment, "{batch}", batch).Replace(e.Path)
		return f.do(request(e.Method, api+at+parameters, body, headers...))
	}
	switch kind {
	case fault.RateLimited:
		send(body)
	case fault.IdempotencyConflict:
		f.hits = []store.Hit{{ID: 12}}
		headers = append(headers, "Idempotency-Key", e.OperationID)
		send(body)
		body += " "
	case fault.Internal:
		f.err = errors.New("no more")
	case fault.Unavailable:
		f.err = context.DeadlineExceeded
	case fault.UnknownOutcome:
		f.commitErr = fault.New(fault.UnknownOutcome, "the connection broke")
		// The operation has to find something to do.
		f.snapshot.Watchers = nil
		switch e.OperationID {
		case "addRelationship":
			f.snapshot.Relationships = nil
		case "deleteRelationship":
			f.snapshot.Relationships = []snapshot.Related{samples.Related()}
		case "claimNext":
			f.hits, f.snapshot.Claim = []store.Hit{{ID: 12}}, problem.Claim{}
		case "endClaim":
			f.snapshot.Claim = samples.Claim()
		case "revokeToken", "revokeOwnToken":
			object = f.tokens[0].ID.String()
		case "deleteQuery":
			f.queries = []query.Saved{{ID: samples.Ann.ID, Owner: samples.Ann.ID}}
		}
	}
	return send(body)
}

// undoQuery prepares the fixture for an undo to fail in a way, and returns the query.
func undoQuery(f *fixture, kind fault.Kind) string {
	f.hits = []store.Hit{{ID: 12, Revision: 3}}
	switch kind {
	case fault.NotFound, fault.TooManyResults, fault.QueryTooExpensive:
		return "?preview=" + tracker.Preview{Now: samples.Time.Add(2 * time.Hour)}.String()
	case fault.RelationshipCycle:
		f.neighbours = []relationship.Relationship{{Owner: 13, Type: relationship.BlockerOf, Other: 12}}
		blocked := f.snapshot.Log[1]
		blocked.Type, blocked.Field, blocked.From, blocked.To = problem.RelationshipDeleted, string(relationship.BlockerOf), problem.LogLink(13), ""
		f.snapshot.Log, f.snapshot.Relationships = append(f.snapshot.Log, blocked), nil
	case fault.UnknownOutcome:
	default:
		return ""
	}
	var shown wire.UndoneBatch
	w := f.do(request("POST", api+"/problems/12/batches/"+f.snapshot.Batch.String()+"/undo?dryRun=true", cmp.Or(faulty["undoBatch"][kind], `{"scope":"batch"}`)))
	if err := json.Unmarshal(w.Body.Bytes(), &shown); err != nil || shown.Preview == nil {
		return ""
	}
	return "?preview=" + *shown.Preview
}

// The operations fail in all ways that the document has, with the answers that it
// shows, and with headers that it has.
func TestFailuresAreRecorded(t *testing.T) {
	t.Parallel()
	document := openAPI(t)
	var got []recordedFailure
	for _, kind := range httpframe.Failures() {
		f := setup(t, func(o *Options) {
			switch kind.Kind {
			case fault.RateLimited:
				o.Limits.RatePerMinute = 1
			case fault.QueryTooExpensive:
				slow := newFixedStore()
				slow.feed = sampleFeed()
				o.Service = usecases.New(tracker.Options{Store: slow, Now: o.Now, Random: zeros{}, SearchFor: -1}, nil) // no time at all
			}
		})
		if kind.Kind == fault.UnknownOutcome {
			f.feed = feedOfHook() // or no webhook is resumed
		}
		for _, e := range endpoints() {
			if !slices.Contains(kinds(e.Operation), kind.Kind) {
				continue
			}
			w := provoke(f, e, kind.Kind)
			var answer wire.Error
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Type != "/errors/"+string(kind.Kind) {
				t.Errorf("%s does not fail with %s: status %d, %s", e.OperationID, kind.Kind, w.Code, w.Body)
				continue
			}
			checkHeaders(t, document, e, w)
			if known := w.Header().Get("Problem-Revision") != ""; known != (ofProblem(e.Operation) && knowsRevision(kind.Kind)) {
				t.Errorf("%s fails with %s: Problem-Revision %t", e.OperationID, kind.Kind, known)
			}
			same := func(f recordedFailure) bool { return reflect.DeepEqual(f.Answer, answer) }
			if i := slices.IndexFunc(got, same); i >= 0 {
				got[i].Operations = append(got[i].Operations, e.OperationID)
			} else {
				got = append(got, recordedFailure{kind.Kind, []string{e.OperationID}, answer})
			}
		}
	}
	if *record {
		if err := os.WriteFile("failures.json", recording(t, got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := recording(t, got); !bytes.Equal(recordedFailures, want) {
		t.Errorf("failures.json is not what the service answers: go test -run TestFailuresAreRecorded -record\n%s", want)
	}
}

// recording writes one failure in a line.
func recording(t *testing.T, all []recordedFailure) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, f := range all {
		if err := enc.Encode(f); err != nil {
			t.Fatal(err)
		}
	}
	lines := bytes.TrimSpace(b.Bytes())
	return slices.Concat([]byte("[\n"), bytes.ReplaceAll(lines, []byte("\n"), []byte(",\n")), []byte("\n]\n"))
}

// checkHeaders demands that the document knows the headers of an answer.
func checkHeaders(t *testing.T, served any, e endpoint, w *httptest.ResponseRecorder) {
	t.Helper()
	for name := range documentedHeaders() {
		if w.Header().Get(name) == "" {
			continue
		}
		if _, ok := at(served, fmt.Sprintf("%s/responses/%d/headers/%s", e.pointer(), w.Code, name)); !ok {
			t.Errorf("%s answers %d with %s, which the document does not say", e.OperationID, w.Code, name)
		}
	}
}

// documentedHeaders returns the names of all headers in the document.
var documentedHeaders = sync.OnceValue(func() map[string]*huma.Header {
	headers := (&document{tokensLimited: true, addressesLimited: true}).commonHeaders()
	for _, e := range endpoints() {
		maps.Copy(headers, e.Responses[strconv.Itoa(e.DefaultStatus)].Headers)
	}
	return headers
})

// sampleFeed is a feed of one event of a problem.
func sampleFeed() []event.Entry {
	sample := samples.Events()[0]
	return []event.Entry{{Number: 1, Batch: sample.Batch, At: sample.At, Author: sample.Author, Via: sample.Via, Events: []event.Event{sample.Event}}}
}

// feedOfHook is a feed that has the position of the sample webhook.
func feedOfHook() []event.Entry {
	at, feed := samples.Webhook().Progress.Cursor, sampleFeed()
	feed[0].Number, feed[0].Batch = at.Number, at.Batch
	return feed
}
