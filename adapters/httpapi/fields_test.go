package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/undo"
	"github.com/problemtracking/problems/domain/webhook"
)

// wireMembers returns the names of the members of a type of package wire, and of those the ones
// that clients do not write.
func wireMembers(of reflect.Type) (all, readOnly []string) {
	for _, field := range reflect.VisibleFields(of) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		all = append(all, name)
		if field.Tag.Get("readOnly") == "true" {
			readOnly = append(readOnly, name)
		}
	}
	return all, readOnly
}

// The types of package wire have a member for every field of a problem, and the bodies of
// requests for every one that clients set.
func TestWireTypesHaveAllFields(t *testing.T) {
	t.Parallel()
	problems, readOnly := wireMembers(reflect.TypeFor[wire.Problem]())
	sent, _ := wireMembers(reflect.TypeFor[wire.ProblemFields]())
	for _, f := range problem.AllFields() {
		if !slices.Contains(problems, f.Name) {
			t.Errorf("Problem lacks the field %s", f.Name)
		}
		if slices.Contains(readOnly, f.Name) == f.Client {
			t.Errorf("Problem says that %s is read-only: %t", f.Name, !f.Client)
		}
		if slices.Contains(sent, f.Name) != f.Client {
			t.Errorf("ProblemFields has the field %s: %t, want %t", f.Name, !f.Client, f.Client)
		}
	}
	var read []string
	for _, m := range wire.PatchMembers(&tracker.ProblemPatch{}) {
		read = append(read, m.Name)
	}
	if !slices.Equal(read, sent) {
		t.Errorf("bodies have %v, and ProblemFields has %v", read, sent)
	}
}

// The OpenAPI document has the length of every text as the rule of its field has it.
func TestWireTypesHaveLengthsOfFields(t *testing.T) {
	t.Parallel()
	for _, of := range []reflect.Type{reflect.TypeFor[wire.Problem](), reflect.TypeFor[wire.ProblemFields](), reflect.TypeFor[wire.NewProblem]()} {
		for _, member := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(member.Tag.Get("json"), ",")
			f := problem.FieldNamed(name)
			if f == nil || f.Kind() != problem.TextField {
				continue
			}
			for tag, want := range map[string]int{"minLength": f.Rule.Min, "maxLength": f.Rule.Max} {
				if got := member.Tag.Get(tag); got != strings.TrimPrefix(strconv.Itoa(want), "0") {
					t.Errorf("%s of %s has %s %q, but the rule of the field says %d", name, of.Name(), tag, got, want)
				}
			}
		}
	}
}

// The types of package wire have every reference as the type of its objects, in requests as
// a partial one, and can be null if the field can. The OpenAPI document takes them from there.
func TestWireTypesHaveObjectsOfReferences(t *testing.T) {
	t.Parallel()
	objects := map[metadata.Kind]any{
		metadata.States: wire.State{}, metadata.Priorities: wire.Priority{}, metadata.Classifications: wire.Classification{},
		metadata.Components: wire.Component{}, metadata.Milestones: wire.Milestone{}, metadata.Users: wire.User{},
	}
	check := func(of reflect.Type, f *problem.Field, object any) {
		for _, member := range reflect.VisibleFields(of) {
			if name, _, _ := strings.Cut(member.Tag.Get("json"), ","); name != f.Name {
				continue
			}
			want := reflect.TypeOf(object)
			if !f.Required {
				want = reflect.PointerTo(want)
			}
			if member.Type != want {
				t.Errorf("%s of %s is a %v, want %v", f.Name, of.Name(), member.Type, want)
			}
		}
	}
	for _, f := range problem.FieldsOf(problem.ReferenceField) {
		check(reflect.TypeFor[wire.Problem](), f, objects[f.To])
		if f.To == metadata.Users {
			check(reflect.TypeFor[wire.ProblemFields](), f, wire.PartialUser{})
		} else {
			check(reflect.TypeFor[wire.ProblemFields](), f, wire.Partial{})
		}
	}
}

// Requests can send every field back: W1 and W2 know all of them.
func TestBodiesTakeAllFields(t *testing.T) {
	t.Parallel()
	for body, members := range map[string][]wire.Member{
		"W1": createMembers(new(tracker.CreateProblem)),
		"W2": updateMembers(new(tracker.UpdateProblem)),
	} {
		for _, f := range problem.AllFields() {
			n := 0
			for _, m := range members {
				if m.Name == f.Name {
					n++
				}
			}
			if n != 1 {
				t.Errorf("the body of %s has %d members %s, want one", body, n, f.Name)
			}
		}
	}
}

