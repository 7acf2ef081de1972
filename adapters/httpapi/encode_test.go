package httpapi

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

// The encoder and the types of wire.go describe the same records: what the one
// writes, the other reads without loss and writes again, byte for byte.
func TestEncoderAgreesWithWireTypes(t *testing.T) {
	t.Parallel()
	bare := store.Snapshot{Problem: problem.Problem{
		ID:         1,
		Fields:     problem.Fields{Title: "<a href=\"&\">\u2028\x7f\U0001F600", State: sampleOpen.ID},
		Originator: sampleAnn.ID, Created: sampleTime, Modifier: sampleAnn.ID, Modified: sampleTime, Revision: 1,
	}}
	resolved := sampleResolved()
	unstored := bare
	unstored.ID = 0
	for name, write := range map[string]struct {
		encode func(*encoder)
		into   any
	}{
		"bare problem":         {func(e *encoder) { e.problem(bare) }, &Problem{}},
		"resolved problem":     {func(e *encoder) { e.problem(resolved) }, &Problem{}},
		"past problem":         {func(e *encoder) { e.past = true; e.problem(resolved) }, &Problem{}},
		"created problem":      {func(e *encoder) { e.problem(resolved) }, &CreatedProblem{}},
		"problem of a dry run": {func(e *encoder) { e.problem(unstored) }, &CreatedProblem{}},
		"user of a dry run":    {func(e *encoder) { e.user(user.User{Name: "Ann", Email: "ann@example.org"}) }, &CreatedUser{}},
		"token of a dry run": {func(e *encoder) {
			e.issuedToken(tracker.IssuedToken{Token: access.Token{User: sampleAnn.ID, Scope: access.Read, Created: sampleTime}})
		}, &IssuedToken{}},
		"error": {func(e *encoder) {
			e.failure(&fault.Error{Items: []fault.Item{{Kind: fault.InvalidValue, Detail: "a", At: fault.At("b")}}}, httpframe.FailureOf(fault.InvalidValue), "r1")
		}, &Error{}},
		"invalid predicate": {func(e *encoder) {
			wrong := &predicate.Error{Kind: predicate.UnknownKey, Message: "a", Line: 1, Column: 2}
			e.failure(fault.Wrap(fault.InvalidPredicate, wrong, "a"), httpframe.FailureOf(fault.InvalidPredicate), "r1")
		}, &Error{}},
	} {
		checkAgreement(t, name, write.encode, write.into)
	}
	for _, e := range endpoints() {
		for _, a := range e.answers {
			if a.of != nil {
				checkAgreement(t, e.id, a.example, reflect.New(reflect.TypeOf(a.of)).Interface())
			}
		}
	}
}

func checkAgreement(t *testing.T, name string, encode func(*encoder), into any) {
	t.Helper()
	e := encoder{catalogue: sampleCatalogue()}
	encode(&e)
	strict := json.NewDecoder(bytes.NewReader(e.buf))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		t.Errorf("%s: %v: %s", name, err, e.buf)
		return
	}
	var again bytes.Buffer
	enc := json.NewEncoder(&again)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(into); err != nil {
		t.Fatal(err)
	}
	// Package json writes no decimals for whole seconds, and escapes U+2028.
	written := strings.NewReplacer(`.000Z"`, `Z"`, "\u2028", `\u2028`, "\x7f", "\x7f").Replace(string(e.buf))
	if got := strings.TrimSuffix(again.String(), "\n"); got != written {
		t.Errorf("%s:\n%s\nis read and written as\n%s", name, written, got)
	}
}

