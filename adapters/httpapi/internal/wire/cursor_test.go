package wire

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/tracker"
)

func samplePosition() tracker.Position {
	return tracker.Position{
		User: samples.Ann.ID, Query: [32]byte{1, 2, 31: 3}, Now: samples.Time, Problem: 12,
		Keys: []predicate.Value{nil, true, false, int64(-1), int64(1) << 62, 0.1, 0.0, "", "<ä&\"😀>\n", samples.Bob.ID, samples.Time.Add(time.Microsecond), ident.ID{}},
	}
}

// What a cursor holds comes back as it was, and stands in a URL as it is.
func TestCursorComesBack(t *testing.T) {
	t.Parallel()
	object := samplePosition()
	object.Problem, object.Object = 0, samples.Open.ID
	for _, want := range []tracker.Position{samplePosition(), object, {User: samples.Ann.ID, Now: samples.Time, Problem: 1}} {
		text, err := WriteCursor(want)
		if err != nil || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			t.Fatalf("%s, %v", text, err)
		}
		got, err := ReadCursor(text)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v (%v), not %+v", got, err, want)
		}
	}
	if text, err := WriteCursor(tracker.Position{Keys: []predicate.Value{[]predicate.Value{}}}); err == nil {
		t.Errorf("a collection is %s", text)
	}
}

func TestCursorIsDamaged(t *testing.T) {
	t.Parallel()
	text, err := WriteCursor(samplePosition())
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
		if p, err := ReadCursor(damaged); err == nil {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
