package httpapi

import (
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe/cursor"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
)

// The members of the body of a search, for problems and for all other kinds.
var (
	problemSearchNames = []string{paramPredicate, paramSavedQuery, paramSort, paramLimit, paramCursor, paramIncludeDetail, paramFields}
	objectSearchNames  = []string{paramPredicate, paramSort, paramLimit, paramCursor}
)

// searchInput is the request for a search. Absent fields stay out of the link to the next
// page.
type searchInput struct {
	predicate, saved, sort, cursor, fields patch.Field[string]
	limit                                  patch.Field[int64]
	detail                                 patch.Field[bool]
}

// readSearch reads a search from the query, or from the body of a POST with members of these
// names.
func (c *call) readSearch(names ...string) (in searchInput, search tracker.Search, err error) {
	if c.r.Method == http.MethodPost {
		return c.readSearchBody(names)
	}
	text := func(name string) patch.Field[string] {
		if !c.query.Has(name) {
			return patch.Field[string]{}
		}
		return patch.Set(c.query.Get(name))
	}
	in = searchInput{predicate: text(paramPredicate), saved: text(paramSavedQuery), sort: text(paramSort), cursor: text(paramCursor), fields: text(paramFields)}
	if c.query.Has(paramIncludeDetail) {
		detail, err := c.flag(paramIncludeDetail)
		if err != nil {
			return in, search, err
		}
		in.detail = patch.Set(detail)
	}
	if c.query.Has(paramLimit) {
		limit, err := c.whole(paramLimit, 0, 1, tracker.MostOnPage)
		if err != nil {
			return in, search, err
		}
		in.limit = patch.Set(int64(limit))
	}
	if search, err = in.search(nil); err != nil {
		return in, search, err
	}
	if faults := search.Check(); len(faults) > 0 { // all of them in the query here
		return in, search, fault.New(fault.MalformedRequest, "%s %s", faults[0].At, faults[0].Detail)
	}
	return in, search, nil
}

func (c *call) readSearchBody(names []string) (in searchInput, search tracker.Search, err error) {
	into := map[string]any{
		paramPredicate:     &in.predicate,
		paramSavedQuery:    &in.saved,
		paramSort:          &in.sort,
		paramLimit:         &in.limit,
		paramCursor:        &in.cursor,
		paramIncludeDetail: &in.detail,
		paramFields:        &in.fields,
	}
	var members []wire.Member
	for _, name := range names {
		members = append(members, wire.Member{Name: name, Into: into[name]})
	}
	var faults fault.List
	if err := c.decode(&faults, members...); err != nil {
		return in, search, err
	}
	search, err = in.search(faults)
	return in, search, err
}

// search returns the request to the service, with the faults of the input. The error is
// of a cursor, of kind fault.MalformedRequest.
func (in *searchInput) search(faults fault.List) (s tracker.Search, err error) {
	s.Predicate, s.Sort, s.Limit = in.predicate, in.sort, in.limit
	if in.saved.Sent && !in.saved.Null {
		if id := savedIdentifier(in.saved.Value); id.IsNone() {
			faults.Add(fault.InvalidValue, fault.At(paramSavedQuery), "has to be the identifier of a saved query, or a URL whose last path segment is one")
		} else {
			s.Saved = patch.Set(id)
		}
	}
	s.Faults = faults
	if in.cursor.Sent && !in.cursor.Null {
		s.After, err = cursor.Read(in.cursor.Value)
	}
	return s, err
}

// chosen returns the members to answer; nil for all. table: the answer is one, without logs (D56).
func (in *searchInput) chosen(table bool) (wire.Selection, error) {
	only, err := chosen(in.fields)
	if err == nil && table && (in.detail.Value || only.Has("logs")) {
		return nil, fault.New(fault.MalformedRequest, "a table has no logs: leave %s out, and logs in %s, or ask for application/json", paramIncludeDetail, paramFields)
	}
	if err == nil && only != nil && !in.detail.Value && only.Has("logs") {
		return nil, fault.New(fault.MalformedRequest, "%s has logs, which a search answers with %s=true alone", paramFields, paramIncludeDetail)
	}
	return only, err
}

// chosen reads the members to answer.
func chosen(text patch.Field[string]) (wire.Selection, error) {
	if !text.Sent || text.Null {
		return nil, nil
	}
	only, err := wire.ParseSelection(text.Value)
	if err != nil {
		return nil, fault.New(fault.MalformedRequest, "%s %v", paramFields, err)
	}
	return only, nil
}

// savedIdentifier returns the identifier in the text: the whole text, or its last segment
// as a URL. A slash, a query, a fragment or a title can follow. It returns None when
// there is none.
func savedIdentifier(text string) ident.ID {
	text = untitled(text)
	inPath := text
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		inPath = text[:i]
	}
	if unescaped, err := url.PathUnescape(inPath); err == nil {
		inPath = untitled(unescaped)
	}
	if id, err := ident.Parse(strings.ToLower(path.Base(inPath))); err == nil {
		return id
	}
	// Programs in a browser have a part or a query of their own for it.
	id, _ := ident.Parse(strings.ToLower(text[strings.LastIndexAny(text, "/#?=&")+1:]))
	return id
}

// untitled returns a URL without its optional title, such as " <Open, mine>".
func untitled(link string) string {
	link = strings.TrimSpace(link)
	if i := strings.IndexFunc(link, func(c rune) bool { return c == '<' || unicode.IsSpace(c) }); i >= 0 {
		return link[:i]
	}
	return link
}

// parameters returns the input as the query of a GET, without the cursor.
func (in *searchInput) parameters() url.Values {
	values := url.Values{}
	for name, field := range map[string]patch.Field[string]{paramPredicate: in.predicate, paramSavedQuery: in.saved, paramSort: in.sort, paramFields: in.fields} {
		if field.Sent && !field.Null {
			values.Set(name, field.Value)
		}
	}
	if in.limit.Sent && !in.limit.Null {
		values.Set(paramLimit, strconv.FormatInt(in.limit.Value, 10))
	}
	if in.detail.Sent && !in.detail.Null {
		values.Set(paramIncludeDetail, strconv.FormatBool(in.detail.Value))
	}
	return values
}

// longestLink is the longest query, in bytes, of a link. Beyond, it would be too long
// for some clients and servers between.
const longestLink = 8 << 10

// nextPage returns the link to the next page, if there is one: the path of this search, its
// parameters and the cursor. Where that would be too long, it lacks the predicate, and if
// need be the sort. A request for the link then gets an error that asks for them.
func (c *call) nextPage(in *searchInput, next *tracker.Position) (Linked, error) {
	if next == nil {
		return Linked{}, nil
	}
	at, err := cursor.Write(*next)
	if err != nil {
		return Linked{}, err
	}
	values := in.parameters()
	values.Set(paramCursor, at)
	query := values.Encode()
	for _, name := range []string{paramPredicate, paramSort} {
		if len(query) > longestLink {
			values.Del(name)
			query = values.Encode()
		}
	}
	return c.link(query), nil
}
