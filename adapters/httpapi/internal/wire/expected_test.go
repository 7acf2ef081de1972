package wire

import (
	"reflect"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
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
		{`null`, new(expected.Value[bool]), expected.Null[bool]()},
		{`true`, new(expected.Value[bool]), expected.Of(true)},
		{`"true"`, new(expected.Value[bool]), expected.Other[bool]()},
		{`{}`, new(expected.Value[bool]), expected.Other[bool]()},
		{`"App"`, new(expected.Value[string]), expected.Of("App")},
		{`7`, new(expected.Value[string]), expected.Other[string]()},
		{`7`, new(expected.Value[int64]), expected.Of[int64](7)},
		{`7.0`, new(expected.Value[int64]), expected.Other[int64]()},
		{`7`, new(expected.Value[problem.ID]), expected.Of[problem.ID](7)},
		{`"7"`, new(expected.Value[problem.ID]), expected.Other[problem.ID]()},
		{shown, new(expected.Value[ident.ID]), expected.Of(id)},
		{`"x"`, new(expected.Value[ident.ID]), expected.Other[ident.ID]()},
		{`"2015-11-05T12:00:00.0005Z"`, new(expected.Value[time.Time]), expected.Of(at)},
		{`"yesterday"`, new(expected.Value[time.Time]), expected.Other[time.Time]()},
		{`0`, new(expected.Value[time.Time]), expected.Other[time.Time]()},
		{`{"name":"Ann"}`, new(expected.Value[metadata.Partial]), expected.Of[metadata.Partial](metadata.Members{"name": metadata.Text("Ann")})},

		{`[{"name":"a","value":"1"},{"value":null,"name":"b"}]`, new(expected.Value[[]problem.Keyword]),
			expected.Of([]problem.Keyword{{Name: "a", Value: problem.Text("1")}, {Name: "b"}})},
		{`{"name":"a","value":"1"}`, new(expected.Value[[]problem.Keyword]), expected.Other[[]problem.Keyword]()},
		{`["a"]`, new(expected.Value[[]problem.Keyword]), expected.Other[[]problem.Keyword]()},
		{`[{"name":"a"}]`, new(expected.Value[[]problem.Keyword]), expected.Other[[]problem.Keyword]()},
		{`[{"name":"a","value":false}]`, new(expected.Value[[]problem.Keyword]), expected.Other[[]problem.Keyword]()},
		{`[{"name":"a","value":null,"x":null}]`, new(expected.Value[[]problem.Keyword]), expected.Other[[]problem.Keyword]()},

		{`[{"identifier":` + shown + `,"type":"FieldChanged","batchIdentifier":` + shown + `,"isSignificant":true,"field":"title","from":"T","to":{"a":1.50}}]`,
			new(expected.Value[[]expected.Entry]), expected.Of([]expected.Entry{{
				ID: id, Type: expected.Of(problem.FieldChanged), Batch: expected.Of(id), Significant: expected.Of(true),
				Field: expected.Of("title"), From: expected.Of[problem.LogValue](`"T"`), To: expected.Of[problem.LogValue](`{"a":1.50}`),
			}})},
		{`[{"identifier":` + shown + `,"creationDate":7,"author":null,"from":null}]`,
			new(expected.Value[[]expected.Entry]), expected.Of([]expected.Entry{{
				ID: id, Created: expected.Other[time.Time](), Author: expected.Null[metadata.Partial](), From: expected.Null[problem.LogValue](),
			}})},
		{`{}`, new(expected.Value[[]expected.Entry]), expected.Other[[]expected.Entry]()},
		{`["x"]`, new(expected.Value[[]expected.Entry]), expected.Other[[]expected.Entry]()},
		{`[{"type":"FieldChanged"}]`, new(expected.Value[[]expected.Entry]), expected.Other[[]expected.Entry]()},
		{`[{"identifier":` + shown + `,"x":null}]`, new(expected.Value[[]expected.Entry]), expected.Other[[]expected.Entry]()},
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
