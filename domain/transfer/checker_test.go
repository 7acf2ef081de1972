package transfer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/transfer"
)

type change = func([]transfer.Record) []transfer.Record

// refusal is a list of records that is not as it has to be, and the reason for it.
type refusal struct {
	rule   string
	change change
	line   int64
	field  string
	reason string // how it begins
}

// renumber makes what belongs to the second problem belong to problem 3.
func renumber(records []transfer.Record) []transfer.Record {
	records = edit(31, func(r *transfer.Savepoint) { r.ID = 3 })(records)
	records = edit(32, func(r *transfer.LogEntry) { r.Problem = 3 })(records)
	records = edit(33, func(r *transfer.LogEntry) { r.Problem = 3 })(records)
	records = edit(34, func(r *transfer.Relationship) { r.Owner = 3 })(records)
	return edit(35, func(r *transfer.End) { r.Next = 4 })(records)
}

// wantRefusals loads each list of records, and checks the reason for its refusal.
func wantRefusals(t *testing.T, all []refusal) {
	t.Helper()
	for _, c := range all {
		_, _, err := load(c.change(sample()))
		f, ok := errors.AsType[*transfer.Fault](err)
		if !ok {
			t.Errorf("%s: %v, want a fault", c.rule, err)
			continue
		}
		if f.Line != c.line || f.Field != c.field || !strings.HasPrefix(f.Reason, c.reason) {
			t.Errorf("%s: %q, want line %d, %s: %s…", c.rule, f, c.line, c.field, c.reason)
		}
	}
}

func TestCheckerRefusesOrder(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"kinds come in order", both(drop(9), insert(2, sample()[8])), 3, "/kind", "a state cannot come after a user"},
		{"parts come in order", both(drop(22), insert(24, sample()[21])), 24, "/kind", "a comment cannot come after a keyword"},
		{"parts belong to a problem", insert(12, sample()[25]), 12, "/kind", "a watcher belongs to a problem"},
		{"parts follow their problem", insert(35, transfer.Watcher{Problem: 1, User: ann}), 35, "/problem", "must be 2"},
		{"the start comes once", insert(1, transfer.Start{Catalogue: 6}), 1, "/kind", "the start comes first, and only there"},
		{"the end is the end", insert(36, transfer.End{Next: 3}), 36, "/kind", "nothing can come after the end"},
		{"metadata ascends", edit(2, func(r *transfer.State) { r.ID = id(0) }), 2, "/identifier", "must be greater"},
		{"metadata has unique identifiers", edit(4, func(r *transfer.Priority) { r.ID = high }), 4, "/identifier", "must be greater"},
		{"problems ascend", edit(30, func(r *transfer.Problem) { r.ID = 1 }), 30, "/identifier", "must be greater than 1"},
		{"problems have numbers that JSON has", edit(30, func(r *transfer.Problem) { r.ID = problem.MaxID + 1 }), 30, "/identifier", "must be at most 9007199254740990"},
		{"problems are numbered from 1", edit(12, func(r *transfer.Problem) { r.ID = 0 }), 12, "/identifier", "must be greater than 0"},
		{"the next number is above", edit(35, func(r *transfer.End) { r.Next = 4 }), 35, "/nextIdentifier", "must be 3"},
	})
}

// TestCheckerRefusesValues is about D9.
func TestCheckerRefusesValues(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"identifiers are of version 7", edit(1, func(r *transfer.State) { r.ID[6] = 0x40 }), 1, "/identifier", "must be a UUID of version 7"},
		{"identifiers are of the variant of RFC 9562", edit(11, func(r *transfer.Token) { r.ID[8] = 0 }), 11, "/identifier", "must be a UUID of version 7"},
		{"times are in UTC", edit(12, func(r *transfer.Problem) { r.Created = r.Created.In(time.FixedZone("", 60)) }), 12, "/creationDate", "must be a time"},
		{"times are whole milliseconds", edit(12, func(r *transfer.Problem) { r.Modified = r.Modified.Add(1) }), 12, "/modificationDate", "must be a time"},
		{"times end with the year 9999", edit(8, func(r *transfer.Milestone) { r.End = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }), 8, "/endDate", "must be a time"},
		{"times are there", edit(22, func(r *transfer.Comment) { r.Created = time.Time{} }), 22, "/creationDate", "must be a time"},
	})
}

