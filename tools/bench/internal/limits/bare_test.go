package limits

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// someAnswer has every member, every kind of log value, and letters that encoders like
// to escape.
const someAnswer = `{"identifier":7,"title":"<b> & \"grün\"","state":{"identifier":"0190a5e0-0000-7000-8000-000000000001","name":"Open",
"resolved":false,"initial":true,"order":1,"nextStates":[{"identifier":"0190a5e0-0000-7000-8000-000000000002","name":"Closed"}]},
"priority":{"identifier":"0190a5e0-0000-7000-8000-000000000003","name":"High","order":2},
"classification":{"identifier":"0190a5e0-0000-7000-8000-000000000004","name":"Task"},
"component":{"identifier":"0190a5e0-0000-7000-8000-000000000005","name":"b","fullName":"a/b","closed":false,"successor":null,
"parent":{"identifier":"0190a5e0-0000-7000-8000-000000000006","name":"a","fullName":"a"}},
"milestone":{"identifier":"0190a5e0-0000-7000-8000-000000000007","name":"Next","component":null,
"creationDate":"2026-01-01T00:00:00.000Z","startDate":"2026-01-01T00:00:00.100Z","endDate":null},
"assignee":{"identifier":"0190a5e0-0000-7000-8000-000000000008","name":"Ann","email":"ann@example.org","inactive":false},
"originator":{"identifier":"0190a5e0-0000-7000-8000-000000000008","name":"Ann","email":"ann@example.org","inactive":false},
"modifier":{"identifier":"0190a5e0-0000-7000-8000-000000000008","name":"Ann","email":"ann@example.org","inactive":false},
"modificationDate":"2026-01-02T03:04:05.060Z","resolver":null,"resolveDate":null,"creationDate":"2026-01-01T00:00:00.000Z",
"keywords":[{"name":"os","value":"linux"},{"name":"seen","value":null}],"watching":true,"read":true,"readByAssignee":false,"revision":9,
"logs":[` + someLogs + `]}`

const someLogs = `{"identifier":"0190a5e0-0000-7000-8000-000000000010","type":"ProblemCreated","creationDate":"2026-01-01T00:00:00.000Z",
"author":{"identifier":"0190a5e0-0000-7000-8000-000000000008","name":"Ann"},"batchIdentifier":"0190a5e0-0000-7000-8000-000000000011",
"isSignificant":true,"field":null,"from":null,"to":{"title":"t","state":{"identifier":"0190a5e0-0000-7000-8000-000000000001","name":"Open"}}},
{"identifier":"0190a5e0-0000-7000-8000-000000000012","type":"FieldChanged","creationDate":"2026-01-01T00:00:00.000Z",
"author":{"identifier":"0190a5e0-0000-7000-8000-000000000008","name":"Ann"},"batchIdentifier":"0190a5e0-0000-7000-8000-000000000013",
"isSignificant":true,"field":"priority","from":null,"to":{"identifier":"0190a5e0-0000-7000-8000-000000000003","name":"High"}},
{"identifier":"0190a5e0-0000-7000-8000-000000000014","type":"KeywordSet","creationDate":"2026-01-01T00:00:00.000Z",
"author":{"identifier":"0190a5e0-0000-7000-8000-000000000008","name":"Ann"},"batchIdentifier":"0190a5e0-0000-7000-8000-000000000015",
"isSignificant":true,"field":"seen","from":"yes","to":{"value":null}},
{"identifier":"0190a5e0-0000-7000-8000-000000000016","type":"RelationshipAdded","creationDate":"2026-01-01T00:00:00.000Z",
"author":{"identifier":"0190a5e0-0000-7000-8000-000000000008","name":"Ann"},"batchIdentifier":"0190a5e0-0000-7000-8000-000000000017",
"isSignificant":true,"field":"RelatedTo","from":null,"to":{"problemIdentifier":8}}`

// compactAnswer is as the service would send it.
func compactAnswer(t *testing.T) load.Recorded {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(someAnswer)); err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Content-Type": {"application/json"}, "Etag": {`"9"`}, "Date": {"Thu, 01 Jan 1970 00:00:00 GMT"}}
	return load.Recorded{Status: http.StatusOK, Header: header, Body: b.Bytes()}
}

