package httpapi

import (
	"context"
	"encoding/base64"
	"iter"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// window is the requested part of a list. The list only grows, so an element's offset
// never changes.
type window struct {
	list        string // the name of the list, a part of its cursors
	skip, limit int
}

// usualLimit is how many elements a page of a list has when the request does not say.
const usualLimit = 100

// noLimit is the limit of a list without pages.
const noLimit = math.MaxInt32

// window reads the parameters limit and cursor. usual is the limit without the former.
func (c *call) window(list string, usual int) (w window, err error) {
	w.list = list
	if w.limit, err = c.whole(paramLimit, usual, 1, tracker.MostOnPage); err != nil {
		return w, err
	}
	if !c.query.Has(paramCursor) {
		return w, nil
	}
	cursor := c.query.Get(paramCursor)
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if count, ok := strings.CutPrefix(string(text), list+" "); err == nil && ok {
		if w.skip, err = strconv.Atoi(count); err == nil && w.skip >= 0 && w.skip <= noLimit && w.cursor(w.skip) == cursor {
			return w, nil
		}
	}
	return w, fault.New(fault.MalformedRequest, "%s has to be one from the header Link of an answer", paramCursor)
}

func (w window) cursor(skip int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(w.list + " " + strconv.Itoa(skip)))
}

// next returns the link to the next window: the path of this request with all its
// parameters, and another cursor.
func (w window) next(c *call) Linked {
	return c.linked(paramCursor, w.cursor(w.skip+w.limit))
}

// linked returns the link to the next page: the path of this request with all its
// parameters, and another position.
func (c *call) linked(param, position string) Linked {
	values := url.Values{}
	for name := range c.query {
		values.Set(name, c.query.Get(name))
	}
	values.Set(param, position)
	return c.link(values.Encode())
}

// link returns the link to the next page, at the path of this request.
func (c *call) link(query string) Linked {
	return Linked{"<" + c.r.URL.EscapedPath() + "?" + query + `>; rel="next"`}
}

// cut returns the elements of the window, and whether there are more.
func cut[T any](w window, elements []T) (within []T, more bool) {
	from := min(w.skip, len(elements))
	to := from + min(w.limit, len(elements)-from)
	return elements[from:to], to < len(elements)
}

// windowInput is a request for a part of a problem, or for a window of it.
type windowInput struct {
	Request
	OfProblem
	Past
	Windowed
	Cached
}

// chosen returns the members of a problem to answer; nil for all.
func (c *call) chosen() (wire.Selection, error) {
	if !c.query.Has(paramFields) {
		return nil, nil
	}
	return chosen(patch.Set(c.query.Get(paramFields)))
}

// growing is a large, append-only part of a problem: its log or its comments (D38).
type growing[T any] struct {
	name  string
	parts snapshot.Parts
	// loaded returns the part from a problem loaded with it. stored reads it from the
	// store, for a problem too large for that.
	loaded func(snapshot.Snapshot) []T
	stored func(tracker.Reader, context.Context, snapshot.Snapshot, int, int) iter.Seq2[[]T, error]
	encode func(*wire.Encoder, snapshot.Snapshot, iter.Seq2[[]T, error]) error
}

// loadGrowing returns what handles R1 or R2: it answers with everything, or with a window
// of it.
func loadGrowing[W, T any](g growing[T]) func(context.Context, *call) (*windowOutput[W], error) {
	return func(ctx context.Context, c *call) (*windowOutput[W], error) {
		w, err := c.window(g.name, noLimit)
		if err != nil {
			return nil, err
		}
		only, err := c.chosen()
		if err != nil {
			return nil, err
		}
		parts := g.parts
		without := !only.Has(g.name + "s")
		if without {
			parts &^= snapshot.Log
		}
		a, tag, past, err := c.shown(parts)
		if err != nil {
			return nil, err
		}
		if only != nil {
			shown := c.query.Get(paramFields)
			if only.Has("claim") {
				shown += claimTag(a.Value, c.tokenName)
			}
			tag = etag.Chosen(tag, shown)
		}
		loaded := a.Value
		var elements iter.Seq2[[]T, error]
		more := false
		if without {
			elements = wire.Once[T](nil)
		} else if loaded.Size > snapshot.Small {
			elements = loads(c, g.stored(c.as(), ctx, loaded, w.skip, w.limit))
			if w.limit < noLimit {
				for _, err := range g.stored(c.as(), ctx, loaded, w.skip+w.limit, 1) {
					if err != nil {
						return nil, err
					}
					more = true
				}
			}
		} else {
			var within []T
			within, more = cut(w, g.loaded(loaded))
			elements = wire.Once(within)
		}
		out := &windowOutput[W]{Tagged: Tagged{tag}, Revised: revised(a.Revision)}
		if more {
			out.Linked = w.next(c)
		}
		out.Status, out.Body = unlessKnown(c, tag, func() wire.JSON[W] {
			return compose[W](c, wire.Encoder{Catalogue: a.Catalogue, Past: past, Only: only}, isLarge(loaded), func(e *wire.Encoder) error {
				return g.encode(e, loaded, elements)
			})
		})
		return out, nil
	}
}