// TestCheckerRefusesMetadata is about D2.
func TestCheckerRefusesMetadata(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"names of states are unique", edit(2, func(r *transfer.State) { r.Name = " Open" }), 2, "/name", "another state has this already"},
		{"names of priorities are unique", edit(4, func(r *transfer.Priority) { r.Name = "High" }), 4, "/name", "another priority"},
		{"names of classifications are unique", insert(6, transfer.Classification{Classification: metadata.Classification{ID: id(22), Name: "Bug"}}), 6, "/name", "another classification"},
		{"names of milestones are unique within the component", insert(9, transfer.Milestone{Milestone: metadata.Milestone{ID: id(42), Name: "Beta", Component: pump, Created: at(0)}}), 9, "/name", "another milestone"},
		{"names of components are unique within the parent", edit(7, func(r *transfer.Component) { r.Name, r.Parent = "Engine", ident.None }), 7, "/name", "another component"},
		{"names of components have no /", edit(7, func(r *transfer.Component) { r.Name = "a/b" }), 7, "/name", "must not contain /"},
		{"e-mail addresses are unique without case", edit(10, func(r *transfer.User) { r.Email = "ANN@example.org" }), 10, "/email", "another user"},
		{"names are not empty", edit(5, func(r *transfer.Classification) { r.Name = " " }), 5, "/name", "must not be empty"},
		{"names have 255 characters", edit(3, func(r *transfer.Priority) { r.Name = strings.Repeat("é", 256) }), 3, "/name", "must have 1 to 255 characters, not 256"},
		{"e-mail addresses are not empty", edit(9, func(r *transfer.User) { r.Email = "" }), 9, "/email", "must not be empty"},
		{"next states are there", edit(1, func(r *transfer.State) { r.Next = []ident.ID{high} }), 1, "/nextStates", "there is no state"},
		{"next states differ", edit(1, func(r *transfer.State) { r.Next = []ident.ID{closed, closed} }), 1, "/nextStates", "must not contain a state twice"},
		{"a state is initial", edit(1, func(r *transfer.State) { r.Initial = false }), 11, "", "no state before this line is initial"},
		{"parents are there", edit(7, func(r *transfer.Component) { r.Parent = high }), 7, "/parent", "there is no component"},
		{"successors are there", edit(6, func(r *transfer.Component) { r.Successor = high }), 6, "/successor", "there is no component"},
		{"parents form trees", edit(6, func(r *transfer.Component) { r.Parent = pump }), 6, "/parent", "the component is its own parent"},
		{"a component is not its own parent", edit(6, func(r *transfer.Component) { r.Parent = engine }), 6, "/parent", "the component is its own parent"},
		{"e-mail addresses are unique in each form of a domain", both(
			edit(9, func(r *transfer.User) { r.Email = "ann@bücher.example" }), edit(10, func(r *transfer.User) { r.Email = "Ann@xn--bcher-kva.EXAMPLE" })), 10, "/email", "another user"},
		{"e-mail addresses have a possible domain", edit(9, func(r *transfer.User) { r.Email = "ann@☃.example" }), 9, "/email", "must have a domain of letters, digits and hyphens, not U+2603"},
		{"e-mail addresses have an @", edit(9, func(r *transfer.User) { r.Email = "noat" }), 9, "/email", "must be an e-mail address, such as"},
		{"e-mail addresses have something after the @", edit(9, func(r *transfer.User) { r.Email = "ann@" }), 9, "/email", "must be an e-mail address"},
		{"e-mail addresses have no white space", edit(9, func(r *transfer.User) { r.Email = "ann@exa mple.org" }), 9, "/email", "must be an e-mail address"},
		{"orders of states have 32 bits", edit(2, func(r *transfer.State) { r.Order = metadata.MaxOrder + 1 }), 2, "/order", "must be between -2147483648 and 2147483647"},
		{"orders of priorities have 32 bits", edit(4, func(r *transfer.Priority) { r.Order = -1 << 53 }), 4, "/order", "must be between"},
		{"a state has at most 1000 next states", edit(1, func(r *transfer.State) { r.Next = make([]ident.ID, 1001) }), 1, "/nextStates", "must have at most 1000 elements"},
		{"milestones end after they start", edit(8, func(r *transfer.Milestone) { r.Start, r.End = at(2), at(1) }), 8, "/endDate", "a milestone cannot end before it starts"},
		{"milestones start within the years 1 to 9999", edit(8, func(r *transfer.Milestone) { r.Start = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC) }), 8, "/startDate", "must be a time"},
		{"a component does not succeed itself", edit(6, func(r *transfer.Component) { r.Successor = engine }), 6, "/successor", "the component is its own successor"},
		{"components do not succeed each other", edit(7, func(r *transfer.Component) { r.Successor = engine }), 6, "/successor", "the component is its own successor, or that of one of its successors"},
		{"components of milestones are there", edit(8, func(r *transfer.Milestone) { r.Component = high }), 8, "/component", "there is no component"},
	})
}

