package httpapi

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/user"
)

// The encoder and the types of package wire describe the same records: what the one
// writes, the other reads without loss and writes again, byte for byte.
func TestEncoderAgreesWithWireTypes(t *testing.T) {
	t.Parallel()
	bare := snapshot.Snapshot{Problem: problem.Problem{
		ID:         1,
		Fields:     problem.Fields{Title: "<a href=\"&\">\u2028\x7f\U0001F600", State: samples.Open.ID},
		Originator: samples.Ann.ID, Created: samples.Time, Modifier: samples.Ann.ID, Modified: samples.Time, Revision: 1,
	}}
	resolved := sampleResolved()
	unstored := bare
	unstored.ID = 0
	for name, write := range map[string]struct {
		encode func(*wire.Encoder)
		into   any
	}{
		"bare problem":         {func(e *wire.Encoder) { e.Problem(bare) }, &wire.Problem{}},
		"resolved problem":     {func(e *wire.Encoder) { e.Problem(resolved) }, &wire.Problem{}},
		"past problem":         {func(e *wire.Encoder) { e.Past = true; e.Problem(resolved) }, &wire.Problem{}},
		"created problem":      {func(e *wire.Encoder) { e.Problem(resolved) }, &wire.CreatedProblem{}},
		"problem of a dry run": {func(e *wire.Encoder) { e.Problem(unstored) }, &wire.CreatedProblem{}},
		"user of a dry run":    {func(e *wire.Encoder) { e.User(user.User{Name: "Ann", Email: "ann@example.org"}) }, &wire.CreatedUser{}},
		"token of a dry run": {func(e *wire.Encoder) {
			e.IssuedToken(admin.IssuedToken{Token: access.Token{User: samples.Ann.ID, Scope: access.Read, Created: samples.Time}})
		}, &wire.IssuedToken{}},
		"error": {func(e *wire.Encoder) {
			e.Failure(&fault.Error{Items: []fault.Item{{Kind: fault.InvalidValue, Detail: "a", At: fault.At("b")}}}, httpframe.FailureOf(fault.InvalidValue), "r1")
		}, &wire.Error{}},
		"invalid predicate": {func(e *wire.Encoder) {
			wrong := &predicate.Error{Kind: predicate.UnknownKey, Message: "a", Line: 1, Column: 2}
			e.Failure(fault.Wrap(fault.InvalidPredicate, wrong, "a"), httpframe.FailureOf(fault.InvalidPredicate), "r1")
		}, &wire.Error{}},
	} {
		checkAgreement(t, name, write.encode, write.into)
	}
	for _, e := range endpoints() {
		if e.of != nil {
			checkAgreement(t, e.OperationID, e.example, reflect.New(e.of).Interface())
		}
	}
}

func checkAgreement(t *testing.T, name string, encode func(*wire.Encoder), into any) {
	t.Helper()
	e := wire.Encoder{Catalogue: samples.Catalogue()}
	encode(&e)
	strict := json.NewDecoder(bytes.NewReader(e.Buf))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		t.Errorf("%s: %v: %s", name, err, e.Buf)
		return
	}
	var again bytes.Buffer
	enc := json.NewEncoder(&again)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(into); err != nil {
		t.Fatal(err)
	}
	// Package json writes no decimals for whole seconds, and escapes U+2028.
	written := strings.NewReplacer(`.000Z"`, `Z"`, "\u2028", `\u2028`, "\x7f", "\x7f").Replace(string(e.Buf))
	if got := strings.TrimSuffix(again.String(), "\n"); got != written {
		t.Errorf("%s:\n%s\nis read and written as\n%s", name, written, got)
	}
}

