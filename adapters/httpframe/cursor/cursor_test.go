package cursor

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/tracker"
)

var (
	moment   = time.Date(2015, time.November, 5, 9, 30, 0, 125e6, time.UTC)
	sequence = ident.NewSequence(moment, [10]byte{})
	ann, bob = sequence.Next(), sequence.Next()
	open     = sequence.Next()
)

func samplePosition() tracker.Position {
	return tracker.Position{
		User: ann, Query: [32]byte{1, 2, 31: 3}, Now: moment, Problem: 12,
		Keys: []predicate.Value{nil, true, false, int64(-1), int64(1) << 62, 0.1, 0.0, "", "<ä&\"😀>\n", bob, moment.Add(time.Microsecond), ident.ID{}},
	}
}

// What a cursor holds comes back as it was, and stands in a URL as it is.
func TestComesBack(t *testing.T) {
	t.Parallel()
	object := samplePosition()
	object.Problem, object.Object = 0, open
	for _, want := range []tracker.Position{samplePosition(), object, {User: ann, Now: moment, Problem: 1}} {
		text, err := Write(want)
		if err != nil || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("%s, %v", text, err)
		}
		got, err := Read(text)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v (%v), not %+v", got, err, want)
		}
	}
	if text, err := Write(tracker.Position{Keys: []predicate.Value{[]predicate.Value{}}}); err == nil {
		t.Errorf("a collection is %s", text)
	}
}

func TestIsDamaged(t *testing.T) {
	t.Parallel()
	text, err := Write(samplePosition())
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	plain, _ := base64.RawURLEncoding.DecodeString(text)
	for name, damaged := range map[string]string{
		"empty":         "",
		"cut":           text[:len(text)-4],
		"longer":        text + text,
		"padded":        text + "=",
		"other letters": "+" + text[1:],
		"no JSON":       encode([]byte("problem 12")),
		"null":          encode([]byte("null")),
		"an array":      encode([]byte("[]")),
		"an object":     encode([]byte("{}")),
		"more members":  encode([]byte(strings.Replace(string(plain), "{", `{"x":1,`, 1))),
		"other types":   encode([]byte(strings.Replace(string(plain), `"p":12`, `"p":"12"`, 1))),
		"a short hash":  encode([]byte(`{"u":"","q":"AAAA","n":"2015-11-05T09:30:00Z"}`)),
	} {
		if p, err := Read(damaged); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