// TestCheckerRefusesTokens is about D17.
func TestCheckerRefusesTokens(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"users of tokens are there", edit(11, func(r *transfer.Token) { r.User = high }), 11, "/user", "there is no user"},
		{"scopes are known", edit(11, func(r *transfer.Token) { r.Scope = "root" }), 11, "/scope", "must be one of: read, comment, report, write, admin"},
		{"tokens have unique identifiers", insert(12, sample()[10]), 12, "/identifier", "another token"},
		{"tokens have unique hashes", both(insert(12, sample()[10]), edit(12, func(r *transfer.Token) { r.ID = id(62) })), 12, "/sha256", "another token"},
		{"tokens expire after they are created", edit(11, func(r *transfer.Token) { r.Expires = at(-1) }), 11, "/expires", "must be in the future when the token is created"},
		{"tokens work for a moment", edit(11, func(r *transfer.Token) { r.Expires = r.Created }), 11, "/expires", "must be in the future when the token is created"},
		{"inactive users have no token", edit(9, func(r *transfer.User) { r.Inactive = true }), 11, "/revoked", "must be a time: the user is inactive"},
	})
}

// TestCheckerRefusesProblems is about D1.
func TestCheckerRefusesProblems(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"titles have 1000 characters", edit(12, func(r *transfer.Problem) { r.Title = strings.Repeat("x", 1001) }), 12, "/title", "must have 1 to 1000 characters, not 1001"},
		{"titles have no control characters", edit(13, func(r *transfer.Savepoint) { r.Title = "a\tb" }), 13, "/title", "must not contain control characters"},
		{"states are there", edit(12, func(r *transfer.Problem) { r.State = ident.None }), 12, "/state", "there is no state"},
		{"priorities are there", edit(12, func(r *transfer.Problem) { r.Priority = bug }), 12, "/priority", "there is no priority"},
		{"classifications are there", edit(12, func(r *transfer.Problem) { r.Classification = high }), 12, "/classification", "there is no classification"},
		{"components are there", edit(12, func(r *transfer.Problem) { r.Component = high }), 12, "/component", "there is no component"},
		{"milestones are there", edit(12, func(r *transfer.Problem) { r.Milestone = high }), 12, "/milestone", "there is no milestone"},
		{"assignees are there", edit(14, func(r *transfer.Savepoint) { r.Assignee = high }), 14, "/assignee", "there is no user"},
		{"originators are there", edit(12, func(r *transfer.Problem) { r.Originator = high }), 12, "/originator", "there is no user"},
		{"modifiers are there", edit(12, func(r *transfer.Problem) { r.Modifier = high }), 12, "/modifier", "there is no user"},
		{"resolvers are there", edit(12, func(r *transfer.Problem) { r.Resolver = high }), 12, "/resolver", "there is no user"},
		{"what is resolved has a resolver", edit(12, func(r *transfer.Problem) { r.Resolver = ident.None }), 12, "/resolver", "must not be null"},
		{"what is resolved has a date", edit(12, func(r *transfer.Problem) { r.Resolved = time.Time{} }), 12, "/resolveDate", "must not be null"},
		{"what is not resolved has no resolver", edit(30, func(r *transfer.Problem) { r.Resolver = ann }), 30, "/resolver", "must be null"},
		{"a savepoint with a resolver has a date", edit(13, func(r *transfer.Savepoint) { r.Resolver = ann }), 13, "/resolveDate", "must not be null"},
		{"a savepoint with a date has a resolver", edit(13, func(r *transfer.Savepoint) { r.Resolved = at(1) }), 13, "/resolver", "must not be null"},
		{"what is not resolved has no date", edit(30, func(r *transfer.Problem) { r.Resolved = at(1) }), 30, "/resolveDate", "must be null"},
		{"revisions start at 1", edit(12, func(r *transfer.Problem) { r.Revision = 0 }), 12, "/revision", "must be at least 1"},
	})
}

