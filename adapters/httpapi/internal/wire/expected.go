package wire

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/text"
)

// expectInto reads a read-only member (D11). An impossible value is no fault of its own:
// it differs from the current one.
func expectInto(into, value any) {
	switch into := into.(type) {
	case *expected.Value[string]:
		expect(into, value, asString)
	case *expected.Value[bool]:
		expect(into, value, asBool)
	case *expected.Value[int64]:
		expect(into, value, asInteger)
	case *expected.Value[problem.ID]:
		expect(into, value, asProblem)
	case *expected.Value[ident.ID]:
		expect(into, value, asIdentifier)
	case *expected.Value[time.Time]:
		expect(into, value, asInstant)
	case *expected.Value[metadata.Partial]:
		expect(into, value, asPartial)
	case *expected.Value[[]problem.Keyword]:
		expect(into, value, asKeywords)
	case *expected.Value[[]expected.Entry]:
		expect(into, value, asEntries)
	}
}

// expect sets the expected value of the member.
func expect[T any](field *expected.Value[T], value any, read func(any) (T, error)) {
	if value == nil {
		*field = expected.Null[T]()
	} else if v, err := read(value); err == nil {
		*field = expected.Of(v)
	} else {
		*field = expected.Other[T]()
	}
}

// errOther marks an impossible value of a member. No client sees it.
var errOther = errors.New("differs from every value of the member")

func asIdentifier(value any) (ident.ID, error) {
	s, err := asString(value)
	if err != nil {
		return ident.None, err
	}
	return ident.Parse(s)
}

// asShownIdentifier takes an identifier only in the form used in answers.
func asShownIdentifier(value any) (ident.ID, error) {
	id, err := asIdentifier(value)
	if err == nil && id.String() != value {
		err = errOther
	}
	return id, err
}

// asInstant reads a time as exactly as it was sent.
func asInstant(value any) (time.Time, error) {
	s, err := asString(value)
	if err != nil {
		return time.Time{}, err
	}
	return text.ParseTime(s)
}

// asKeywords reads the keywords of a problem, each with its name and its value.
func asKeywords(value any) ([]problem.Keyword, error) {
	array, ok := value.([]any)
	if !ok {
		return nil, errOther
	}
	keywords := make([]problem.Keyword, len(array))
	for i, element := range array {
		members, _ := element.(map[string]any)
		name, named := members["name"].(string)
		value, present := members["value"]
		s, isText := value.(string)
		if !named || !present || len(members) != 2 || value != nil && !isText {
			return nil, errOther
		}
		keywords[i] = problem.Keyword{Name: name, Value: problem.NullText{String: s, Valid: isText}}
	}
	return keywords, nil
}

// asEntries reads entries of a log, each with its identifier.
func asEntries(value any) ([]expected.Entry, error) {
	array, ok := value.([]any)
	if !ok {
		return nil, errOther
	}
	entries := make([]expected.Entry, len(array))
	for i, element := range array {
		members, _ := element.(map[string]any)
		var err error
		if entries[i], err = asEntry(members); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func asEntry(members map[string]any) (e expected.Entry, err error) {
	if e.ID, err = asShownIdentifier(members["identifier"]); err != nil {
		return e, err
	}
	for name, value := range members {
		switch name {
		case "identifier":
		case "type":
			expect(&e.Type, value, func(value any) (problem.LogType, error) {
				s, err := asString(value)
				return problem.LogType(s), err
			})
		case "creationDate":
			expect(&e.Created, value, asInstant)
		case "author":
			expect(&e.Author, value, asPartial)
		case "via":
			expect(&e.Via, value, func(value any) (ident.ID, error) {
				token, _ := value.(map[string]any)
				return asShownIdentifier(token["identifier"])
			})
		case "batchIdentifier":
			expect(&e.Batch, value, asShownIdentifier)
		case "isSignificant":
			expect(&e.Significant, value, asBool)
		case "field":
			expect(&e.Field, value, asString)
		case "from":
			expect(&e.From, value, asLogValue)
		case "to":
			expect(&e.To, value, asLogValue)
		default:
			return e, errOther
		}
	}
	return e, nil
}

func asLogValue(value any) (problem.LogValue, error) {
	b, err := json.Marshal(value)
	return problem.LogValue(b), err
}