func TestEncodeExactly(t *testing.T) {
	t.Parallel()
	ann := `{"identifier":"0150d4f1-6000-7000-8000-000000000001","name":"Ann","email":"ann@example.org","inactive":false,"robotOf":null}`
	bob := `{"identifier":"0150d4f1-6000-7000-8000-000000000002","name":"Bob","email":"bob@example.org","inactive":false,"robotOf":null}`
	want := `{"identifier":12,"title":"The login page answers slowly",` +
		`"state":{"identifier":"0150d4f1-6000-7000-8000-000000000004","name":"In Progress","resolved":false,"initial":false,"order":2,` +
		`"nextStates":[{"identifier":"0150d4f1-6000-7000-8000-000000000003","name":"Open"},{"identifier":"0150d4f1-6000-7000-8000-000000000013","name":"Closed"}]},` +
		`"priority":{"identifier":"0150d4f1-6000-7000-8000-000000000005","name":"High","order":2},` +
		`"classification":{"identifier":"0150d4f1-6000-7000-8000-000000000006","name":"Incorrect Behavior"},` +
		`"component":{"identifier":"0150d4f1-6000-7000-8000-000000000008","name":"Accounts","fullName":"Server/Accounts","closed":false,"successor":null,` +
		`"parent":{"identifier":"0150d4f1-6000-7000-8000-000000000007","name":"Server","fullName":"Server"}},` +
		`"milestone":{"identifier":"0150d4f1-6000-7000-8000-000000000009","name":"Spring",` +
		`"component":{"identifier":"0150d4f1-6000-7000-8000-000000000007","name":"Server","fullName":"Server"},` +
		`"creationDate":"2015-11-05T09:30:00.125Z","startDate":null,"endDate":"2016-05-05T09:30:00.125Z"},` +
		`"assignee":` + ann + `,"due":"2015-11-05","originator":` + bob + `,"modifier":` + ann + `,"modificationDate":"2015-11-05T10:30:00.125Z",` +
		`"resolver":null,"resolveDate":null,"creationDate":"2015-11-05T09:30:00.125Z",` +
		`"keywords":[{"name":"customer","value":null},{"name":"version","value":"7.4.1"}],` +
		`"watching":false,"read":true,"readByAssignee":true,"revision":3,"logs":[` +
		`{"identifier":"0150d4f1-6000-7000-8000-00000000000a","type":"ProblemCreated","creationDate":"2015-11-05T09:30:00.125Z",` +
		`"author":{"identifier":"0150d4f1-6000-7000-8000-000000000002","name":"Bob"},"via":null,"batchIdentifier":"0150d4f1-6000-7000-8000-00000000000b",` +
		`"isSignificant":true,"field":null,"from":null,"to":{"title":"The login page answers slowly","state":{"identifier":"0150d4f1-6000-7000-8000-000000000003","name":"Open"}}},` +
		`{"identifier":"0150d4f1-6000-7000-8000-00000000000c","type":"FieldChanged","creationDate":"2015-11-05T10:30:00.125Z",` +
		`"author":{"identifier":"0150d4f1-6000-7000-8000-000000000001","name":"Ann"},"via":{"identifier":"0150d4f1-6000-7000-8000-00000000000f","name":"CI"},"batchIdentifier":"0150d4f1-6000-7000-8000-00000000000d",` +
		`"isSignificant":true,"field":"state","from":{"identifier":"0150d4f1-6000-7000-8000-000000000003","name":"Open"},` +
		`"to":{"identifier":"0150d4f1-6000-7000-8000-000000000004","name":"In Progress"}}]}`
	e := wire.Encoder{Catalogue: samples.Catalogue(), TokenNames: samples.TokenNames}
	e.Problem(samples.Snapshot())
	if string(e.Buf) != want {
		t.Errorf("%s\nnot %s", e.Buf, want)
	}
}

func TestEncodeTimes(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]time.Time{
		`null`:                       {},
		`"2030-01-01T00:00:00.000Z"`: time.Date(2030, 1, 1, 2, 0, 0, 0, time.FixedZone("", 7200)),
		`"2030-01-01T00:00:00.999Z"`: time.Date(2030, 1, 1, 0, 0, 0, 999999999, time.UTC),
		`"0001-01-01T00:00:00.001Z"`: time.Time{}.Add(time.Millisecond),
	} {
		var e wire.Encoder
		if e.Time(at); string(e.Buf) != want {
			t.Errorf("%s, not %s", e.Buf, want)
		}
	}
}

func TestEncodeStringsAsTheyAre(t *testing.T) {
	t.Parallel()
	var e wire.Encoder
	e.Open('[')
	for _, s := range []string{"<&>'", "a\tb\r\n", `\"/`, "[", ":", "{", "\u2028ä😀"} {
		e.Text(s)
	}
	e.Close(']')
	if want := `["<&>'","a\tb\r\n","\\\"/","[",":","{","` + "\u2028ä😀" + `"]`; string(e.Buf) != want {
		t.Errorf("%s, not %s", e.Buf, want)
	}
}

// References that lead nowhere are null: an answer is better than none.
func TestEncodeUnknownReferences(t *testing.T) {
	t.Parallel()
	unknown := ident.ID{1}
	e := wire.Encoder{Catalogue: samples.Catalogue()}
	e.Open('[')
	for _, write := range []func(ident.ID){e.State, e.StateRef, e.Priority, e.Classification, e.Component, e.ComponentRef, e.Milestone, e.UserByID, e.UserRef} {
		write(unknown)
		write(ident.None)
	}
	e.Close(']')
	if want := "[" + strings.Repeat("null,", 17) + "null]"; string(e.Buf) != want {
		t.Errorf("%s, not %s", e.Buf, want)
	}
}

// Times are written as package time would write them.
func TestEncodeTimesAsPackageTime(t *testing.T) {
	t.Parallel()
	same := func(at time.Time) {
		t.Helper()
		if got, want := string(wire.AppendTime(nil, at)), at.Format(wire.TimeLayout); got != want {
			t.Errorf("%v is written %s, not %s", at, got, want)
		}
	}
	for year := -2; year < 10003; year++ {
		day := year % 366
		same(time.Date(year, time.January, 1+day, day%24, day%60, (day+30)%60, year%1000*1e6+999_999, time.UTC))
		same(time.Date(year, time.December, 31, 23, 59, 59, 999_999_999, time.UTC))
	}
	for ms := range 1000 {
		same(samples.Time.Truncate(time.Second).Add(time.Duration(ms) * time.Millisecond))
	}
}