func TestEncodeExactly(t *testing.T) {
	t.Parallel()
	ann := `{"identifier":"0150d4f1-6000-7000-8000-000000000001","name":"Ann","email":"ann@example.org","inactive":false}`
	bob := `{"identifier":"0150d4f1-6000-7000-8000-000000000002","name":"Bob","email":"bob@example.org","inactive":false}`
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
		`"assignee":` + ann + `,"originator":` + bob + `,"modifier":` + ann + `,"modificationDate":"2015-11-05T10:30:00.125Z",` +
		`"resolver":null,"resolveDate":null,"creationDate":"2015-11-05T09:30:00.125Z",` +
		`"keywords":[{"name":"customer","value":null},{"name":"version","value":"7.4.1"}],` +
		`"watching":false,"read":true,"readByAssignee":true,"revision":3,"logs":[` +
		`{"identifier":"0150d4f1-6000-7000-8000-00000000000a","type":"ProblemCreated","creationDate":"2015-11-05T09:30:00.125Z",` +
		`"author":{"identifier":"0150d4f1-6000-7000-8000-000000000002","name":"Bob"},"batchIdentifier":"0150d4f1-6000-7000-8000-00000000000b",` +
		`"isSignificant":true,"field":null,"from":null,"to":{"title":"The login page answers slowly","state":{"identifier":"0150d4f1-6000-7000-8000-000000000003","name":"Open"}}},` +
		`{"identifier":"0150d4f1-6000-7000-8000-00000000000c","type":"FieldChanged","creationDate":"2015-11-05T10:30:00.125Z",` +
		`"author":{"identifier":"0150d4f1-6000-7000-8000-000000000001","name":"Ann"},"batchIdentifier":"0150d4f1-6000-7000-8000-00000000000d",` +
		`"isSignificant":true,"field":"state","from":{"identifier":"0150d4f1-6000-7000-8000-000000000003","name":"Open"},` +
		`"to":{"identifier":"0150d4f1-6000-7000-8000-000000000004","name":"In Progress"}}]}`
	e := encoder{catalogue: sampleCatalogue()}
	e.problem(sampleSnapshot())
	if string(e.buf) != want {
		t.Errorf("%s\nnot %s", e.buf, want)
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
		var e encoder
		if e.time(at); string(e.buf) != want {
			t.Errorf("%s, not %s", e.buf, want)
		}
	}
}

func TestEncodeStringsAsTheyAre(t *testing.T) {
	t.Parallel()
	var e encoder
	e.open('[')
	for _, s := range []string{"<&>'", "a\tb\r\n", `\"/`, "[", ":", "{", "\u2028ä😀"} {
		e.string(s)
	}
	e.close(']')
	if want := `["<&>'","a\tb\r\n","\\\"/","[",":","{","` + "\u2028ä😀" + `"]`; string(e.buf) != want {
		t.Errorf("%s, not %s", e.buf, want)
	}
}

// References that lead nowhere are null: an answer is better than none.
func TestEncodeUnknownReferences(t *testing.T) {
	t.Parallel()
	unknown := ident.ID{1}
	e := encoder{catalogue: sampleCatalogue()}
	e.open('[')
	for _, write := range []func(ident.ID){e.state, e.stateRef, e.priority, e.classification, e.component, e.componentRef, e.milestone, e.userByID, e.userRef} {
		write(unknown)
		write(ident.None)
	}
	e.close(']')
	if want := "[" + strings.Repeat("null,", 17) + "null]"; string(e.buf) != want {
		t.Errorf("%s, not %s", e.buf, want)
	}
}

// Times are written as package time would write them.
func TestEncodeTimesAsPackageTime(t *testing.T) {
	t.Parallel()
	same := func(at time.Time) {
		t.Helper()
		if got, want := string(appendTime(nil, at)), at.Format(timeLayout); got != want {
			t.Errorf("%v is written %s, not %s", at, got, want)
		}
	}
	for year := -2; year < 10003; year++ {
		day := year % 366
		same(time.Date(year, time.January, 1+day, day%24, day%60, (day+30)%60, year%1000*1e6+999_999, time.UTC))
		same(time.Date(year, time.December, 31, 23, 59, 59, 999_999_999, time.UTC))
	}
	for ms := range 1000 {
		same(sampleTime.Truncate(time.Second).Add(time.Duration(ms) * time.Millisecond))
	}
}
