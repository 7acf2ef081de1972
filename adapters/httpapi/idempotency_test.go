package httpapi

import (
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
		r := request(method, target, "")
		return (&call{r: r, query: r.URL.Query(), media: media, body: []byte(body)}).fingerprint()
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