// TestCheckerRefusesParts is about the parts of a problem.
func TestCheckerRefusesParts(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"comments are not empty", edit(22, func(r *transfer.Comment) { r.Text = "" }), 22, "/text", "must not be empty"},
		{"comments have no U+0000", edit(22, func(r *transfer.Comment) { r.HTML.String = "\x00" }), 22, "/html", "must not contain U+0000"},
		{"deleted comments have no text", edit(22, func(r *transfer.Comment) { r.Deleted = true }), 22, "/deleted", "must be false: a deleted comment has no text"},
		{"edited comments have an editor", edit(22, func(r *transfer.Comment) { r.Edited = at(5) }), 22, "/editor", "must not be null: there is an editDate"},
		{"edited comments have a time", edit(22, func(r *transfer.Comment) { r.Editor = ann }), 22, "/editDate", "must not be null: there is an editor"},
		{"editors of comments are there", edit(22, func(r *transfer.Comment) { r.Edited, r.Editor = at(5), high }), 22, "/editor", "there is no user"},
		{"authors of comments are there", edit(22, func(r *transfer.Comment) { r.Author = high }), 22, "/author", "there is no user"},
		{"identifiers are unique in a problem", edit(22, func(r *transfer.Comment) { r.ID = entry(1) }), 22, "/identifier", "another log entry"},
		{"keywords are no dots", edit(23, func(r *transfer.Keyword) { r.Name = ".." }), 23, "/name", `must not be "." or ".."`},
		{"values of keywords have 64 KiB", edit(24, func(r *transfer.Keyword) { r.Value.String = strings.Repeat("x", 64<<10+1) }), 24, "/value", "must have at most 65536 bytes"},
		{"keywords ascend", edit(23, func(r *transfer.Keyword) { r.Name = "room " }), 24, "/name", "must come after"},
		{"watchers are there", edit(26, func(r *transfer.Watcher) { r.User = high }), 26, "/user", "there is no user"},
		{"watchers ascend", edit(27, func(r *transfer.Watcher) { r.User = ann }), 27, "/user", "must be greater"},
		{"readers are there", edit(28, func(r *transfer.ReadMark) { r.User = high }), 28, "/user", "there is no user"},
		{"readers ascend", edit(29, func(r *transfer.ReadMark) { r.User = ann }), 29, "/user", "must be greater"},
	})
}

