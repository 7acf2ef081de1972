package httpapi

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

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
