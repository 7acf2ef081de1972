package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

func TestReplayGivesBackWhatWasKept(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"title":"a\r\nb <&> 😀"}`, ``, strings.Repeat("x", 1<<20), "\r\n\r\n"} {
		a := &createOutput{Status: http.StatusCreated, Located: Located{"/x"}, Tagged: Tagged{`"1.1.0"`}, Revised: revised(1), Body: wire.JSON[wire.CreatedProblem]{Text: []byte(body)}}
		kept := keep(http.StatusCreated, a)
		got, err := replay[createOutput](kept)
		if err != nil {
			t.Fatal(err)
		}
		want := *a
		want.Replayed = "true"
		if !reflect.DeepEqual(got, &want) {
			t.Errorf("kept %v, brought back %v", a, got)
		}
		if again := keep(http.StatusCreated, a); !reflect.DeepEqual(again, kept) {
			t.Error("the same answer is kept as other bytes")
		}
	}
	if _, err := replay[createOutput]([]byte("nonsense")); err == nil {
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
	for path, body := range map[string]string{
		"/problems": `{"title":"a"}`, "/problems/12/comments": "a", "/users": `{"name":"Eve","email":"eve@example.org"}`, "/queries": `{"name":"a","predicate":"TRUEPREDICATE"}`,
		"/states": `{"name":"a"}`, "/priorities": `{"name":"a"}`, "/classifications": `{"name":"a"}`, "/components": `{"name":"a"}`, "/milestones": `{"name":"a"}`,
	} {
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
	f.send(t, request("PUT", api+"/problems/12/keywords/floor", `"1"`, "Idempotency-Key", "a b"), 201, "") // is not needed there
}

// A POST that can store something and does not keep its reply must not ignore the
// header: the client counts on it. Nothing is done then.
func TestIdempotencyKeyIsNotIgnored(t *testing.T) {
	t.Parallel()
	for _, e := range endpoints() {
		if e.Method != http.MethodPost || e.reads {
			continue
		}
		f := setup(t)
		if e.OperationID == "createUser" { // the one of the example is there already
			f.catalogue = metadata.NewCatalogue(ident.Version{Number: 14}, metadata.Content{Users: []user.User{samples.Bob}})
			f.tokens[2].User = samples.Bob.ID
		}
		f.hits = []store.Hit{{ID: 12}} // to claim
		path := api + strings.Replace(e.Path, "{identifier}", "12", 1)
		var of body
		if len(e.bodies) > 0 {
			of = e.bodies[0]
		}
		send := func() *httptest.ResponseRecorder {
			return f.do(request("POST", path, of.example, "Content-Type", of.media, "Content-Disposition", `attachment; filename="a"`, "Idempotency-Key", "k"))
		}
		first, again := send(), send()
		// A file first has the store named to the files.
		f.changes = slices.DeleteFunc(f.changes, func(c store.Change) bool {
			return !slices.ContainsFunc(c.Effects, func(e store.Effect) bool { _, ok := e.(store.PutLease); return !ok })
		})
		if e.takes("header", "Idempotency-Key") {
			if first.Code != e.DefaultStatus || first.Body.String() != again.Body.String() || again.Header().Get("Idempotency-Replayed") != "true" || len(f.changes) != 1 {
				t.Errorf("%s: %d %s, then %d %s, in %d changes", e.OperationID, first.Code, first.Body, again.Code, again.Body, len(f.changes))
			}
		} else if first.Code != 400 || len(f.changes) > 0 {
			t.Errorf("%s: %d %s", e.OperationID, first.Code, first.Body)
		}
	}
	f := setup(t)
	w := f.send(t, request("POST", api+"/tokens", `{"user":{"name":"Ann"},"scope":"read"}`, "Idempotency-Key", "k"), 400, fault.MalformedRequest)
	if !strings.Contains(w.Body.String(), "revoke") {
		t.Errorf("how to be safe is not in %s", w.Body)
	}
	f.send(t, request("POST", api+"/tokens?dryRun=true", `{"user":{"name":"Ann"},"scope":"read"}`, "Idempotency-Key", "k"), 400, fault.MalformedRequest)
	f.send(t, request("POST", api+"/states/search", `{"predicate":"TRUEPREDICATE"}`, "Idempotency-Key", "k"), 200, "") // stores nothing
	f.send(t, request("PATCH", api+"/users/"+samples.Ann.ID.String(), `{}`, "Idempotency-Key", "k"), 200, "")
}