// TestCheckerRefusesRelationships is about D7.
func TestCheckerRefusesRelationships(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"types are known", edit(25, func(r *transfer.Relationship) { r.Type = "SiblingOf" }), 25, "/type", "must be one of: RelatedTo, ParentOf,"},
		{"no relationship to itself", edit(25, func(r *transfer.Relationship) { r.Other = 1 }), 25, "/problemIdentifier", "a problem has no relationship to itself"},
		{"authors of relationships are there", edit(25, func(r *transfer.Relationship) { r.Author = high }), 25, "/author", "there is no user"},
		{"relationships are in order", insert(25, transfer.Relationship{Relationship: relationship.Relationship{Owner: 1, Type: relationship.BlockerOf, Other: 2, Created: at(5), Author: ann}}), 26, "", "must come after"},
		{"one relationship per family", insert(25, transfer.Relationship{Relationship: relationship.Relationship{Owner: 1, Type: relationship.ParentOf, Other: 2, Created: at(5), Author: ann}}), 26, "/type", "the problem has another relationship of the same family to problem 2, on line 25"},
		{"the other problem is there, later", both(edit(25, func(r *transfer.Relationship) { r.Other = 7 }), drop(34)), 25, "/problemIdentifier", "there is no problem 7"},
		{"the other problem is there, earlier", both(edit(34, func(r *transfer.Relationship) { r.Other = 1 }), both(edit(30, func(r *transfer.Problem) { r.ID = 3 }), renumber)), 34, "/type", "problem 1 does not have the mirror, ChildOf"},
		{"the mirror is there, later", drop(34), 25, "/problemIdentifier", "problem 2 does not have the mirror"},
		{"the mirror is there, earlier", drop(25), 33, "/type", "problem 1 does not have the mirror, ChildOf"},
		{"the mirror is of the mirrored type", edit(34, func(r *transfer.Relationship) { r.Type = relationship.ChildOf }), 34, "/type", "problem 1 does not have the mirror, ParentOf"},
		{"the mirror has the same date", edit(34, func(r *transfer.Relationship) { r.Created = at(6) }), 34, "/creationDate", "must be that of the mirror, on line 25"},
		{"the mirror has the same author", edit(34, func(r *transfer.Relationship) { r.Author = bo }), 34, "/author", "must be that of the mirror, on line 25"},
	})
}

// TestCheckerRefusesLogs is about D8.
func TestCheckerRefusesLogs(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"there is a log", drop(31, 32, 33), 30, "", "has no log"},
		{"the problem is created first", drop(15), 15, "/type", "must be ProblemCreated"},
		{"the problem is created once", edit(18, func(r *transfer.LogEntry) { r.Type = problem.ProblemCreated }), 18, "/type", "must not be ProblemCreated"},
		{"the log starts with revision 1", edit(15, func(r *transfer.LogEntry) { r.Revision = 2 }), 15, "/revision", "must be 1"},
		{"the originator created the problem", edit(15, func(r *transfer.LogEntry) { r.Author = bo }), 15, "/author", "must be the problem's originator"},
		{"the problem was created at its date", edit(15, func(r *transfer.LogEntry) { r.Created = at(2) }), 15, "/creationDate", "must be that of the problem"},
		{"the revision never falls", edit(19, func(r *transfer.LogEntry) { r.Revision = 2 }), 19, "/revision", "must be 3 or 4"},
		{"the revision leaves nothing out", edit(19, func(r *transfer.LogEntry) { r.Revision = 5 }), 19, "/revision", "must be 3 or 4"},
		{"the revision ends with the problem's", edit(12, func(r *transfer.Problem) { r.Revision = 7 }), 12, "/revision", "must be 6"},
		{"a revision has one batch", edit(17, func(r *transfer.LogEntry) { r.Batch = batch3 }), 17, "/batchIdentifier", "must be that of the line before"},
		{"a batch has one author", edit(17, func(r *transfer.LogEntry) { r.Author = bo }), 17, "/author", "must be that of the line before"},
		{"a batch has one time", edit(17, func(r *transfer.LogEntry) { r.Created = at(3) }), 17, "/creationDate", "must be that of the line before"},
		{"a batch has one revision", edit(18, func(r *transfer.LogEntry) { r.Batch = batch2 }), 18, "/batchIdentifier", "must not be that of the line before"},
		{"times never fall", edit(18, func(r *transfer.LogEntry) { r.Created = at(1) }), 18, "/creationDate", "must not be earlier"},
		{"the modifier is in the log", edit(12, func(r *transfer.Problem) { r.Modifier = bo }), 12, "/modifier", "must be the author of the last entry of the log but those about watchers"},
		{"the time of modification is in the log", edit(12, func(r *transfer.Problem) { r.Modified = at(6) }), 12, "/modificationDate", "must be that of the last entry of the log but those about watchers"},
		{"authors of entries are there", edit(19, func(r *transfer.LogEntry) { r.Author = high }), 19, "/author", "there is no user"},
		{"types of entries are known", edit(19, func(r *transfer.LogEntry) { r.Type = "Renamed" }), 19, "/type", "must be a type of log entry"},
		{"entries have unique identifiers", edit(16, func(r *transfer.LogEntry) { r.ID = entry(1) }), 16, "/identifier", "another log entry"},
	})
}

