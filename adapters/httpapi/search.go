package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

const tagSearch = "Search"

// searchable is a kind of metadata, or the users, as it is searched.
type searchable struct {
	kind    predicate.Entity
	plural  string // the path, and in the name of the operation
	of      any    // the type of a list of them
	encode  func(*wire.Encoder, ident.ID)
	example string   // a predicate
	found   ident.ID // the sample found by it
}

var searchables = []searchable{
	{predicate.User, "users", []wire.User{}, (*wire.Encoder).UserByID, `name BEGINSWITH 'A' AND inactive = NO`, samples.Ann.ID},
	{predicate.Component, "components", []wire.Component{}, (*wire.Encoder).Component, `fullName BEGINSWITH 'Server/' AND closed = NO`, samples.Identifier(8)},
	{predicate.Milestone, "milestones", []wire.Milestone{}, (*wire.Encoder).Milestone, `component.name =[c] 'server'`, samples.Identifier(9)},
	{predicate.Priority, "priorities", []wire.Priority{}, (*wire.Encoder).Priority, `order <= 2`, samples.Identifier(5)},
	{predicate.Classification, "classifications", []wire.Classification{}, (*wire.Encoder).Classification, `name CONTAINS[c] 'behavior'`, samples.Identifier(6)},
	{predicate.State, "states", []wire.State{}, (*wire.Encoder).State, `initial = YES`, samples.Open.ID},
}

// shown are the document's parameters for this kind alone.
func (s searchable) shown() map[string]string {
	return map[string]string{paramPredicate: s.plural + "-" + paramPredicate, paramSort: s.plural + "-" + paramSort}
}

// isSearched reports whether the list at the path has a search.
func isSearched(path string) bool {
	return path == "/problems" || slices.ContainsFunc(searchables, func(s searchable) bool { return "/"+s.plural == path })
}

const (
	searchDescription = "The predicate is an NSPredicate format string: keys, comparisons, string operators, ANY, SUBQUERY, date functions. " +
		"Nil equals only nil, != is the opposite of =, and every other comparison with nil is false. " +
		"Without a limit the whole result is sent, of up to 10,000 objects. With one, the header Link leads to the next page. " +
		"An object that gets another place in the order between two pages can be missing, or be there twice: with -modificationDate, what somebody changes meanwhile is missing. " +
		"To see each object once, page in an order that never changes: without sort, by identifier or by creationDate. To follow changes, read GET /events."
	postDescription = searchDescription + " The members of the body are the parameters of the GET. " +
		"To go on, send the same body with the member cursor, taken from the link. GET on the link works too, unless the predicate is too long for a URL."
)

func searchEndpoints() []endpoint {
	problems := []result{{status: 200, description: "The problems, each as when it is loaded, without its log unless includeDetail is true.", of: []wire.FoundProblem{},
		example: func(e *wire.Encoder) { e.Open('['); e.FoundProblem(samples.Snapshot(), false); e.Close(']') },
		headers: []string{"Link"}}}
	all := searchPair("Problems", "/problems", problemSearchNames,
		`{"predicate":"state.resolved = NO AND assignee.identifier = $ApiUser","sort":"-modificationDate","limit":50}`, wire.ProblemSearch{}, problems, (*call).searchProblems)
	for i := range all {
		all[i].faults = append(all[i].faults, fault.NotFound) // the saved query
	}
	all = append(all, endpoint{
		id: "listProblems", method: http.MethodGet, path: "/problems", tag: tagSearch,
		summary:     "List problems",
		description: "The search that all problems satisfy: 100 at a time unless there is a limit. The header Link leads to the next page.",
		scope:       access.Read,
		query:       problemListNames,
		shown:       map[string]string{paramLimit: paramPageLimit},
		asked:       []string{paramLimit},
		answers:     problems,
		faults:      []fault.Kind{fault.InvalidPredicate, fault.QueryTooExpensive},
		do:          (*call).listProblems,
	})
	for _, s := range searchables {
		answers := []result{{status: 200, description: "The objects that were found.", of: s.of, headers: []string{"Link"},
			example: func(e *wire.Encoder) { e.Open('['); s.encode(e, s.found); e.Close(']') }}}
		name := string(s.plural[0]-'a'+'A') + s.plural[1:]
		pair := searchPair(name, "/"+s.plural, objectSearchNames, `{"predicate":"`+s.example+`"}`, wire.ObjectSearch{}, answers, s.search)
		pair[0].shown = s.shown()
		all = append(all, pair...)
	}
	return all
}

