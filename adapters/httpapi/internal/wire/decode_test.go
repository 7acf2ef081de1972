package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
)

// decoding is a body that is decoded with the usual limit of nesting.
type decoding string

const usualDepth = 32

func (d decoding) decode(faults *fault.List, members ...Member) error {
	return Decode([]byte(d), usualDepth, faults, members...)
}

func (d decoding) decodeValue() (any, error) { return DecodeValue([]byte(d), usualDepth) }

func TestMalformedJSON(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty":                       "",
		"white space":                 " \n",
		"unfinished":                  `{"title":`,
		"unfinished string":           `{"title":"a`,
		"duplicate member":            `{"title":"a","title":"a"}`,
		"duplicate, escaped":          `{"title":"a","\u0074itle":"a"}`,
		"duplicate, nested":           `{"state":{"name":"a","name":"a"}}`,
		"duplicate, unknown":          `{"x":{"y":1,"y":1}}`,
		"duplicate, ignored":          `{"logs":{"y":1,"y":1}}`,
		"trailing value":              `{} {}`,
		"trailing comma":              `{"title":"a",}`,
		"trailing garbage":            `{}x`,
		"byte order mark":             "\ufeff{}",
		"invalid UTF-8":               "{\"title\":\"\xff\"}",
		"invalid UTF-8 in a name":     "{\"\xc3\":1}",
		"overlong UTF-8":              "{\"title\":\"\xc0\xaf\"}",
		"encoded surrogate":           "{\"title\":\"\xed\xa0\x80\"}",
		"lone high surrogate":         `{"title":"\ud800"}`,
		"lone low surrogate":          `{"title":"\udc00"}`,
		"surrogates in wrong order":   `{"title":"\udc00\ud800"}`,
		"control character in string": "{\"title\":\"\n\"}",
		"comment":                     `{/**/}`,
		"single quotes":               `{'title':'a'}`,
		"NaN":                         `{"read":NaN}`,
		"leading zero":                `{"read":01}`,
		"plus":                        `{"read":+1}`,
		"too deep":                    `{"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32) + `}`,
		"too deep, ignored":           `{"logs":` + strings.Repeat(`{"a":`, 32) + `1` + strings.Repeat("}", 32) + `}`,
		"too deep, not closed":        strings.Repeat("[", 9000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var faults fault.List
			var title patch.Field[string]
			err := decoding(body).decode(&faults, Member{"title", &title}, Member{"logs", nil})
			if !fault.Is(err, fault.MalformedJSON) {
				t.Errorf("%v, not malformed-json", err)
			}
			if _, err := decoding(body).decodeValue(); !fault.Is(err, fault.MalformedJSON) {
				t.Errorf("as a value: %v, not malformed-json", err)
			}
		})
	}
}

func TestMalformedJSONSaysWhere(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		``:                      "the body is empty, where a JSON value is needed (at byte 0)",
		`{"secret":1,"secret"}`: "an object has two members of the same name (at byte 12)",
		`{"a":"secret`:          "the body ends within its JSON value (at byte 12)",
		`{"a":1} secret`:        "there is more after the end of the JSON value (at byte 7)",
		`{"a":secret}`:          "the body is not valid JSON in UTF-8 (at byte 5)",
	} {
		_, err := decoding(body).decodeValue()
		if err == nil || err.Error() != "malformed-json: "+want {
			t.Errorf("%s: %v, not %s", body, err, want)
		}
	}
}

func TestDecodeMembers(t *testing.T) {
	t.Parallel()
	var got struct {
		text, null, absent patch.Field[string]
		flag               patch.Field[bool]
		revision           patch.Field[int64]
		other              patch.Field[problem.ID]
		expires            patch.Field[time.Time]
		state, cleared     patch.Field[metadata.Partial]
	}
	var keywords expected.Value[[]problem.Keyword]
	var faults fault.List
	err := decoding(`{
		"text": "a\u0000\ud83d\ude00", "null": null, "flag": true, "revision": -9223372036854775808,
		"expires": "2030-01-01T01:00:00.9999+01:00", "state": {"name":"Open","order":1.50,"next":[null,false]}, "cleared": null,
		"keywords": [], "ignored": {"a":[1]}, "problem": {"identifier": 7, "title": 1}
	}`).decode(&faults,
		Member{"text", &got.text}, Member{"null", &got.null}, Member{"absent", &got.absent}, Member{"flag", &got.flag},
		Member{"revision", &got.revision}, Member{"expires", &got.expires}, Member{"state", &got.state}, Member{"cleared", &got.cleared},
		Member{"keywords", &keywords}, Member{"ignored", nil},
		Member{"problem", []Member{{"identifier", &got.other}, {"title", nil}}},
	)
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	want := got
	want.text = patch.Set("a\x00😀")
	want.null = patch.Null[string]()
	want.absent = patch.Field[string]{}
	want.flag = patch.Set(true)
	want.revision = patch.Set[int64](-1 << 63)
	want.other = patch.Set[problem.ID](7)
	want.expires = patch.Set(time.Date(2030, 1, 1, 0, 0, 0, 999e6, time.UTC))
	want.state = patch.Set[metadata.Partial](metadata.Members{"name": metadata.Text("Open"), "order": metadata.Number("1.50"), "next": metadata.List{nil, metadata.Flag(false)}})
	want.cleared = patch.Null[metadata.Partial]()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, not %+v", got, want)
	}
	if !reflect.DeepEqual(keywords, expected.Of([]problem.Keyword{})) {
		t.Errorf("read-only members %v", keywords)
	}
}

