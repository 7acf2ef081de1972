package httpapi

import (
	"regexp"
	"strconv"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// paramAsOf is the query parameter for R1–R4 as of a past revision or time (D36).
const paramAsOf = "asOf"

// wholeNumber is how JSON writes an integer.
var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// asOf returns the value of the parameter asOf; past is false without one. Any integer is
// well-formed: an impossible revision is simply one the problem lacks.
func (c *call) asOf() (at tracker.AsOf, past bool, err error) {
	if !c.query.Has(paramAsOf) {
		return at, false, nil
	}
	text := c.query.Get(paramAsOf)
	if wholeNumber.MatchString(text) {
		// Out of range, ParseInt returns the nearest int64. No problem has that revision
		// either.
		at.Revision, _ = strconv.ParseInt(text, 10, 64)
		return at, true, nil
	}
	if at.Time, err = wire.ParseTime(text); err != nil {
		return at, true, fault.New(fault.MalformedRequest,
			`asOf has to be a revision, such as 3, or a time like 2015-11-05T12:00:00.000Z (RFC 3339), in which a plus sign is written as %%2B`)
	}
	return at, true, nil
}

// shown loads a problem for R1–R4, as it is or as it stood, with its entity tag.
func (c *call) shown(parts store.Parts) (a tracker.Answer[store.Snapshot], tag string, past bool, err error) {
	at, past, err := c.asOf()
	if err != nil {
		return a, "", past, err
	}
	id, err := c.problem()
	if err != nil {
		return a, "", past, err
	}
	if past {
		a, err = c.Service.LoadProblemAsOf(c.r.Context(), c.caller, id, parts, at)
	} else {
		a, err = c.Service.LoadProblem(c.r.Context(), c.caller, id, parts)
	}
	switch {
	case err != nil:
		return a, "", past, err
	case past:
		return a, etag.Past(a.Value, a.Catalogue), past, nil
	}
	return a, etag.Problem(a.Value, a.Catalogue), past, nil
}

// load answers R3 and R4 with a part of a problem.
func load(parts store.Parts, encode func(*wire.Encoder, tracker.Answer[store.Snapshot])) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		a, tag, past, err := c.shown(parts)
		if err != nil {
			return answer{}, err
		}
		return c.unlessKnown(tag, a.Revision, func() []byte {
			return c.compose(wire.Encoder{Catalogue: a.Catalogue, Past: past}, isLarge(a.Value), func(e *wire.Encoder) error {
				encode(e, a)
				return nil
			})
		}), nil
	}
}

// isLarge reports whether an answer with the problem is sent in parts. The size of a past
// problem is known only from the loaded parts.
func isLarge(s store.Snapshot) bool {
	return s.Size > store.Small || problem.Size(s.Fields, s.Keywords, s.Comments, s.Log) > store.Small
}