// sampleResolved is the problem of the samples once it is resolved.
func sampleResolved() snapshot.Snapshot {
	s := samples.Snapshot()
	s.Resolver, s.Resolved = samples.Bob.ID, samples.Time
	s.Watching = true
	return s
}

// The samples of the document, and those of the test, have a value in every member of every
// type, taken together. So a member that the encoder forgets is noticed.
func TestSamplesHaveAllMembers(t *testing.T) {
	t.Parallel()
	sampled := map[string]bool{} // by member, whether a sample has a value there
	note := func(name string, of any, example func(*wire.Encoder)) {
		e := wire.Encoder{Catalogue: samples.Catalogue()}
		example(&e)
		into := reflect.New(reflect.TypeOf(of))
		if err := json.Unmarshal(e.Buf, into.Interface()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		noteMembers(sampled, into.Elem())
	}
	note("resolved problem", wire.Problem{}, func(e *wire.Encoder) { e.Problem(sampleResolved()) })
	note("found problem", wire.FoundProblem{}, func(e *wire.Encoder) { e.FoundProblem(sampleResolved(), true) })
	comment := samples.Comment()
	comment.HTML = problem.Text("<p>Seen again.</p>")
	note("comment with HTML", wire.Comment{}, func(e *wire.Encoder) { e.Comment(comment) })
	deleted := samples.Attachment()
	deleted.Deleted = samples.Time
	note("deleted attachment", wire.Attachment{}, func(e *wire.Encoder) { e.Attachment(deleted) })
	note("bearer of a token", wire.Me{}, func(e *wire.Encoder) { e.Me(tracker.Caller{Scope: access.Read, Expires: samples.Time}, samples.Ann) })
	robot := samples.Bob
	robot.RobotOf = samples.Ann.ID
	note("robot", wire.User{}, func(e *wire.Encoder) { e.User(robot) })
	revoked := samples.Token
	revoked.Revoked, revoked.Invitation, revoked.LastUse = samples.Time, true, samples.Time
	note("revoked token", wire.Token{}, func(e *wire.Encoder) { e.Token(revoked) })
	note("webhook between two attempts", wire.Webhook{}, func(e *wire.Encoder) { e.Webhook(webhooks.Webhook{Webhook: samples.Retrying()}) })
	note("test that has failed", wire.WebhookTest{}, func(e *wire.Encoder) { e.WebhookTest(webhook.Attempt{Err: "no answer"}) })
	made := samples.Changes()
	made.Batch = samples.Identifier(13)
	note("changed problems", wire.ChangedProblems{}, func(e *wire.Encoder) { e.ChangedProblems(made) })
	undone := tracker.UndoneBatch{Batch: made.Batch, Stays: []undo.Entry{{LogEntry: samples.Snapshot().Log[1], Stays: undo.MovedOn}}}
	note("undone batch", wire.UndoneBatch{}, func(e *wire.Encoder) { e.UndoneBatch(undone) })
	note("places of each kind", wire.Places{}, func(e *wire.Encoder) {
		e.Places(tracker.Places{Title: 1, Savepoints: 1, Keywords: 1, Attachments: 1, Log: 1, Events: 1})
	})
	started := samples.Milestone
	started.Start = samples.Time
	note("started milestone", wire.Milestone{}, func(e *wire.Encoder) { e.MilestoneObject(started) })
	for _, e := range endpoints() {
		if e.of != nil {
			note(e.OperationID, reflect.Zero(e.of).Interface(), e.example)
		}
	}
	for member, valued := range sampled {
		if !valued {
			t.Errorf("no sample has a value in %s", member)
		}
	}
	if len(sampled) < 80 {
		t.Errorf("only %d members: %v", len(sampled), sampled)
	}
}

// noteMembers notes which members of a value, and of what it holds, have a value.
func noteMembers(noted map[string]bool, v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time](), v.Type() == reflect.TypeFor[json.RawMessage]():
	case v.Kind() == reflect.Pointer && !v.IsNil():
		noteMembers(noted, v.Elem())
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			noteMembers(noted, v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		for _, field := range reflect.VisibleFields(v.Type()) {
			if field.Anonymous || field.Name == "_" || len(field.Index) > 1 {
				continue
			}
			member := v.FieldByIndex(field.Index)
			name := fmt.Sprint(v.Type().Name(), ".", field.Name)
			noted[name] = noted[name] || !member.IsZero()
			noteMembers(noted, member)
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Anonymous {
				noteMembers(noted, v.Field(i))
			}
		}
	}
}
