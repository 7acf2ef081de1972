package wire

import (
	"reflect"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// D11: a value of a member that only the service writes is read as it is. One that the
// member can never have is no fault, but an expectation that no value meets.
func TestDecodeExpected(t *testing.T) {
	t.Parallel()
	id, at := ident.ID{15: 1}, time.Date(2015, 11, 5, 12, 0, 0, 500_000, time.UTC)
	shown := `"` + id.String() + `"`
	for _, c := range []struct {
		json       string
		into, want any
	}{
		{`null`, new(tracker.Expected[bool]), tracker.ExpectNull[bool]()},
		{`true`, new(tracker.Expected[bool]), tracker.Expect(true)},
		{`"true"`, new(tracker.Expected[bool]), tracker.ExpectOther[bool]()},
		{`{}`, new(tracker.Expected[bool]), tracker.ExpectOther[bool]()},
		{`"App"`, new(tracker.Expected[string]), tracker.Expect("App")},
		{`7`, new(tracker.Expected[string]), tracker.ExpectOther[string]()},
		{`7`, new(tracker.Expected[int64]), tracker.Expect[int64](7)},
		{`7.0`, new(tracker.Expected[int64]), tracker.ExpectOther[int64]()},
		{`7`, new(tracker.Expected[problem.ID]), tracker.Expect[problem.ID](7)},
		{`"7"`, new(tracker.Expected[problem.ID]), tracker.ExpectOther[problem.ID]()},
		{shown, new(tracker.Expected[ident.ID]), tracker.Expect(id)},
		{`"x"`, new(tracker.Expected[ident.ID]), tracker.ExpectOther[ident.ID]()},
		{`"2015-11-05T12:00:00.0005Z"`, new(tracker.Expected[time.Time]), tracker.Expect(at)},
		{`"yesterday"`, new(tracker.Expected[time.Time]), tracker.ExpectOther[time.Time]()},
		{`0`, new(tracker.Expected[time.Time]), tracker.ExpectOther[time.Time]()},
		{`{"name":"Ann"}`, new(tracker.Expected[metadata.Partial]), tracker.Expect[metadata.Partial](metadata.Members{"name": metadata.Text("Ann")})},

		{`[{"name":"a","value":"1"},{"value":null,"name":"b"}]`, new(tracker.Expected[[]problem.Keyword]),
			tracker.Expect([]problem.Keyword{{Name: "a", Value: problem.Text("1")}, {Name: "b"}})},
		{`{"name":"a","value":"1"}`, new(tracker.Expected[[]problem.Keyword]), tracker.ExpectOther[[]problem.Keyword]()},
		{`["a"]`, new(tracker.Expected[[]problem.Keyword]), tracker.ExpectOther[[]problem.Keyword]()},
		{`[{"name":"a"}]`, new(tracker.Expected[[]problem.Keyword]), tracker.ExpectOther[[]problem.Keyword]()},
		{`[{"name":"a","value":false}]`, new(tracker.Expected[[]problem.Keyword]), tracker.ExpectOther[[]problem.Keyword]()},
		{`[{"name":"a","value":null,"x":null}]`, new(tracker.Expected[[]problem.Keyword]), tracker.ExpectOther[[]problem.Keyword]()},

		{`[{"identifier":` + shown + `,"type":"FieldChanged","batchIdentifier":` + shown + `,"isSignificant":true,"field":"title","from":"T","to":{"a":1.50}}]`,
			new(tracker.Expected[[]tracker.ExpectedEntry]), tracker.Expect([]tracker.ExpectedEntry{{
				ID: id, Type: tracker.Expect(problem.FieldChanged), Batch: tracker.Expect(id), Significant: tracker.Expect(true),
				Field: tracker.Expect("title"), From: tracker.Expect[problem.LogValue](`"T"`), To: tracker.Expect[problem.LogValue](`{"a":1.50}`),
			}})},
		{`[{"identifier":` + shown + `,"creationDate":7,"author":null,"from":null}]`,
			new(tracker.Expected[[]tracker.ExpectedEntry]), tracker.Expect([]tracker.ExpectedEntry{{
				ID: id, Created: tracker.ExpectOther[time.Time](), Author: tracker.ExpectNull[metadata.Partial](), From: tracker.ExpectNull[problem.LogValue](),
			}})},
		{`{}`, new(tracker.Expected[[]tracker.ExpectedEntry]), tracker.ExpectOther[[]tracker.ExpectedEntry]()},
		{`["x"]`, new(tracker.Expected[[]tracker.ExpectedEntry]), tracker.ExpectOther[[]tracker.ExpectedEntry]()},
		{`[{"type":"FieldChanged"}]`, new(tracker.Expected[[]tracker.ExpectedEntry]), tracker.ExpectOther[[]tracker.ExpectedEntry]()},
		{`[{"identifier":` + shown + `,"x":null}]`, new(tracker.Expected[[]tracker.ExpectedEntry]), tracker.ExpectOther[[]tracker.ExpectedEntry]()},
	} {
		for _, into := range []any{c.into, Ignored{c.into}} {
			if err := decoding(`{"member":`+c.json+`}`).decode(nil, Member{"member", into}); err != nil {
				t.Errorf("%s: %v", c.json, err)
			}
			if got := reflect.ValueOf(c.into).Elem().Interface(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s: %+v, want %+v", c.json, got, c.want)
			}
			reflect.ValueOf(c.into).Elem().SetZero()
		}
	}
}
