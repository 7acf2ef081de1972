package httpapi

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

func TestMe(t *testing.T) {
	t.Parallel()
	f := setup(t)
	w := f.send(t, request("GET", api+"/me", "", "Authorization", "Token "+secretOf(access.Read).Reveal()), 200, "")
	want := `{"user":{"identifier":"` + samples.Ann.ID.String() + `","name":"Ann","email":"ann@example.org","inactive":false,"robotOf":null},"scope":"read","expires":null}` + "\n"
	if w.Body.String() != want {
		t.Errorf("%s, not %s", w.Body, want)
	}
}

func TestUsersAndTokensInDryRuns(t *testing.T) {
	t.Parallel()
	f := setup(t)
	w := f.send(t, request("POST", api+"/users?dryRun=true", `{"name":"Eve","email":"eve@example.org"}`), 201, "")
	if want := `{"name":"Eve","email":"eve@example.org","inactive":false,"robotOf":null}` + "\n"; w.Body.String() != want {
		t.Errorf("%s, not %s", w.Body, want)
	}
	header(t, w, map[string]string{"Location": "", "Dry-Run": "true"})
	w = f.send(t, request("POST", api+"/tokens?dryRun=true", `{"user":{"name":"Bob"},"scope":"read"}`), 201, "")
	if want := `{"user":{"identifier":"` + samples.Bob.ID.String() + `","name":"Bob"},"scope":"read","creationDate":"2015-11-05T11:30:00.125Z","expires":null,"revoked":null,"name":null,"lastUse":null,"invitation":false}` + "\n"; w.Body.String() != want {
		t.Errorf("%s, not %s", w.Body, want)
	}
	if len(f.changes) > 0 {
		t.Errorf("a dry run wrote %v", f.changes)
	}
}

// Nothing that the API offers leaves the service without an administrator.
func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	f := setup(t)
	others := f.tokens[3:]
	f.tokens = f.tokens[:3:3]
	token, person := api+"/tokens/"+samples.Identifier(102).String(), api+"/users/"+samples.Ann.ID.String()
	for _, query := range []string{"", "?dryRun=true"} {
		f.send(t, request("DELETE", token+query, ""), 409, fault.InUse)
		w := f.send(t, request("PATCH", person+query, `{"inactive":true}`), 409, fault.InUse)
		if !strings.Contains(w.Body.String(), "Create one first") {
			t.Errorf("the answer does not say what to do: %s", w.Body)
		}
	}
	if len(f.changes) > 0 {
		t.Errorf("a refusal wrote %v", f.changes)
	}
	f.send(t, request("DELETE", api+"/tokens/"+samples.Identifier(100).String(), ""), 204, "") // of scope read
	f.tokens = append(f.tokens, others...)
	f.send(t, request("DELETE", token, ""), 204, "")
	f.send(t, request("PATCH", person, `{"inactive":true}`), 200, "")
}