// TestCheckerRefusesSavepoints is about D8.
func TestCheckerRefusesSavepoints(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"a change of fields has a savepoint", drop(14), 16, "/batchIdentifier", "the batch has no savepoint"},
		{"a savepoint has a change of fields", insert(15, sample()[13]), 15, "/batchIdentifier", "the log has no such batch"},
		{"a savepoint has the batch", edit(14, func(r *transfer.Savepoint) { r.Batch = batch3 }), 14, "/batchIdentifier", "must be that of a batch in the log"},
		{"a savepoint has the revision", edit(14, func(r *transfer.Savepoint) { r.Revision = 3 }), 14, "/revision", "must be 2"},
		{"a savepoint has the author", edit(14, func(r *transfer.Savepoint) { r.Modifier = bo }), 14, "/modifier", "must be the author of the batch"},
		{"a savepoint has the time", edit(14, func(r *transfer.Savepoint) { r.Modified = at(3) }), 14, "/modificationDate", "must be that of the batch"},
		{"a savepoint has the fields", edit(14, func(r *transfer.Savepoint) { r.Priority = low }), 14, "/priority", "the log leads to another value"},
		{"a savepoint has the title", edit(13, func(r *transfer.Savepoint) { r.Title = "Leek" }), 13, "/title", "the log leads to another value"},
		{"the last savepoint has the resolver", edit(14, func(r *transfer.Savepoint) { r.Resolver = bo }), 12, "/resolver", "must be that of the last savepoint"},
		{"the last savepoint has the date", edit(14, func(r *transfer.Savepoint) { r.Resolved = at(1) }), 12, "/resolveDate", "must be that of the last savepoint"},
		{"the problem has the fields", edit(12, func(r *transfer.Problem) { r.Component = pump }), 12, "/component", "the log leads to another value"},
	})
}

// corrected makes the entry about a comment one about its correction (D44).
func corrected(t problem.LogType, from, to problem.LogValue) func([]transfer.Record) []transfer.Record {
	return edit(18, func(r *transfer.LogEntry) { r.Type, r.From, r.To = t, from, to })
}

