package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/tracker"
)

func auditEndpoints() []endpoint {
	return []endpoint{{
		id: "listAudit", method: http.MethodGet, path: "/audit", tag: "Audit",
		summary:     "Read the audit log",
		description: "Every change of metadata, users and tokens, whoever made it: one entry for each object that was created, and for each member that changed. The log only grows; secrets are not in it.",
		scope:       access.Admin,
		query:       []string{paramLimit, paramCursor},
		shown:       map[string]string{paramLimit: paramPageLimit, paramCursor: paramAuditCursor},
		answers: []result{{status: 200, description: "Entries of the log, oldest first: 100 unless limit says otherwise.", of: []wire.AuditEntry{}, headers: []string{"Link"},
			example: func(e *wire.Encoder) { wire.List(e, samples.Audit(), e.AuditEntry) }}},
		do: (*call).listAudit,
	}}
}

func (c *call) listAudit() (answer, error) {
	w, err := c.window("audit", usualLimit)
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.Audit(c.r.Context(), w.skip, w.limit)
	return answered(a, err, func(a tracker.Answer[tracker.AuditPage]) answer {
		out := answer{status: http.StatusOK, body: listInParts(c, a.Catalogue, a.Value.Entries, (*wire.Encoder).AuditEntry)}
		if a.Value.More {
			out.header = w.next(c)
		}
		return out
	})
}
