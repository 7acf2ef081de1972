package httpapi

import (
	"regexp"
	"strconv"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// paramAsOf is the parameter of the query by which R1–R4 show the past (D36).
const paramAsOf = "asOf"

// wholeNumber is how JSON writes an integer.
var wholeNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

// asOf returns what the parameter asOf says; past is false without one. An integer
// that no revision can have is one that the problem does not have, and so no
// malformed request.
func (c *call) asOf() (at tracker.AsOf, past bool, err error) {
	if !c.query.Has(paramAsOf) {
		return at, false, nil
	}
	text := c.query.Get(paramAsOf)
	if wholeNumber.MatchString(text) {
		// Out of range, it is the nearest number within: no revision is that
		// one, either.
		at.Revision, _ = strconv.ParseInt(text, 10, 64)
		return at, true, nil
	}
	if at.Time, err = asTime(text); err != nil {
		return at, true, fault.New(fault.MalformedRequest,
			`asOf has to be a revision, such as 3, or a time like 2015-11-05T12:00:00.000Z (RFC 3339), in which a plus sign is written as %%2B`)
	}
	return at, true, nil
}

// load answers R1–R4: some parts of a problem, as they are or as they stood.
func load(parts store.Parts, encode func(*encoder, tracker.Answer[store.Snapshot])) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		at, past, err := c.asOf()
		if err != nil {
			return answer{}, err
		}
		id, err := c.problem()
		if err != nil {
			return answer{}, err
		}
		var a tracker.Answer[store.Snapshot]
		tag := problemTag
		if past {
			tag = pastTag
			a, err = c.Service.LoadProblemAsOf(c.r.Context(), c.caller, id, parts, at)
		} else {
			a, err = c.Service.LoadProblem(c.r.Context(), c.caller, id, parts)
		}
		if err != nil {
			return answer{}, err
		}
		return c.unlessKnown(tag(a.Value, a.Catalogue), a.Revision, func() []byte {
			e := encoder{buf: c.lend(), catalogue: a.Catalogue, past: past}
			encode(&e, a)
			return e.buf
		}), nil
	}
}
