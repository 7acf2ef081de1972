package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
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

// Whoever follows the links reads all entries once, in their order.
func TestAuditPages(t *testing.T) {
	t.Parallel()
	for limit, pages := range map[string]int{"": 3, "?limit=1": 205, "?limit=50": 5, "?limit=205": 1, "?limit=1000": 1} {
		f := setup(t, func(o *Options) { o.BasePath = "/tracker" })
		for i := range 205 {
			f.audit = append(f.audit, audit.Entry{ID: samples.Identifier(i), Created: samples.Time, Type: audit.Created, Kind: audit.Token})
		}
		seen, path := 0, "/tracker"+api+"/audit"+limit
		for page := 1; path != ""; page++ {
			w := f.send(t, request("GET", path, ""), 200, "")
			var entries []wire.AuditEntry
			if err := json.Unmarshal(w.Body.Bytes(), &entries); err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if want := samples.Identifier(seen).String(); e.Identifier != want {
					t.Fatalf("%s: entry %d is %s, not %s", limit, seen, e.Identifier, want)
				}
				seen++
			}
			link := w.Header().Get("Link")
			if path = strings.TrimSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`); (path == "") != (page == pages) {
				t.Fatalf("%s: page %d of %d has the link %q", limit, page, pages, link)
			}
		}
		if seen != 205 {
			t.Errorf("%s: %d entries on all pages", limit, seen)
		}
	}
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
