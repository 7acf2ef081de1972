package httpapi

import (
	"context"
	"regexp"
	"strconv"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

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
func (c *call) shown(parts snapshot.Parts) (a tracker.Answer[snapshot.Snapshot], tag string, past bool, err error) {
	at, past, err := c.asOf()
	if err != nil {
		return a, "", past, err
	}
	id, err := c.problem()
	if err != nil {
		return a, "", past, err
	}
	if past {
		a, err = c.as().ProblemAsOf(c.r.Context(), id, parts, at)
	} else {
		a, err = c.as().Problem(c.r.Context(), id, parts)
	}
	switch {
	case err != nil:
		return a, "", past, err
	case past:
		return a, etag.Past(a.Value, a.Catalogue, a.Current), past, nil
	}
	return a, etag.Problem(a.Value, a.Catalogue), past, nil
}

// partInput is a request for a part of a problem.
type partInput struct {
	Request
	OfProblem
	Past
	Cached
}

// loadPart returns the handler of R3 or R4: it answers with a part of a problem.
func loadPart[W any](parts snapshot.Parts, encode func(*wire.Encoder, tracker.Answer[snapshot.Snapshot])) func(context.Context, *partInput) (*partOutput[W], error) {
	return func(_ context.Context, in *partInput) (*partOutput[W], error) {
		a, tag, past, err := in.shown(parts)
		if err != nil {
			return nil, err
		}
		out := &partOutput[W]{Tagged: Tagged{tag}, Revised: revised(a.Revision)}
		out.Status, out.Body = unlessKnown(in.call, tag, func() wire.JSON[W] {
			return compose[W](in.call, wire.Encoder{Catalogue: a.Catalogue, Past: past}, isLarge(a.Value), func(e *wire.Encoder) error {
				encode(e, a)
				return nil
			})
		})
		return out, nil
	}
}

// isLarge reports whether an answer with the problem is sent in parts. The size of a past
// problem is known only from the loaded parts.
func isLarge(s snapshot.Snapshot) bool {
	return s.Size > snapshot.Small || problem.Size(s.Fields, s.Keywords, s.Comments, s.Attachments, s.Log) > snapshot.Small
}