func TestDecodeFaults(t *testing.T) {
	t.Parallel()
	var text patch.Field[string]
	var flag patch.Field[bool]
	var number patch.Field[problem.ID]
	var expires patch.Field[time.Time]
	members := []Member{
		{"title", &text}, {"read", &flag}, {"number", &number}, {"expires", &expires},
		{"problem", []Member{{"identifier", &number}}},
	}
	type f = fault.Item
	for body, want := range map[string][]f{
		`[]`:                         {{Kind: fault.InvalidType, At: fault.Location{}}},
		`null`:                       {{Kind: fault.InvalidType, At: fault.Location{}}},
		`"{}"`:                       {{Kind: fault.InvalidType, At: fault.Location{}}},
		`{"title":1}`:                {{Kind: fault.InvalidType, At: fault.At("title")}},
		`{"title":{}}`:               {{Kind: fault.InvalidType, At: fault.At("title")}},
		`{"read":"true"}`:            {{Kind: fault.InvalidType, At: fault.At("read")}},
		`{"number":7.0}`:             {{Kind: fault.InvalidType, At: fault.At("number")}},
		`{"number":"7"}`:             {{Kind: fault.InvalidType, At: fault.At("number")}},
		`{"number":1e0}`:             {{Kind: fault.InvalidType, At: fault.At("number")}},
		`{"number":1E2}`:             {{Kind: fault.InvalidType, At: fault.At("number")}},
		`{"number":true}`:            {{Kind: fault.InvalidType, At: fault.At("number")}},
		`{"number":1e999999}`:        {{Kind: fault.InvalidType, At: fault.At("number")}},
		`{"expires":"tomorrow"}`:     {{Kind: fault.InvalidValue, At: fault.At("expires")}},
		`{"expires":1}`:              {{Kind: fault.InvalidType, At: fault.At("expires")}},
		`{"Title":"a"}`:              {{Kind: fault.UnknownField, At: fault.At("Title")}},
		`{"titl":"a"}`:               {{Kind: fault.UnknownField, At: fault.At("titl")}},
		`{"":1}`:                     {{Kind: fault.UnknownField, At: fault.At("")}},
		`{"a/b~c":1}`:                {{Kind: fault.UnknownField, At: fault.At("a/b~c")}},
		`{"problem":[]}`:             {{Kind: fault.InvalidType, At: fault.At("problem")}},
		`{"problem":{"id":1}}`:       {{Kind: fault.UnknownField, At: fault.At("problem").Member("id")}},
		`{"problem":null}`:           nil,
		`{"titl":1,"read":1,"a":[]}`: {{Kind: fault.UnknownField, At: fault.At("titl")}, {Kind: fault.InvalidType, At: fault.At("read")}, {Kind: fault.UnknownField, At: fault.At("a")}},
	} {
		var faults fault.List
		if err := decoding(body).decode(&faults, members...); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		var got []f
		for _, item := range faults {
			if item.Detail == "" || strings.Contains(item.Detail, "secret") {
				t.Errorf("%s: detail %q", body, item.Detail)
			}
			got = append(got, f{Kind: item.Kind, At: item.At})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, not %v", body, got, want)
		}
	}
	if text.Sent || flag.Sent || number.Sent || expires.Sent {
		t.Error("a member of the wrong type was sent on")
	}
}

func TestDecodeSuggestsSpelling(t *testing.T) {
	t.Parallel()
	var faults fault.List
	if err := decoding(`{"TITLE":"a"}`).decode(&faults, Member{"title", nil}); err != nil || len(faults) != 1 {
		t.Fatal(err, faults)
	}
	if !strings.Contains(faults[0].Detail, `"title"`) {
		t.Errorf("the detail does not name the member: %s", faults[0].Detail)
	}
}

func TestDecodeBounds(t *testing.T) {
	t.Parallel()
	var faults fault.List
	deep := `{"state":` + strings.Repeat("[", 31) + strings.Repeat("]", 31) + `}`
	if err := decoding(deep).decode(&faults, Member{"state", nil}); err != nil {
		t.Errorf("as deep as the limit: %v", err)
	}
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, `,"m%d":1`, i)
	}
	body := "{" + b.String()[1:] + `,"title":5}`
	if err := decoding(body).decode(&faults, Member{"title", new(patch.Field[string])}); err != nil || len(faults) > 200 || !faults.Covers(fault.At("title")) {
		t.Errorf("%d faults: %v", len(faults), err)
	}
}

// What is accepted is what package json reads too, and reads alike.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0.5e3,"x\u00e4",null,true]}`, `[]`, `"\ud83d\ude00"`, ` 7 `, `{"a":{"b":{}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := decoding(string(body)).decodeValue()
		if err != nil {
			if !fault.Is(err, fault.MalformedJSON) {
				t.Fatal(err)
			}
			return
		}
		var want any
		reference := json.NewDecoder(bytes.NewReader(body))
		reference.UseNumber()
		if err := reference.Decode(&want); err != nil || !utf8.Valid(body) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q was read as %v, not %v: %v", body, got, want, err)
		}
	})
}