// TestCheckerRefusesLogValues is about the values of log entries (D8).
func TestCheckerRefusesLogValues(t *testing.T) {
	t.Parallel()
	wantRefusals(t, []refusal{
		{"creation has no field", edit(15, func(r *transfer.LogEntry) { r.Field = "title" }), 15, "/field", "must be null"},
		{"creation has no old value", edit(15, func(r *transfer.LogEntry) { r.From = "1" }), 15, "/from", "must be null"},
		{"creation has the fields", edit(15, func(r *transfer.LogEntry) { r.To = `"Leak"` }), 15, "/to", "must be an object"},
		{"creation has known fields", edit(15, func(r *transfer.LogEntry) { r.To = `{"title":"Leak","colour":1}` }), 15, "/to/colour", "is not known here"},
		{"creation has a title", edit(15, func(r *transfer.LogEntry) { r.To = `{"state":` + refOpen + `}` }), 15, "/to/title", "must be a string"},
		{"creation names objects that are there", edit(15, func(r *transfer.LogEntry) { r.To = `{"title":"Leak","state":` + problem.LogRef(high, "Open") + `}` }), 15, "/to/state/identifier", "there is no state"},
		{"fields are known", edit(16, func(r *transfer.LogEntry) { r.Field = "colour" }), 16, "/field", "must be the name of a field"},
		{"fields change from what they were", edit(16, func(r *transfer.LogEntry) { r.From = refClosed }), 16, "/from", "the log leads to another value"},
		{"titles change from what they were", edit(16, func(r *transfer.LogEntry) { r.Field, r.From, r.To = "title", `"Leek"`, `"Leak"` }), 16, "/from", "the log leads to another value"},
		{"objects have identifiers", edit(16, func(r *transfer.LogEntry) { r.To = `{"name":"Closed"}` }), 16, "/to", `must have the member "identifier"`},
		{"identifiers have their form", edit(16, func(r *transfer.LogEntry) { r.To = `{"identifier":"2","name":"Closed"}` }), 16, "/to/identifier", "must be the identifier of a state"},
		{"objects have names", edit(16, func(r *transfer.LogEntry) {
			r.To = `{"identifier":"` + problem.LogValue(closed.String()) + `","name":""}`
		}), 16, "/to/name", "must not be empty"},
		{"objects have nothing more", edit(16, func(r *transfer.LogEntry) { r.To = `{"identifier":1,"name":"Closed","order":1}` }), 16, "/to", "must have no members but: identifier, name"},
		{"edits have the comment", corrected(problem.CommentEdited, "", problem.LogText(remark.String())), 18, "/from", "must be an object"},
		{"edits have the whole comment", corrected(problem.CommentEdited, `{"identifier":1,"text":"a","html":null,"editDate":null}`, problem.LogText(remark.String())), 18, "/from", `must have the member "editor"`},
		{"edits have one comment", corrected(problem.CommentEdited, problem.LogComment(problem.Comment{ID: high, Text: "a"}, ""), problem.LogText(remark.String())), 18, "/to", "must be the identifier of the comment in from"},
		{"edits have a text", corrected(problem.CommentEdited, problem.LogComment(problem.Comment{ID: remark}, ""), problem.LogText(remark.String())), 18, "/from/text", "must not be empty"},
		{"edited comments are there", corrected(problem.CommentEdited, problem.LogComment(problem.Comment{ID: high, Text: "a"}, ""), problem.LogText(high.String())), 18, "/from/identifier", "the problem has no such comment"},
		{"deletions have the author", corrected(problem.CommentDeleted, problem.LogComment(problem.Comment{ID: remark, Text: "a"}, ""), ""), 18, "/from", `must have the member "author"`},
		{"authors of deleted comments are there", corrected(problem.CommentDeleted, problem.LogDeletedComment(problem.Comment{ID: remark, Text: "a", Created: at(3), Author: high}, problem.LogRef(high, "Ann"), ""), ""), 18, "/from/author", "there is no user"},
		{"edits follow edits", corrected(problem.CommentEdited, problem.LogComment(problem.Comment{ID: remark, Text: "a", Edited: at(2), Editor: ann}, problem.LogRef(ann, "Ann")), problem.LogText(remark.String())), 18, "/from/editDate", "must be that of the comment's entry before"},
		{"edited comments have the date", corrected(problem.CommentEdited, problem.LogComment(problem.Comment{ID: remark, Text: "a"}, ""), problem.LogText(remark.String())), 22, "/editDate", "must be that of the comment's last edit"},
		{"deleted comments are deleted", corrected(problem.CommentDeleted, problem.LogDeletedComment(problem.Comment{ID: remark, Text: "a", Created: at(3), Author: ann}, problem.LogRef(ann, "Ann"), ""), ""), 22, "/deleted", "must be true exactly if"},
		{"comments are edited by the log", edit(22, func(r *transfer.Comment) { r.Edited, r.Editor = at(3), ann }), 22, "/editDate", "must be that of the comment's last edit"},
		{"comments are deleted by the log", edit(22, func(r *transfer.Comment) { r.Deleted, r.Comment = true, r.Place() }), 22, "/deleted", "must be true exactly if"},
		{"deletions have no new value", corrected(problem.CommentDeleted, problem.LogDeletedComment(problem.Comment{ID: remark, Text: "a", Created: at(3), Author: ann}, problem.LogRef(ann, "Ann"), ""), `"a"`), 18, "/to", "must be null"},
		{"comments have their field", edit(18, func(r *transfer.LogEntry) { r.Field = "comment" }), 18, "/field", `must be "comments"`},
		{"comments are named", edit(18, func(r *transfer.LogEntry) { r.To = `"Wet."` }), 18, "/to", "must be the identifier of the comment"},
		{"comments that are named are there", edit(18, func(r *transfer.LogEntry) { r.To = problem.LogText(id(1).String()) }), 18, "/to", "the problem has no such comment"},
		{"keywords have a name", edit(19, func(r *transfer.LogEntry) { r.Field = "" }), 19, "/field", "must not be empty"},
		{"keywords have a value or none", edit(19, func(r *transfer.LogEntry) { r.To = "" }), 19, "/to", `must be a string, or {"value":null}`},
		{"no value is null", edit(19, func(r *transfer.LogEntry) { r.To = `{"value":"cellar"}` }), 19, "/to/value", "must be null"},
		{"values of keywords are strings", edit(19, func(r *transfer.LogEntry) { r.To = `7` }), 19, "/to", "must be a string"},
		{"deleted keywords had a value or none", edit(19, func(r *transfer.LogEntry) { r.Type, r.To = problem.KeywordDeleted, "" }), 19, "/from", "must be a string, or"},
		{"deleted keywords have no value", edit(19, func(r *transfer.LogEntry) { r.Type, r.From = problem.KeywordDeleted, `"x"` }), 19, "/to", "must be null"},
		{"relationships have their type", edit(20, func(r *transfer.LogEntry) { r.Field = "Child" }), 20, "/field", "must be one of"},
		{"relationships have a number", edit(20, func(r *transfer.LogEntry) { r.To = `{"problemIdentifier":"2"}` }), 20, "/to/problemIdentifier", "must be the number of a problem"},
		{"problems named later are there", edit(20, func(r *transfer.LogEntry) { r.To = problem.LogLink(7) }), 20, "/to/problemIdentifier", "there is no problem 7"},
		{"problems named earlier are there", both(edit(33, func(r *transfer.LogEntry) { r.To = problem.LogLink(2) }), both(edit(30, func(r *transfer.Problem) { r.ID = 3 }), renumber)), 33, "/to/problemIdentifier", "there is no problem 2"},
		{"a problem is not related to itself", edit(20, func(r *transfer.LogEntry) { r.To = problem.LogLink(1) }), 20, "/to/problemIdentifier", "a problem has no relationship to itself"},
		{"deleted relationships were there", edit(20, func(r *transfer.LogEntry) { r.Type = problem.RelationshipDeleted }), 20, "/from", "must be an object"},
		{"watchers have their field", edit(21, func(r *transfer.LogEntry) { r.Field = "" }), 21, "/field", `must be "watchers"`},
		{"watchers who are named are there", edit(21, func(r *transfer.LogEntry) { r.To = problem.LogRef(high, "Bo") }), 21, "/to/identifier", "there is no user"},
		{"removed watchers are gone", edit(21, func(r *transfer.LogEntry) { r.Type, r.From = problem.WatcherRemoved, refBo }), 21, "/to", "must be null"},
		{"removed watchers are named", edit(21, func(r *transfer.LogEntry) { r.Type, r.To = problem.WatcherRemoved, "" }), 21, "/from", "must be an object"},
		{"removed watchers have been users", edit(21, func(r *transfer.LogEntry) {
			r.Type, r.From, r.To = problem.WatcherRemoved, problem.LogRef(high, "Bo"), ""
		}), 21, "/from/identifier", "there is no user"},
	})
}
