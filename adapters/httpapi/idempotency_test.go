package httpapi

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

func TestReplayGivesBackWhatWasKept(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"title":"a\r\nb <&> 😀"}`, ``, strings.Repeat("x", 1<<20), "\r\n\r\n"} {
		a := answer{status: http.StatusCreated, revision: 1, tag: `"1.1.0"`, header: http.Header{"Location": {"/x"}}, body: []byte(body)}
		kept := keep(a)
		got, err := replay(kept)
		if err != nil {
			t.Fatal(err)
		}
		want := http.Header{"Location": {"/x"}, "Etag": {`"1.1.0"`}, "Problem-Revision": {"1"}, "Idempotency-Replayed": {"true"}}
		if got.status != a.status || !reflect.DeepEqual(got.header, want) || string(got.body) != body {
			t.Errorf("kept %v, brought back %v", a, got)
		}
		if again := keep(a); !reflect.DeepEqual(again, kept) {
			t.Error("the same answer is kept as other bytes")
		}
	}
	if _, err := replay([]byte("nonsense")); err == nil {
		t.Error("what is no reply was brought back")
	}
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`k1`:                                 `k1`,
		`"k1"`:                               `k1`,
		`a"b`:                                `a"b`,
		strings.Repeat("k", 255):             strings.Repeat("k", 255),
		`"` + strings.Repeat("k", 255) + `"`: strings.Repeat("k", 255),
		``:                                   "",
		`""`:                                 "",
		`"k1`:                                "",
		`"a"b"`:                              "",
		`a b`:                                "",
		"ä":                                  "",
		"a\tb":                               "",
		strings.Repeat("k", 256):             "",
	} {
		got, ok := parseKey(value)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v; not %q", value, got, ok, want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	t.Parallel()
	print := func(method, target, media, body string) [32]byte {
		return (&call{r: request(method, target, ""), media: media, body: []byte(body)}).fingerprint()
	}
	first := print("POST", "/a?dryRun=false", mediaJSON, "{}")
	if print("POST", "/a?dryRun=false", mediaJSON, "{}") != first {
		t.Error("equal requests have other fingerprints")
	}
	for name, other := range map[string][32]byte{
		"method": print("PUT", "/a?dryRun=false", mediaJSON, "{}"),
		"path":   print("POST", "/b?dryRun=false", mediaJSON, "{}"),
		"query":  print("POST", "/a", mediaJSON, "{}"),
		"media":  print("POST", "/a?dryRun=false", mediaText, "{}"),
		"body":   print("POST", "/a?dryRun=false", mediaJSON, "{} "),
	} {
		if other == first {
			t.Errorf("another %s has the same fingerprint", name)
		}
	}
}

func TestIdempotentRequests(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for path, body := range map[string]string{"/problems": `{"title":"a"}`, "/problems/12/comments": "a"} {
		key := strings.ReplaceAll(path, "/", "-")
		first := f.send(t, request("POST", api+path, body, "Idempotency-Key", key), 201, "")
		changes := len(f.changes)
		again := f.send(t, request("POST", api+path, body, "Idempotency-Key", `"`+key+`"`), 201, "")
		header(t, first, map[string]string{"Idempotency-Replayed": ""})
		header(t, again, map[string]string{"Idempotency-Replayed": "true"})
		if seen := f.exchanges[len(f.exchanges)-2:]; seen[0].Replayed || !seen[1].Replayed {
			t.Errorf("%s: observed are %+v", path, seen)
		}
		again.Header().Del("Idempotency-Replayed")
		if len(f.changes) != changes || first.Body.String() != again.Body.String() || fmt.Sprint(first.Header()) != fmt.Sprint(again.Header()) {
			t.Errorf("%s: first %v %s, then %v %s", path, first.Header(), first.Body, again.Header(), again.Body)
		}
		f.send(t, request("POST", api+path, body+" ", "Idempotency-Key", key), 409, fault.IdempotencyConflict)
		f.send(t, request("POST", api+path, body, "Idempotency-Key", "a b"), 400, fault.MalformedRequest)
	}
	f.send(t, request("PATCH", api+"/problems/12", `{}`, "Idempotency-Key", "a b"), 200, "") // means nothing there
}
