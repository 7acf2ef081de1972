package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
)

func (s *server) registerAudit() {
	register(s, huma.Operation{
		OperationID: "listAudit", Method: http.MethodGet, Path: "/audit", Tags: []string{"Audit"},
		Summary:     "Read the audit log",
		Description: "Every change of metadata, users and tokens, whoever made it: one entry for each object that was created, and for each member that changed. The log only grows; secrets are not in it.",
		Security:    needs(access.Admin),
		Responses:   responses{"200": {Description: "Entries of the log, oldest first: 100 unless limit says otherwise."}},
		Metadata:    about(func(e *wire.Encoder) { wire.List(e, samples.Audit(), e.AuditEntry) }),
	}, s.listAudit)
}

type auditInput struct {
	Request
	Paged
	Continued
}

func (s *server) listAudit(ctx context.Context, in *auditInput) (*pageOutput[[]wire.AuditEntry], error) {
	w, err := in.window("audit", usualLimit)
	if err != nil {
		return nil, err
	}
	a, err := s.Service.Audit(ctx, w.skip, w.limit)
	if err != nil {
		return nil, err
	}
	out := &pageOutput[[]wire.AuditEntry]{Body: listOf[wire.AuditEntry](in.call, a.Catalogue, a.Value.Entries, (*wire.Encoder).AuditEntry)}
	if a.Value.More {
		out.Linked = w.next(in.call)
	}
	return out, nil
}
