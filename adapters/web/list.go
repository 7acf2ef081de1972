package web

import (
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/cursor"
	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// rowsOnPage is how many problems a page of the list has.
const rowsOnPage = 50

// countTo is the greatest number of problems that a list counts. A search goes on to it, so
// a greater one would take its time.
const countTo = 500

// listPage is the list of problems.
type listPage struct {
	layout
	// Path is that of the list, or of its board, below the base path.
	Path     string
	Classics []queryLink
	// Team has the shared queries, and Saved the caller's own others.
	Team, Saved []queryLink
	// Heading is the name of the selected query.
	Heading string
	// Predicate is the text in the box, and Words the one in the field for titles and comments.
	Predicate, Words string
	// Chips are the conditions of the predicate, and Filters the form with more of them.
	Chips            []chip
	Filters          []filter
	Fault, SortFault *predicateFault
	Sort             string
	// Sorts are the orders to choose from where the list has no heads of columns.
	Sorts []sortChoice
	// Number and Name are the columns that are always there: the number and the title.
	Number, Name column
	// Count is the number of problems, as far as it is known: Counted is "all" of them,
	// "more" than that, or empty on a later page.
	Count   int
	Counted string
	// Empty is the key of the text for no problem, All the list of all problems, unless this is
	// it, and Wider the list without the last condition.
	Empty, All, Wider string
	Examples          []example
	Columns           []columnChoice
	Shown             []column
	Rows              []row
	// Live is the address of the changes to come, and Here that of this page.
	Live, Here string
	Next       string // the address of the next page; empty: none
	Previous   string // the address of the page before; empty: it is the first page, or unknown
	First      string // the address of the first page; empty: this is it
	// trail has the positions of the pages that lead here, this one last. The first page has
	// none.
	trail  []string
	preset []string // the columns of the selected query
	// Parameters are those of this page, without its place in the list, and with the columns of
	// the selected query.
	Parameters url.Values
	Keys       []keyHelp
	// To is the address of this page below the base path, and Bar the fields of the bar for
	// selected problems.
	To  string
	Bar []forms.Choice
	// Done is how many problems a change of many has just changed, and Undo the address that
	// undoes it; 0 and empty: none has.
	Done int
	Undo string
	// Selected is the identifier of a selected query that the caller may change; empty: none.
	Selected string
	// Shared is whether everybody has the selected query in the list.
	Shared bool
	Query  string // the parameter query
}

type queryLink struct {
	Name, To string
	Current  bool
	// Count is the number of its problems; empty: nobody has counted them.
	Count string
	// predicate is that of a query whose number is worth a search beside each list.
	predicate string
}

// example is a predicate to begin with.
type example struct{ Name, Predicate, To string }

// keyHelp is a key for predicates, with its type.
type keyHelp struct{ Name, Type string }

// examples are predicates that show the query language, by the keys of their texts.
var examples = []example{
	{Name: "words", Predicate: "title CONTAINS[cd] 'login'"},
	{Name: "nobody", Predicate: "state.resolved = NO AND assignee = nil"},
	{Name: "week", Predicate: "creationDate > " + aWeekAgo},
	{Name: "keyword", Predicate: "ANY keywords.name = 'customer'"},
	{Name: "old", Predicate: "state.resolved = NO AND modificationDate < FUNCTION(NOW(), 'dateByAddingDays:', -90)"},
}

// row is a problem in the list.
type row struct {
	ID     problem.ID
	Title  string
	Unread bool
	State  metadata.State
	priorityMark
	// Keywords are the first ones, and More is how many others there are.
	Keywords []keywordRow
	More     int
	// Elsewhere is true when a comment has the searched words, and the title has not.
	Elsewhere bool
	Cells     []cell // one for each shown column
}

// priorityMark is how urgent a priority is, from 1 to 4, and its name; 0 and empty: there is none.
type priorityMark struct {
	Urgency  int
	Priority string
}

// keywordsInRow is how many keywords a row of the list shows.
const keywordsInRow = 2

// cell is a text, or a time.
type cell struct {
	Column string
	Text   string
	Time   time.Time
	To     string // the list of the problems with the same value; empty: there is none
}

func showProblems(q *request) (answer, error) {
	asked := q.r.URL.Query()
	if found, ok, err := q.numbered(asked.Get("title")); ok || err != nil {
		return q.redirect("/problems/" + formatID(found.ID)), err
	}
	position, err := q.position()
	if err != nil {
		return answer{}, err
	}
	view, sort, err := q.narrowedPage(asked, "/problems")
	if err != nil {
		return answer{}, err
	}
	text, wrapped := withWords(view.Predicate, view.Words)
	view.trail = slices.DeleteFunc(asked["after"], func(position string) bool { return position == "" })
	cmd, err := view.search(q.base, text, sort)
	if err != nil {
		return answer{}, err
	}
	if _, err := check.CompileOrder(sort, predicate.Problem); sort != "" && err != nil {
		view.SortFault = locate(err, sort, false)
		view.SortFault.OfSort = true
		view.SortFault.correct(q.base, "sort", sort, view.Parameters)
		return answer{status: http.StatusBadRequest, name: "list", view: view}, nil
	}
	found, err := q.as().Search(q.context(), cmd)
	if refusedPredicate(err) {
		view.Fault = locate(err, view.Predicate, wrapped)
		view.Fault.correct(q.base, "predicate", view.Predicate, view.Parameters)
		return answer{status: http.StatusBadRequest, name: "list", view: view}, nil
	}
	if err != nil {
		return answer{}, err
	}
	view.Here = q.base + view.To
	view.Live = q.base + "/live?" + url.Values{"predicate": {cmd.Predicate.Value}, "after": {position}}.Encode()
	if err := view.fill(q.base, found); err != nil {
		return answer{}, err
	}
	q.remember(asked, view.Rows)
	return page("list", view), nil
}

// newListPage returns a list with its links to queries, of which one is chosen, and the order.
func (q *request) newListPage(asked url.Values, path string) (view listPage, c *metadata.Catalogue, sort string, err error) {
	saved, err := q.as().SavedQueries(q.context())
	if err != nil {
		return view, nil, "", err
	}
	view = listPage{
		layout: q.signedIn(q.say("list.title"), saved.Catalogue).in(sections[path]), Path: path,
		Words: strings.TrimSpace(asked.Get("title")), Sort: asked.Get("sort"), Query: asked.Get("query"),
	}
	sort, err = view.choose(q, asked, saved.Value)
	return view, saved.Catalogue, sort, err
}

// narrowedPage returns what a list of problems and its board have in common, and the order.
func (q *request) narrowedPage(asked url.Values, path string) (view listPage, sort string, err error) {
	view, c, sort, err := q.newListPage(asked, path)
	if err != nil {
		return view, "", err
	}
	view.Title = view.Heading
	view.changed(q, asked)
	view.To = path + links.Suffix(asked)
	view.Parameters = links.With(asked, "after", "")
	if len(asked["columns"]) == 0 && len(view.preset) > 0 {
		view.Parameters["columns"] = view.preset // so that they stay when the query is narrowed
	}
	view.arrange(q.base, q.columnsOr(view.Parameters["columns"]))
	view.narrow(q, c)
	view.Bar = barChoices(c)
	q.ownFirst(view.Bar)
	return view, sort, nil
}

// sections are the parts of the navigation of the two ways to show problems.
var sections = map[string]string{"/problems": "problems", boardPath: "board"}

// search returns the search for the page of the list.
func (v *listPage) search(base, text, sort string) (cmd tracker.SearchProblems, err error) {
	cmd.Search = searchFor(text, sort)
	cmd.Limit, cmd.Parts = patch.Set(int64(rowsOnPage)), snapshot.Keywords
	here := len(v.trail) - 1
	if here < 0 {
		cmd.CountTo = countTo
		return cmd, nil
	}
	if cmd.After, err = cursor.Read(v.trail[here]); err != nil {
		return cmd, fault.New(fault.MalformedRequest, "this is no address of a page of the list: begin again with its first page")
	}
	v.First = v.addressOf(base, nil)
	if here > 0 {
		v.Previous = v.addressOf(base, v.trail[:here])
	}
	return cmd, nil
}

// searchFor returns the search for a predicate in an order. An empty order is by identifier.
func searchFor(text, sort string) tracker.Search {
	s := tracker.Search{Predicate: patch.Set(text)}
	if sort != "" {
		s.Sort = patch.Set(sort)
	}
	return s
}

// mostTrail is the most bytes of a trail of several pages: proxies limit the length of a URL.
const mostTrail = 4000

// addressOf returns the address of the page at the end of a trail. It leaves out the beginning
// of a long trail.
func (v *listPage) addressOf(base string, trail []string) string {
	size := 0
	for _, position := range trail {
		size += len(position)
	}
	for ; size > mostTrail && len(trail) > 1; trail = trail[1:] {
		size -= len(trail[0])
	}
	to := maps.Clone(v.Parameters)
	if len(trail) > 0 {
		to["after"] = trail
	}
	return base + "/problems" + links.Suffix(to)
}

// fill adds the rows, and the link to the next page.
func (v *listPage) fill(base string, found tracker.FoundProblems) error {
	var f *links.Filters
	for s, err := range problemsOf(found) {
		if err != nil {
			return err
		}
		if f == nil || f.Catalogue != s.catalogue {
			f = links.NewFilters(base, s.catalogue)
			f.Narrow(links.With(v.Parameters, "query", "", "predicate", v.Predicate, "sort", v.Sort))
		}
		v.Rows = append(v.Rows, v.row(s.Snapshot, f))
	}
	switch {
	case v.First != "":
	case found.CountedAll:
		v.Count, v.Counted = found.Count, "all"
	default:
		v.Count, v.Counted = found.Count, "more"
	}
	if found.Next != nil {
		at, err := cursor.Write(*found.Next)
		if err != nil {
			return err
		}
		v.Next = v.addressOf(base, append(slices.Clip(v.trail), at))
	}
	return nil
}

// numbered returns the problem that a search names by its number, such as "#12". ok is false when
// it names none.
func (q *request) numbered(words string) (found snapshot.Snapshot, ok bool, _ error) {
	number, ok := strings.CutPrefix(strings.TrimSpace(words), "#")
	if !ok {
		return found, false, nil
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 {
		return found, false, nil
	}
	a, err := q.as().Problem(q.context(), problem.ID(n), 0)
	if fault.Is(err, fault.ProblemNotFound) {
		return found, false, nil
	}
	return a.Value, err == nil, err
}

// foundProblem is a problem of a search, with the catalogue of its moment.
type foundProblem struct {
	snapshot.Snapshot
	catalogue *metadata.Catalogue
}

// problemsOf returns all problems of a search, one after the other.
func problemsOf(found tracker.FoundProblems) iter.Seq2[foundProblem, error] {
	return func(yield func(foundProblem, error) bool) {
		for _, s := range found.First.Value {
			if !yield(foundProblem{s, found.First.Catalogue}, nil) {
				return
			}
		}
		if found.Rest == nil {
			return
		}
		for batch, err := range found.Rest {
			if err != nil {
				yield(foundProblem{}, err)
				return
			}
			for _, s := range batch.Value {
				if !yield(foundProblem{s, batch.Catalogue}, nil) {
					return
				}
			}
		}
	}
}

// linksTo returns links to all problems of a search.
func linksTo(found tracker.FoundProblems) (all []relatedLink, _ error) {
	for s, err := range problemsOf(found) {
		if err != nil {
			return nil, err
		}
		state, _ := s.catalogue.State(s.State)
		all = append(all, relatedLink{s.ID, s.Title, state})
	}
	return all, nil
}

// choose selects the query: by a predicate in the address, a saved query, or a classic one.
// It returns the order.
func (v *listPage) choose(q *request, asked url.Values, saved []query.Saved) (sort string, err error) {
	link := func(id, name, counted string) queryLink {
		current := id == v.Query && !asked.Has("predicate")
		if current {
			v.Heading = name
		}
		return queryLink{Name: name, To: q.base + v.Path + "?" + url.Values{"query": {id}}.Encode(), Current: current, predicate: counted}
	}
	if v.Query == "" && !asked.Has("predicate") {
		v.Query = usualOf[v.Path]
	}
	for _, c := range classics {
		counted := ""
		if c.Counted {
			counted = c.Predicate
		}
		v.Classics = append(v.Classics, link(c.Name, q.say("query."+c.Name), counted))
	}
	for _, s := range saved {
		to := &v.Saved
		if s.Shared {
			to = &v.Team
		}
		*to = append(*to, link(s.ID.String(), s.Name, s.Predicate))
	}
	for _, key := range predicate.Keys(predicate.Problem) {
		v.Keys = append(v.Keys, keyHelp{key.Name, typeName(key.Type)})
	}
	for _, e := range examples {
		v.Examples = append(v.Examples, example{e.Name, e.Predicate, links.List(q.base, e.Predicate)})
	}
	v.Empty, v.All = "list.empty", q.base+v.Path+"?query=all"
	switch c, isClassic := classicNamed(v.Query); {
	case asked.Has("predicate"):
		v.Predicate, v.Heading = asked.Get("predicate"), q.say("list.own-predicate")
	case isClassic:
		v.Predicate, sort = c.Predicate, c.Sort
		if v.Words == "" {
			v.Empty = "empty." + c.Name
		}
		if c.Name == "all" {
			v.All = ""
		}
	default:
		id, err := ident.Parse(v.Query)
		if err != nil {
			return "", fault.New(fault.NotFound, "there is no such query")
		}
		shared, err := q.as().SavedQuery(q.context(), id)
		if err != nil {
			return "", err
		}
		v.Predicate, sort, v.Heading, v.Shared = shared.Value.Predicate, shared.Value.Sort, shared.Value.Name, shared.Value.Shared
		if q.mayChange(shared.Value) {
			v.Selected = v.Query
		}
		v.preset = shownColumns(shared.Value.Columns)
	}
	if v.Sort != "" {
		sort = v.Sort
	}
	v.Sort = sort
	return sort, nil
}

// typeName returns the type of a key for authors of predicates.
func typeName(t predicate.Type) string {
	name := string(t.Kind)
	if t.Entity != "" {
		name = string(t.Entity)
	}
	if t.Many {
		name += "*"
	}
	return name
}

// row returns a problem as it is in the list.
func (v *listPage) row(s snapshot.Snapshot, f *links.Filters) row {
	state, _ := f.Catalogue.State(s.State)
	r := row{ID: s.ID, Title: s.Title, Unread: !s.Read, State: state, priorityMark: markOf(s.Priority, f.Catalogue)}
	shown := min(len(s.Keywords), keywordsInRow)
	r.More = len(s.Keywords) - shown
	for _, k := range s.Keywords[:shown] {
		r.Keywords = append(r.Keywords, keywordRow{Name: k.Name, Text: keywordText(k), To: f.Keyword(problem.Keyword{Name: k.Name})})
	}
	r.Elsewhere = v.Words != "" && !hasWords(s.Title, v.Words)
	for _, shown := range v.Shown {
		r.Cells = append(r.Cells, cellOf(shown.Name, s, f))
	}
	return r
}

// markOf returns the mark of a priority. The first quarter of all priorities has 4, and the last one 1.
func markOf(id ident.ID, c *metadata.Catalogue) priorityMark {
	all := c.Content().Priorities
	i := slices.IndexFunc(all, func(p metadata.Priority) bool { return p.ID == id })
	if i < 0 {
		return priorityMark{}
	}
	return priorityMark{4 - 4*i/len(all), all[i].Name}
}

// hasWords reports whether a text has the words of a search.
func hasWords(text, words string) bool {
	return strings.Contains(predicate.Fold(text, predicate.Both), predicate.Fold(words, predicate.Both))
}

// cellOf returns the value of a column.
func cellOf(name string, s snapshot.Snapshot, f *links.Filters) cell {
	switch name {
	case "created":
		return cell{Column: name, Time: s.Created}
	case "modified":
		return cell{Column: name, Time: s.Modified}
	}
	return problem.Value(problem.FieldNamed(name), &s.Problem, cellsOf{f})
}

// cellsOf returns the values of fields as the list shows them.
type cellsOf struct{ *links.Filters }

// Text implements problem.Kinds, as do the methods below.
func (cellsOf) Text(f *problem.Field, text *string) cell { return cell{Column: f.Name, Text: *text} }

// Reference returns the name of the object, and the list of all problems that have it.
func (c cellsOf) Reference(f *problem.Field, id *ident.ID) cell {
	return cell{Column: f.Name, Text: c.Name(f.To, *id), To: c.Of(f.Name, *id)}
}

// Date returns the date.
func (cellsOf) Date(f *problem.Field, d *date.Date) cell {
	return cell{Column: f.Name, Text: d.String()}
}

// Time returns the time.
func (cellsOf) Time(f *problem.Field, at *time.Time) cell { return cell{Column: f.Name, Time: *at} }

// withWords adds a condition on titles and comments to a predicate. The predicate is on lines of its
// own, so its columns stay. A wrong predicate stays alone, and the search refuses it: with
// a parenthesis more, it might be right here, and mean something else.
func withWords(text, words string) (_ string, added bool) {
	if words == "" {
		return text, false
	}
	if _, err := check.Compile(text, predicate.Problem, predicate.Env{}); err != nil {
		return text, false
	}
	return "(\n" + text + "\n) AND " + wordsCondition(words), true
}

// wordsCondition returns the condition for problems with the words in a title or a comment.
func wordsCondition(words string) string {
	words = predicate.Quote(words)
	return "(title CONTAINS[cd] " + words + " OR ANY comments.text CONTAINS[cd] " + words + ")"
}
