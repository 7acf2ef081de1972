package httpapi

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

const tagSearch = "Search"

// searchable is a kind of metadata, or the users, as it is searched.
type searchable struct {
	kind     predicate.Entity
	plural   string // the path, and in the name of the operation
	register func(*server, *searchable)
	encode   func(*wire.Encoder, ident.ID)
	example  string   // a predicate
	found    ident.ID // the sample found by it
}

var searchables = []searchable{
	{predicate.User, "users", registerObjects[wire.User], (*wire.Encoder).UserByID, `name BEGINSWITH 'A' AND inactive = NO`, samples.Ann.ID},
	{predicate.Component, "components", registerObjects[wire.Component], (*wire.Encoder).Component, `fullName BEGINSWITH 'Server/' AND closed = NO`, samples.Identifier(8)},
	{predicate.Milestone, "milestones", registerObjects[wire.Milestone], (*wire.Encoder).Milestone, `component.name =[c] 'server'`, samples.Identifier(9)},
	{predicate.Priority, "priorities", registerObjects[wire.Priority], (*wire.Encoder).Priority, `order <= 2`, samples.Identifier(5)},
	{predicate.Classification, "classifications", registerObjects[wire.Classification], (*wire.Encoder).Classification, `name CONTAINS[c] 'behavior'`, samples.Identifier(6)},
	{predicate.State, "states", registerObjects[wire.State], (*wire.Encoder).State, `initial = YES`, samples.Open.ID},
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

func (s *server) registerSearch() {
	get, post := searches("problems", about(exampleOfProblems, fault.NotFound). // the saved query
											json(`{"predicate":"state.resolved = NO AND assignee.identifier = $ApiUser","sort":"-modificationDate","limit":50}`, wire.ProblemSearch{}))
	get.Responses = responses{"200": {Description: foundProblems, Content: map[string]*huma.MediaType{
		mediaJSON: {Schema: wire.Schema(s.api.OpenAPI().Components.Schemas, reflect.TypeFor[[]wire.FoundProblem]())},
		mediaCSV: {
			Schema:  &huma.Schema{Type: huma.TypeString, Description: "A table with a line for each problem, below one with the names of the columns: those of fields, or usual ones."},
			Example: "identifier,title,state.name\n12,The login page answers slowly,In Progress\n",
		},
	}}}
	post.Responses = get.Responses
	register(s, get, func(ctx context.Context, in *problemSearchInput) (*pageOutput[[]wire.FoundProblem], error) {
		return s.searchProblems(ctx, &in.Request)
	})
	register(s, post, s.searchProblems)
	register(s, huma.Operation{
		OperationID: "listProblems", Method: http.MethodGet, Path: "/problems", Tags: []string{tagSearch},
		Summary:     "List problems",
		Description: "The search that all problems satisfy: 100 at a time unless there is a limit. The header Link leads to the next page.",
		Security:    needs(access.Read),
		Responses:   get.Responses,
		Metadata:    about(exampleOfProblems, fault.InvalidPredicate, fault.QueryTooExpensive).asked(paramLimit),
	}, s.listProblems)
	for i := range searchables {
		searchables[i].register(s, &searchables[i])
	}
}

// registerObjects registers the search for metadata objects or users. W is their record.
func registerObjects[W any](s *server, kind *searchable) {
	example := func(e *wire.Encoder) { e.Open('['); kind.encode(e, kind.found); e.Close(']') }
	get, post := searches(kind.plural, about(example).json(`{"predicate":"`+kind.example+`"}`, wire.ObjectSearch{}))
	detailsOf(&get).objects = kind
	get.Responses = responses{"200": {Description: "The objects that were found."}}
	post.Responses = get.Responses
	search := func(_ context.Context, in *Request) (*pageOutput[[]W], error) {
		input, search, err := in.readSearch(objectSearchNames...)
		if err != nil {
			return nil, err
		}
		found, err := in.as().Objects(in.untilGone(), kind.kind, search)
		if err != nil {
			return nil, in.unlessGone(err)
		}
		link, err := in.nextPage(&input, found.Next)
		return &pageOutput[[]W]{link, listOf[W](in.call, found.Catalogue, found.IDs, kind.encode)}, err
	}
	register(s, get, func(ctx context.Context, in *objectSearchInput) (*pageOutput[[]W], error) {
		return search(ctx, &in.Request)
	})
	register(s, post, search)
}

// searches returns the two ways of one search, by GET and by POST. Both are about the same;
// the bodies are for POST alone.
func searches(plural string, n notes) (get, post huma.Operation) {
	d := n.details()
	faults := append(d.faults, fault.InvalidPredicate, fault.TooManyResults, fault.QueryTooExpensive)
	d.faults = append(slices.Clone(faults), fault.UnknownField, fault.ValidationFailed)
	get = huma.Operation{
		OperationID: "search" + strings.ToUpper(plural[:1]) + plural[1:], Method: http.MethodGet, Path: "/" + plural + "/search", Tags: []string{tagSearch},
		Summary:     "Search " + plural,
		Description: searchDescription,
		Security:    needs(access.Read),
		Metadata:    about(d.example, faults...).asked(paramPredicate),
	}
	post = get
	post.OperationID, post.Method = get.OperationID+"ByPost", http.MethodPost
	post.Summary += " with a body"
	post.Description = postDescription
	post.Metadata = n.reads()
	return get, post
}

// foundProblems and exampleOfProblems describe a page of problems.
const foundProblems = "The problems, each as when it is loaded, without its log unless includeDetail is true."

func exampleOfProblems(e *wire.Encoder) {
	e.Open('[')
	e.FoundProblem(samples.Snapshot(), false)
	e.Close(']')
}

// problemSearchInput is a search for problems by GET.
type problemSearchInput struct {
	Request
	Selected
	Sorted
	Limited
	Following
	Detailed
	Chosen
}

// objectSearchInput is a search for metadata objects or users by GET.
type objectSearchInput struct {
	Request
	Predicate string `query:"predicate" required:"true" doc:"The condition in the [predicate language](docs/predicates), a part of NSPredicate."`
	Sorted
	Limited
	Following
}

type listInput struct {
	Request
	Sorted
	Paged
	Following
	Detailed
	Chosen
}

// searchProblems is the search for problems (D31).
func (s *server) searchProblems(_ context.Context, in *Request) (*pageOutput[[]wire.FoundProblem], error) {
	input, search, err := in.readSearch(problemSearchNames...)
	if err != nil {
		return nil, err
	}
	return in.findProblems(&input, search, in.as().Search)
}

// listProblems is the search for all problems (D32).
func (s *server) listProblems(_ context.Context, in *listInput) (*pageOutput[[]wire.FoundProblem], error) {
	input, search, err := in.readSearch()
	if err != nil {
		return nil, err
	}
	return in.findProblems(&input, search, in.as().List)
}

func (c *call) findProblems(in *searchInput, search tracker.Search,
	find func(context.Context, tracker.SearchProblems) (tracker.FoundProblems, error),
) (*pageOutput[[]wire.FoundProblem], error) {
	c.w.Header().Add("Vary", "Accept")
	table := c.prefers(mediaCSV)
	if table && !in.fields.Sent {
		in.fields = patch.Set(wire.UsualColumns)
	}
	only, err := in.chosen(table)
	if err != nil {
		return nil, err
	}
	detail := in.detail.Value && only.Has("logs")
	var parts snapshot.Parts
	if only.Has("keywords") {
		parts |= snapshot.Keywords
	}
	if detail {
		parts |= snapshot.Log
	}
	found, err := find(c.untilGone(), tracker.SearchProblems{Search: search, Parts: parts})
	if err != nil {
		return nil, c.unlessGone(err)
	}
	link, err := c.nextPage(in, found.Next)
	if err != nil {
		return nil, err
	}
	e := wire.Encoder{Only: only}
	if table {
		e.Table = wire.NewTable(in.fields.Value)
	}
	large := found.Rest != nil || slices.ContainsFunc(found.First.Value, isLarge)
	return &pageOutput[[]wire.FoundProblem]{link, compose[[]wire.FoundProblem](c, e, large, func(e *wire.Encoder) error {
		if table {
			e.Header()
		} else {
			e.Open('[')
		}
		if err := c.foundProblems(e, found.First, detail); err != nil {
			return err
		}
		if found.Rest != nil {
			e.Flush()
			for batch, err := range loads(c, found.Rest) {
				if err != nil || e.Stopped {
					return err
				}
				if err := c.foundProblems(e, batch, detail); err != nil {
					return err
				}
				e.Flush()
			}
		}
		if !table {
			e.Close(']')
		}
		return nil
	})}, nil
}

// foundProblems writes the hits of a search. Large problems come without their parts.
// Each is loaded in its present form just before it is written.
func (c *call) foundProblems(e *wire.Encoder, batch tracker.Answer[[]snapshot.Snapshot], detail bool) error {
	for _, s := range batch.Value {
		e.Catalogue = batch.Catalogue
		if s.Size <= snapshot.Small {
			e.FoundProblem(s, detail)
			e.Drain()
			continue
		}
		resume := c.pause()
		a, err := c.as().Problem(c.sending(), s.ID, snapshot.Keywords|snapshot.Log)
		resume()
		if err != nil {
			return err
		}
		e.Catalogue = a.Catalogue
		switch {
		case !detail:
			e.FoundProblem(a.Value, false)
		case a.Value.Size > snapshot.Small:
			err = e.LargeProblem(a.Value, loads(c, c.as().Log(c.r.Context(), a.Value, 0, noLimit)))
		default:
			e.Problem(a.Value)
		}
		if e.Drain(); err != nil || e.Stopped {
			return err
		}
	}
	return nil
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