// TestAnswerHasEveryMember shows that the struct has the members of an answer, and that
// no part of it is left as JSON or as a map.
func TestAnswerHasEveryMember(t *testing.T) {
	t.Parallel()
	answer := compactAnswer(t)
	raw, err := readAnswer(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	out, err := typed(raw)
	if err != nil {
		t.Fatal(err)
	}
	body, err := marshal(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := checkSame(body, answer.Body); err != nil {
		t.Error(err)
	}
	var kinds []string
	for _, l := range out.Logs {
		for _, value := range []any{l.From, l.To} {
			if value != nil {
				kinds = append(kinds, reflect.TypeOf(value).String())
			}
		}
	}
	want := []string{"*limits.createdAnswer", "*limits.nameAnswer", "string", "*limits.noValueAnswer", "*limits.linkAnswer"}
	if !reflect.DeepEqual(kinds, want) {
		t.Errorf("the values of the log are %v; want %v", kinds, want)
	}
}

func TestAnswerWithAnotherMember(t *testing.T) {
	t.Parallel()
	answer := compactAnswer(t)
	for _, change := range [][2]string{
		{`"title":"<`, `"colour":"red","title":"<`},
		{`"read":true,`, ``},
		{`{"problemIdentifier":8}`, `{"number":8}`},
		{`"modificationDate":"2026-01-02T03:04:05.060Z"`, `"modificationDate":"2026-01-02T03:04:05.06Z"`},
	} {
		changed := strings.Replace(string(answer.Body), change[0], change[1], 1)
		if changed == string(answer.Body) {
			t.Fatalf("%s is not in the answer", change[0])
		}
		l := limitOf(load.Recorded{Status: http.StatusOK, Header: answer.Header, Body: []byte(changed)}, limitStruct)
		if _, err := l.handler(t.Context()); err == nil {
			t.Errorf("with %s in the place of %s the answer is taken for the same", change[1], change[0])
		}
	}
}

func TestBareHandlers(t *testing.T) {
	t.Parallel()
	answer := compactAnswer(t)
	for _, c := range []struct {
		name  string
		start func(context.Context, load.Recorded) (load.Contender, func(), error)
	}{{"bytes", BareBytes}, {"struct", BareStruct}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bare, stop, err := c.start(t.Context(), answer)
			if err != nil {
				t.Fatal(err)
			}
			defer stop()
			header, body := get(t, bare.URL+"/any/path")
			if err := checkSame(body, answer.Body); err != nil {
				t.Error(err)
			}
			for _, name := range []string{"Content-Type", "Etag"} {
				if header.Get(name) != answer.Header.Get(name) {
					t.Errorf("%s is %q; want %q", name, header.Get(name), answer.Header.Get(name))
				}
			}
			if header.Get("Date") == answer.Header.Get("Date") {
				t.Error("the date is the recorded one")
			}
			if len(bare.PIDs) != 1 || bare.PIDs[0] <= 0 {
				t.Errorf("the processes are %v", bare.PIDs)
			}
		})
	}
}

func get(t *testing.T, url string) (http.Header, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v\n%s", response.Status, err, body)
	}
	return response.Header, body
}

// TestBarePostgres shows that what is answered comes from the database, and is that of
// the problem that is asked for.
func TestBarePostgres(t *testing.T) {
	t.Parallel()
	p := newTestPort(t, 2)
	id := p.loaded[0]
	want := dossier(t, p, id)
	answer := rawAnswer{Identifier: int64(id), Title: "title", State: stateAnswer{Name: "Open"}}
	for range want.Keywords {
		answer.Keywords = append(answer.Keywords, keywordAnswer{Name: "keyword 0"})
	}
	for _, entry := range want.Log {
		answer.Logs = append(answer.Logs, logAnswer[json.RawMessage]{
			Identifier: entry.ID.String(), Author: nameAnswer{Identifier: entry.Author.String()}, BatchIdentifier: entry.Batch.String(),
			From: json.RawMessage(entry.From.JSON()), To: json.RawMessage(entry.To.JSON()),
		})
	}
	body, err := marshal(&answer)
	if err != nil {
		t.Fatal(err)
	}
	bare, stop, err := BarePostgres(t.Context(), p.url, p.Load, load.Recorded{Status: http.StatusOK, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, id := range []problem.ID{p.loaded[1], id} {
		want := dossier(t, p, id)
		_, body := get(t, bare.URL+"/problems/"+strconv.FormatInt(int64(id), 10))
		got, err := readAnswer(body)
		if err != nil {
			t.Fatal(err)
		}
		if got.Identifier != int64(id) || got.Title != want.Title || got.Revision != want.Revision || !time.Time(got.ModificationDate).Equal(want.Modified) {
			t.Errorf("the answer is about %+v; want %+v", got, want.Problem)
		}
		if len(got.Keywords) != len(want.Keywords) || got.Keywords[1].Name != want.Keywords[1].Name || *got.Keywords[1].Value != want.Keywords[1].Value.String {
			t.Errorf("the keywords are %+v; want %+v", got.Keywords, want.Keywords)
		}
		if len(got.Logs) != len(want.Log) {
			t.Fatalf("%d log entries; want %d", len(got.Logs), len(want.Log))
		}
		for i, entry := range want.Log {
			l := got.Logs[i]
			if l.Identifier != entry.ID.String() || l.BatchIdentifier != entry.Batch.String() || l.Author.Identifier != entry.Author.String() ||
				l.Type != string(entry.Type) || string(l.To) != entry.To.JSON() || string(l.From) != entry.From.JSON() {
				t.Errorf("log entry %d is %+v; want %+v", i, l, entry)
			}
		}
	}
}

// TestBarePostgresRefuses shows that an answer of another size is not taken for the
// same.
func TestBarePostgresRefuses(t *testing.T) {
	t.Parallel()
	p := newTestPort(t, 2)
	body, err := marshal(&rawAnswer{Identifier: int64(p.loaded[0])})
	if err != nil {
		t.Fatal(err)
	}
	l := limitOf(load.Recorded{Status: http.StatusOK, Body: body}, limitPostgres)
	l.Database, l.Load = p.url, p.Load
	if _, err := l.handler(t.Context()); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("the error is %v; want one about the number of bytes", err)
	}
}
