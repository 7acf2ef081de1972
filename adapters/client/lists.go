package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Search selects problems (D31).
type Search struct {
	// Predicate is the condition, in the query language. SavedQuery is the identifier of a
	// saved query instead. Without both, all problems are selected.
	Predicate, SavedQuery string
	// And are further conditions, beside Predicate: all of them have to hold.
	And []string
	// Sort has keys, separated by commas; "-" before a key descends. Nil comes last. "": by
	// identifier, an order that never changes. In others, problems that move meanwhile can be
	// missing.
	Sort string
	// Fields are members of problems, such as "title" or "state.name". Empty: all.
	Fields []string
	// Limit is how many problems to yield at most. 0: all.
	Limit int
}

// pageSize is how many objects are asked for at a time.
const pageSize = 100

func (s Search) request() (Request, error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if s.Limit > 0 {
		query.Set("limit", strconv.Itoa(min(s.Limit, 1000)))
	}
	for name, value := range map[string]string{"savedQuery": s.SavedQuery, "sort": s.Sort, "fields": strings.Join(s.Fields, ",")} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if s.SavedQuery == "" {
		all := s.And
		if s.inBrackets() {
			if !balanced(s.Predicate) {
				return Request{}, fmt.Errorf("%w: the predicate %q has an unbalanced bracket or quotation mark", ErrInvalidRequest, s.Predicate)
			}
			all = append([]string{"(" + s.Predicate + ")"}, all...) // first: errors have places in it
		}
		query.Set("predicate", cmp.Or(strings.Join(all, " AND "), s.Predicate, "TRUEPREDICATE"))
	}
	return Request{Method: http.MethodGet, Path: []string{"problems", "search"}, Query: query}, nil
}

// inBrackets reports whether the request has the predicate in brackets, for the sake of And.
func (s Search) inBrackets() bool { return s.Predicate != "" && len(s.And) > 0 }

// balanced reports whether the round brackets and the strings of a predicate are closed.
func balanced(predicate string) bool {
	open, quote := 0, byte(0)
	for i := 0; i < len(predicate) && open >= 0; i++ {
		switch c := predicate[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			open++
		case c == ')':
			open--
		}
	}
	return open == 0 && quote == 0
}

// Search yields the selected problems, and reads page after page meanwhile.
func (c *Client) Search(ctx context.Context, s Search) iter.Seq2[Problem, error] {
	return Found[Problem](ctx, c, s)
}

// Found does the same with records of the caller, such as for some fields.
func Found[T any](ctx context.Context, c *Client, s Search) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		request, err := s.request()
		if err != nil {
			yield(none, err)
			return
		}
		n := 0
		for found, err := range All[T](ctx, c, request) {
			n++
			if refused, ok := errors.AsType[*Error](err); ok && s.inBrackets() && refused.Line == 1 {
				refused.Column-- // the bracket before it
			}
			if !yield(found, err) || n == s.Limit {
				return
			}
		}
	}
}

// All yields the elements of a list, and reads page after page meanwhile. An error ends it.
func All[T any](ctx context.Context, c *Client, r Request, options ...Option) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, o := range options {
			o(&r)
		}
		for more := true; more; {
			var page []T
			header, err := c.Do(ctx, r, &page)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, element := range page {
				if !yield(element, nil) {
					return
				}
			}
			r.Query, more = next(header)
		}
	}
}

// next returns the parameters of the next page, from the header Link. Its path may differ
// from the path of this client, behind a proxy.
func next(header http.Header) (url.Values, bool) {
	for _, link := range header.Values("Link") {
		target, rest, found := strings.Cut(strings.TrimPrefix(link, "<"), ">")
		if !found || !strings.Contains(rest, `rel="next"`) {
			continue
		}
		if u, err := url.Parse(target); err == nil {
			return u.Query(), true
		}
	}
	return nil, false
}

// List returns a list without pages, such as "priorities" as []Priority (D30).
func List[T any](ctx context.Context, c *Client, path ...string) (all []T, err error) {
	_, err = c.Do(ctx, Request{Method: http.MethodGet, Path: path}, &all)
	return all, err
}
