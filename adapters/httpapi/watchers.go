package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

func watcherEndpoints() []endpoint {
	const path = "/problems/{identifier}/watchers"
	example := func(e *wire.Encoder) { e.User(samples.Ann) }
	written := []string{"Problem-Revision", "Dry-Run"}
	return []endpoint{
		{
			id: "addWatcher", method: http.MethodPut, path: path, tag: "Watchers",
			summary:     "Add a watcher",
			description: "Any members that identify one user will do, such as the e-mail address. Removing a watcher has no endpoint, on purpose: watchers remove themselves in the client application.",
			scope:       access.Write,
			headers:     []string{"If-Match"},
			bodies:      jsonBody(`{"email":"ann@example.org"}`, wire.PartialUser{}),
			answers: []result{
				{status: 200, description: "The user, who watched the problem before.", of: wire.User{}, example: example, headers: written},
				{status: 201, description: "The user, who is a new watcher.", of: wire.User{}, example: example, headers: written},
			},
			faults: partialKinds(fault.ProblemNotFound, fault.StaleRevision),
			do:     (*call).addWatcher,
		},
		{
			id: "loadWatchers", method: http.MethodGet, path: path, tag: "Watchers",
			summary: "Load the watchers of a problem",
			scope:   access.Read,
			query:   []string{paramAsOf},
			headers: []string{"If-None-Match"},
			answers: loaded("The users, by name.", []wire.User{}, func(e *wire.Encoder) { wire.List(e, []user.User{samples.Ann}, e.User) }),
			faults:  []fault.Kind{fault.ProblemNotFound},
			do: load(store.Watchers, func(e *wire.Encoder, a tracker.Answer[store.Snapshot]) {
				wire.List(e, tracker.Watchers(a.Value, a.Catalogue), e.User)
			}),
		},
	}
}

// addWatcher is W8.
func (c *call) addWatcher() (answer, error) {
	write, err := c.writeInput()
	if err != nil {
		return answer{}, err
	}
	cmd := tracker.AddWatcher{Write: write}
	sentUser, err := c.decodeValue()
	if err != nil {
		return answer{}, err
	}
	cmd.User = wire.PartialOf(sentUser)
	id, err := c.problem()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.AddWatcher(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, func(a tracker.Answer[user.User]) answer {
		var e wire.Encoder
		e.User(a.Value)
		return answer{status: created(a.New), revision: a.Revision, body: e.Buf}
	})
}
