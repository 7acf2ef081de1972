package kit

import (
	"encoding/json"
	"time"

	"github.com/problemtracking/problems/domain/expected"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// SentBack returns the fields of which a client sent these members, decoded from JSON.
func SentBack(members Object) (f expected.Problem) {
	for name, value := range members {
		switch name {
		case "identifier":
			expectJSON(&f.Identifier, value, func(v any) (problem.ID, bool) { n, ok := integer(v); return problem.ID(n), ok })
		case "creationDate":
			expectJSON(&f.Created, value, instantOf)
		case "originator":
			expectJSON(&f.Originator, value, partialOf)
		case "modificationDate":
			expectJSON(&f.Modified, value, instantOf)
		case "modifier":
			expectJSON(&f.Modifier, value, partialOf)
		case "resolveDate":
			expectJSON(&f.Resolved, value, instantOf)
		case "resolver":
			expectJSON(&f.Resolver, value, partialOf)
		case "keywords":
			expectJSON(&f.Keywords, value, keywordsOf)
		case "watching":
			expectJSON(&f.Watching, value, is[bool])
		case "readByAssignee":
			expectJSON(&f.ReadByAssignee, value, is[bool])
		case "revision":
			expectJSON(&f.Revision, value, integer)
		case "logs":
			expectJSON(&f.Log, value, entriesOf)
		default:
			panic("no member of a problem: " + name)
		}
	}
	return f
}

// ObjectSentBack is the same for metadata objects.
func ObjectSentBack(members Object) (f expected.Object) {
	for name, value := range members {
		switch name {
		case "identifier":
			expectJSON(&f.Identifier, value, idOf)
		case "fullName":
			expectJSON(&f.FullName, value, is[string])
		case "creationDate":
			expectJSON(&f.Created, value, instantOf)
		default:
			panic("no member of a metadata object: " + name)
		}
	}
	return f
}

func expectJSON[T any](field *expected.Value[T], value any, read func(any) (T, bool)) {
	if value == nil {
		*field = expected.Null[T]()
	} else if v, ok := read(value); ok {
		*field = expected.Of(v)
	} else {
		*field = expected.Other[T]()
	}
}

func is[T any](value any) (T, bool) { v, ok := value.(T); return v, ok }

func partialOf(value any) (metadata.Partial, bool) { return AsPartial(value), true }

func integer(value any) (int64, bool) {
	text, _ := value.(json.Number)
	n, err := text.Int64()
	return n, err == nil
}

func instantOf(value any) (time.Time, bool) {
	s, _ := value.(string)
	at, err := time.Parse(time.RFC3339, s)
	return at, err == nil
}

func idOf(value any) (ident.ID, bool) {
	s, _ := value.(string)
	id, err := ident.Parse(s)
	return id, err == nil
}

func keywordsOf(value any) (keywords []problem.Keyword, ok bool) {
	elements, ok := value.([]any)
	for _, element := range elements {
		members, _ := element.(Object)
		name, named := members["name"].(string)
		text, isText := members["value"].(string)
		_, present := members["value"]
		ok = ok && named && present && len(members) == 2 && (isText || members["value"] == nil)
		keywords = append(keywords, problem.Keyword{Name: name, Value: problem.NullText{String: text, Valid: isText}})
	}
	return keywords, ok
}

func entriesOf(value any) (entries []expected.Entry, ok bool) {
	elements, ok := value.([]any)
	for _, element := range elements {
		members, _ := element.(Object)
		id, identified := idOf(members["identifier"])
		ok = ok && identified
		e := expected.Entry{ID: id}
		for name, value := range members {
			switch name {
			case "identifier":
			case "type":
				expectJSON(&e.Type, value, func(v any) (problem.LogType, bool) { s, ok := is[string](v); return problem.LogType(s), ok })
			case "creationDate":
				expectJSON(&e.Created, value, instantOf)
			case "author":
				expectJSON(&e.Author, value, partialOf)
			case "via":
				token, _ := value.(Object)
				expectJSON(&e.Via, value, func(any) (ident.ID, bool) { return idOf(token["identifier"]) })
			case "batchIdentifier":
				expectJSON(&e.Batch, value, idOf)
			case "isSignificant":
				expectJSON(&e.Significant, value, is[bool])
			case "field":
				expectJSON(&e.Field, value, is[string])
			case "from":
				expectJSON(&e.From, value, logValueOf)
			case "to":
				expectJSON(&e.To, value, logValueOf)
			default:
				ok = false
			}
		}
		entries = append(entries, e)
	}
	return entries, ok
}

func logValueOf(value any) (problem.LogValue, bool) {
	b, err := json.Marshal(value)
	return problem.LogValue(b), err == nil
}
