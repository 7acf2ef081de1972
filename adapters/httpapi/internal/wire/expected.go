package wire

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker"
)

// expectInto reads a read-only member (D11). An impossible value is no fault of its own:
// it differs from the current one.
func expectInto(into, value any) {
	switch into := into.(type) {
	case *tracker.Expected[string]:
		expect(into, value, asString)
	case *tracker.Expected[bool]:
		expect(into, value, asBool)
	case *tracker.Expected[int64]:
		expect(into, value, asInteger)
	case *tracker.Expected[problem.ID]:
		expect(into, value, asProblem)
	case *tracker.Expected[ident.ID]:
		expect(into, value, asIdentifier)
	case *tracker.Expected[time.Time]:
		expect(into, value, asInstant)
	case *tracker.Expected[metadata.Partial]:
		expect(into, value, asPartial)
	case *tracker.Expected[[]problem.Keyword]:
		expect(into, value, asKeywords)
	case *tracker.Expected[[]tracker.ExpectedEntry]:
		expect(into, value, asEntries)
	}
}

// expect sets the expected value of the member.
func expect[T any](field *tracker.Expected[T], value any, read func(any) (T, error)) {
	if value == nil {
		*field = tracker.ExpectNull[T]()
	} else if v, err := read(value); err == nil {
		*field = tracker.Expect(v)
	} else {
		*field = tracker.ExpectOther[T]()
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
func asEntries(value any) ([]tracker.ExpectedEntry, error) {
	array, ok := value.([]any)
	if !ok {
		return nil, errOther
	}
	entries := make([]tracker.ExpectedEntry, len(array))
	for i, element := range array {
		members, _ := element.(map[string]any)
		var err error
		if entries[i], err = asEntry(members); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func asEntry(members map[string]any) (e tracker.ExpectedEntry, err error) {
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
