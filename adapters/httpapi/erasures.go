package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker/erasure"
)

func (s *server) registerErasures() {
	const path = "/users/{identifier}/erasure"
	sample := func(e *wire.Encoder) { e.Erasure(samples.Erasure()) }
	register(s, huma.Operation{
		OperationID: "eraseUser", Method: http.MethodPost, Path: path, Tags: []string{tagUsers},
		Summary: "Erase a user for good",
		Description: "It cannot be undone. At once the user gets another name and address and is inactive; tokens, sessions, saved queries and e-mail end. " +
			"Then the service takes the former name from the log of each problem and its events, and ends watches. What the user did stays, under the identifier. " +
			"Texts that people wrote stay: texts, queries and webhooks list those with a former name or address. " +
			"With dryRun=true the answer counts what would change, in the first 5,000 problems; problems user erase --dry-run counts all. A repeat answers how far it is.",
		Security:  needs(access.Admin),
		Responses: responses{"202": {Description: "How far it is."}},
		Metadata:  about(sample, fault.NotFound, fault.InUse).unkeyed("a repeat does nothing more"),
	}, s.erase)
	register(s, huma.Operation{
		OperationID: "getErasure", Method: http.MethodGet, Path: path, Tags: []string{tagUsers},
		Summary:   "Show how far the erasure of a user is",
		Security:  needs(access.Admin),
		Responses: responses{"200": {Description: "How far it is."}},
		Metadata:  about(sample, fault.NotFound),
	}, s.erasure)
}

// erase is D46.
func (s *server) erase(ctx context.Context, in *changeInput) (*output[wire.Erasure], error) {
	id, err := in.object()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.Erasures.Begin(ctx, in.caller, id, in.write(), erasure.MostCounted)
	return one[wire.Erasure](a, err, (*wire.Encoder).Erasure)
}

func (s *server) erasure(ctx context.Context, in *findInput) (*output[wire.Erasure], error) {
	return find[wire.Erasure](ctx, in, s.Service.Erasures.Load, (*wire.Encoder).Erasure)
}
