package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

func (s *server) registerWatchers() {
	const path = "/problems/{identifier}/watchers"
	register(s, huma.Operation{
		OperationID: "addWatcher", Method: http.MethodPut, Path: path, Tags: []string{"Watchers"},
		Summary:     "Add a watcher",
		Description: "Any members that identify one user will do, such as the e-mail address. Removing a watcher has no endpoint, on purpose: watchers remove themselves in the client application.",
		Security:    needs(access.Write),
		Responses:   responses{"200": {Description: "The user, who watched the problem before."}, "201": {Description: "The user, who is a new watcher."}},
		Metadata: about(func(e *wire.Encoder) { e.User(samples.Ann) }, partialKinds(fault.ProblemNotFound, fault.StaleRevision)...).
			json(`{"email":"ann@example.org"}`, wire.PartialUser{}),
	}, s.addWatcher)
	register(s, huma.Operation{
		OperationID: "loadWatchers", Method: http.MethodGet, Path: path, Tags: []string{"Watchers"},
		Summary:   "Load the watchers of a problem",
		Security:  needs(access.Read),
		Responses: orKept("The users, by name."),
		Metadata:  about(func(e *wire.Encoder) { wire.List(e, []user.User{samples.Ann}, e.User) }, fault.ProblemNotFound),
	}, loadPart[[]wire.User](snapshot.Watchers, func(e *wire.Encoder, a tracker.Answer[snapshot.Snapshot]) {
		wire.List(e, tracker.Watchers(a.Value, a.Catalogue), e.User)
	}))
}

// addWatcher is W8.
func (s *server) addWatcher(ctx context.Context, in *problemWriteInput) (*writtenOutput[wire.User], error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.AddWatcher{Write: write}
	sentUser, err := in.decodeValue()
	if err != nil {
		return nil, err
	}
	cmd.User = wire.PartialOf(sentUser)
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.AddWatcher(ctx, in.caller, id, cmd)
	return wrote[wire.User](a, err, (*wire.Encoder).User)
}
