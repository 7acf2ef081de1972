package httpapi

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// The audit log as clients read it: an entry of the service itself has no author.
func TestAudit(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.audit = samples.Audit()
	id := func(n string) string { return `"0150d4f1-6000-7000-8000-0000000000` + n + `"` }
	progress, closed := `{"identifier":`+id("04")+`,"name":"In Progress"}`, `{"identifier":`+id("13")+`,"name":"Closed"}`
	want := `[{"identifier":` + id("15") + `,"type":"Created","creationDate":"2015-11-05T09:30:00.125Z","author":null,"batchIdentifier":` + id("16") + `,` +
		`"kind":"priority","object":{"identifier":` + id("05") + `,"name":"High"},"field":null,"from":null,"to":{"name":"High","order":2}},` +
		`{"identifier":` + id("17") + `,"type":"Changed","creationDate":"2015-11-05T10:30:00.125Z","author":{"identifier":` + id("01") + `,"name":"Ann"},"batchIdentifier":` + id("18") + `,` +
		`"kind":"state","object":{"identifier":` + id("03") + `,"name":"Open"},"field":"nextStates","from":[` + progress + `],"to":[` + progress + `,` + closed + `]}]`
	w := f.send(t, request("GET", api+"/audit", ""), 200, "")
	if got := strings.TrimSuffix(w.Body.String(), "\n"); got != want {
		t.Errorf("%s\nnot\n%s", got, want)
	}
	header(t, w, map[string]string{"Link": "", "ETag": ""})
	f.send(t, request("GET", api+"/audit", "", "Authorization", secretOf(access.Write).Reveal()), 403, fault.Forbidden)
	f.send(t, request("POST", api+"/audit", ""), 405, fault.MethodNotAllowed)
}

func TestAuditParameters(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, query := range []string{
		"limit=0", "limit=1001", "limit=-1", "limit=01", "limit=1.0", "limit=", "limit=all", "limit=1&limit=2", "skip=1", "dryRun=true",
		"cursor=", "cursor=1", "cursor=" + window{list: "audit"}.cursor(-1), "cursor=" + window{list: "audit"}.cursor(1) + "=", "cursor=YXVkaXQgMDE", // "audit 01"
	} {
		f.send(t, request("GET", api+"/audit?"+query, ""), 400, fault.MalformedRequest)
	}
	f.send(t, request("GET", api+"/audit?limit=1000&cursor="+window{list: "audit"}.cursor(7), ""), 200, "")
}