// searchPair returns the two ways of one search: by GET and by POST.
func searchPair(name, path string, query []string, example string, of any, answers []result, do func(*call) (answer, error)) []endpoint {
	get := endpoint{
		id: "search" + name, method: http.MethodGet, path: path + "/search", tag: tagSearch,
		summary:     "Search " + path[1:],
		description: searchDescription,
		scope:       access.Read,
		query:       query,
		asked:       []string{paramPredicate},
		answers:     answers,
		faults:      []fault.Kind{fault.InvalidPredicate, fault.TooManyResults, fault.QueryTooExpensive},
		do:          do,
	}
	post := get
	post.id, post.method, post.reads = get.id+"ByPost", http.MethodPost, true
	post.summary += " with a body"
	post.description = postDescription
	post.query = nil
	post.bodies = jsonBody(example, of)
	post.faults = append(slices.Clone(get.faults), fault.UnknownField, fault.ValidationFailed)
	return []endpoint{get, post}
}

// searchProblems is the search for problems (D31).
func (c *call) searchProblems() (answer, error) {
	in, search, err := c.readSearch(problemSearchNames)
	if err != nil {
		return answer{}, err
	}
	return c.findProblems(&in, search, c.Service.SearchProblems)
}

// listProblems is the search for all problems (D32).
func (c *call) listProblems() (answer, error) {
	in, search, err := c.readSearch(problemListNames)
	if err != nil {
		return answer{}, err
	}
	return c.findProblems(&in, search, c.Service.ListProblems)
}

func (c *call) findProblems(in *searchInput, search tracker.Search,
	find func(context.Context, tracker.Caller, tracker.SearchProblems) (tracker.FoundProblems, error),
) (answer, error) {
	parts := store.Keywords
	if in.detail.Value {
		parts |= store.Log
	}
	found, err := find(c.untilGone(), c.caller, tracker.SearchProblems{Search: search, Parts: parts})
	if err != nil {
		return answer{}, c.unlessGone(err)
	}
	header := http.Header{}
	if err := c.nextPage(header, in, found.Next); err != nil {
		return answer{}, err
	}
	body := c.compose(wire.Encoder{}, found.Rest != nil || slices.ContainsFunc(found.First.Value, isLarge), func(e *wire.Encoder) error {
		e.Open('[')
		if err := c.foundProblems(e, found.First, in.detail.Value); err != nil {
			return err
		}
		if found.Rest != nil {
			e.Flush()
			for batch, err := range loads(c, found.Rest) {
				if err != nil || e.Stopped {
					return err
				}
				if err := c.foundProblems(e, batch, in.detail.Value); err != nil {
					return err
				}
				e.Flush()
			}
		}
		e.Close(']')
		return nil
	})
	return answer{status: http.StatusOK, header: header, body: body}, nil
}

// foundProblems writes the hits of a search. Large problems come without their parts.
// Each is loaded in its present form just before it is written.
func (c *call) foundProblems(e *wire.Encoder, batch tracker.Answer[[]store.Snapshot], detail bool) error {
	for _, s := range batch.Value {
		e.Catalogue = batch.Catalogue
		if s.Size <= store.Small {
			e.FoundProblem(s, detail)
			e.Drain()
			continue
		}
		resume := c.pause()
		a, err := c.Service.LoadProblem(c.sending(), c.caller, s.ID, store.Keywords|store.Log)
		resume()
		if err != nil {
			return err
		}
		e.Catalogue = a.Catalogue
		switch {
		case !detail:
			e.FoundProblem(a.Value, false)
		case a.Value.Size > store.Small:
			err = e.LargeProblem(a.Value, loads(c, c.Service.Log(c.r.Context(), a.Value, 0, all)))
		default:
			e.Problem(a.Value)
		}
		if e.Drain(); err != nil || e.Stopped {
			return err
		}
	}
	return nil
}

// search is the search for metadata objects and users (D31).
func (s searchable) search(c *call) (answer, error) {
	in, search, err := c.readSearch(objectSearchNames)
	if err != nil {
		return answer{}, err
	}
	found, err := c.Service.SearchObjects(c.untilGone(), c.caller, s.kind, search)
	if err != nil {
		return answer{}, c.unlessGone(err)
	}
	header := http.Header{}
	if err := c.nextPage(header, &in, found.Next); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusOK, header: header, body: listInParts(c, found.Catalogue, found.IDs, s.encode)}, nil
}

var errGone = errors.New("the client has gone away")

// untilGone returns a context for the request. It also ends when the client goes away, to
// stop an abandoned search. For net/http, a client is gone when it closes its side of the
// connection. Clients that half-close and still wait do not search.
func (c *call) untilGone() context.Context {
	ctx, cancel := context.WithCancelCause(c.r.Context())
	connection := c.frame.Connection()
	context.AfterFunc(connection, func() { cancel(errGone) })
	if connection.Err() != nil {
		cancel(errGone) // and not in a moment
	}
	return ctx
}

// unlessGone returns the error of a search, and ends the request without an answer
// when the client is gone.
func (c *call) unlessGone(err error) error {
	if fault.Is(err, fault.Unavailable) && c.frame.Connection().Err() != nil {
		panic(http.ErrAbortHandler)
	}
	return err
}
