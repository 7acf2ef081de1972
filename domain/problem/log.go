package problem

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// LogType is the type of the event in a log entry (D8).
type LogType string

// The types of log entries.
const (
	ProblemCreated      LogType = "ProblemCreated"
	FieldChanged        LogType = "FieldChanged"
	CommentAdded        LogType = "CommentAdded"
	CommentEdited       LogType = "CommentEdited"
	CommentDeleted      LogType = "CommentDeleted"
	KeywordSet          LogType = "KeywordSet"
	KeywordDeleted      LogType = "KeywordDeleted"
	RelationshipAdded   LogType = "RelationshipAdded"
	RelationshipDeleted LogType = "RelationshipDeleted"
	AttachmentAdded     LogType = "AttachmentAdded"
	AttachmentDeleted   LogType = "AttachmentDeleted"
	WatcherAdded        LogType = "WatcherAdded"
	WatcherRemoved      LogType = "WatcherRemoved"
	ClaimTaken          LogType = "ClaimTaken"
	ClaimEnded          LogType = "ClaimEnded"
	Redacted            LogType = "Redacted"
)

// Significant reports whether entries of this type make a problem unread for all users
// but their author. Entries about watchers and claims do not, and neither do corrections
// of comments and redactions (D8).
func (t LogType) Significant() bool {
	return t.Modifies() && t != CommentEdited && t != CommentDeleted && t != Redacted
}

// Modifies reports whether entries of this type set the modifier of a problem, and the time
// of its modification. Only entries about watchers and claims do not (D1).
func (t LogType) Modifies() bool {
	return t != WatcherAdded && t != WatcherRemoved && t != ClaimTaken && t != ClaimEnded
}

// LogEntry is one line of a problem's history log (D8). The log is append-only, and only a
// [Redaction] changes texts in it. All entries of one request have the same Batch.
type LogEntry struct {
	ID      ident.ID
	Problem ID
	Type    LogType
	Created time.Time
	Author  ident.ID
	// Via is the token of the author. None: the change came from a session, by e-mail or from
	// the command line of the service.
	Via   ident.ID
	Batch ident.ID
	Field string // the changed field; empty for ProblemCreated
	From  LogValue
	To    LogValue
	// Revision is the problem's revision after the entry's batch.
	Revision int64
}

// LogValue is one side of a change, as compact JSON text: a string,
// {"identifier","name"}, null and so on, by the table of D8. In the audit log it can
// also be true, a number or an array of such values. The domain writes it, and
// stores and servers never change it: names stay as they were at that moment. The empty
// LogValue is null.
type LogValue string

// LogText returns the value for a string.
func LogText(s string) LogValue { return logJSON(s) }

// LogNoValue is the value for a keyword without a value. A missing keyword is different.
const LogNoValue LogValue = `{"value":null}`

// LogKeyword returns the value for a present keyword. A keyword without a value differs from
// no keyword (D8).
func LogKeyword(k Keyword) LogValue {
	if !k.Value.Valid {
		return LogNoValue
	}
	return LogText(k.Value.String)
}

// LogRef returns the value for a metadata object or user, or null for ident.None.
func LogRef(id ident.ID, name string) LogValue {
	if id.IsNone() {
		return ""
	}
	return logJSON(struct {
		Identifier string `json:"identifier"`
		Name       string `json:"name"`
	}{id.String(), name})
}

// LogFlag returns the value for true or false.
func LogFlag(b bool) LogValue { return logJSON(b) }

// LogNumber returns the value for an integer.
func LogNumber(n int) LogValue { return logJSON(n) }

// LogTime returns the value for a time in the form of D9, or null for the zero time.
func LogTime(t time.Time) LogValue {
	if t.IsZero() {
		return ""
	}
	return LogText(t.UTC().Format("2006-01-02T15:04:05.000Z"))
}

// LogArray returns the value for several values, in the given order.
func LogArray(values ...LogValue) LogValue {
	b := []byte{'['}
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v.JSON()...)
	}
	return LogValue(append(b, ']'))
}

// LogLink returns the value for the other problem of a relationship.
func LogLink(other ID) LogValue {
	return logJSON(struct {
		ProblemIdentifier ID `json:"problemIdentifier"`
	}{other})
}

// LogComment returns the value for a comment before an edit: its text with the time and the
// author of the edit before, or null. Editor is [LogRef] of that author.
func LogComment(c Comment, editor LogValue) LogValue {
	return LogObject(commentMembers(c, editor)...)
}

// LogDeletedComment returns the value for a comment before its deletion. Author is [LogRef]
// of its author.
func LogDeletedComment(c Comment, author, editor LogValue) LogValue {
	return LogObject(append(commentMembers(c, editor), LogMember{"author", author}, LogMember{"creationDate", LogTime(c.Created)})...)
}

// commentMembers has a null in writing where there is no value, as answers have.
func commentMembers(c Comment, editor LogValue) []LogMember {
	var html LogValue
	if c.HTML.Valid {
		html = LogText(c.HTML.String)
	}
	written := func(v LogValue) LogValue { return LogValue(v.JSON()) }
	return []LogMember{
		{"identifier", LogText(c.ID.String())}, {"text", LogText(c.Text)}, {"html", written(html)},
		{"editDate", written(LogTime(c.Edited))}, {"editor", written(editor)},
	}
}

// LogPlaces returns the value for the number of places of a redaction (D45).
func LogPlaces(n int) LogValue {
	return logJSON(struct {
		Places int `json:"places"`
	}{n})
}

// LogMember is one member of a [LogObject] value.
type LogMember struct {
	Name  string
	Value LogValue
}

// LogObject returns the value for several fields, in the given order. It leaves null
// members out.
func LogObject(members ...LogMember) LogValue {
	b := []byte{'{'}
	for _, m := range members {
		if m.Value == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, LogText(m.Name)...)
		b = append(b, ':')
		b = append(b, m.Value...)
	}
	return LogValue(append(b, '}'))
}

// JSON returns the value as JSON text.
func (v LogValue) JSON() string {
	if v == "" {
		return "null"
	}
	return string(v)
}

// logJSON encodes without escaping <, > and &: the log shows text as it is. The domain
// passes only encodable values.
func logJSON(v any) LogValue {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("problem: log value cannot be encoded: " + err.Error())
	}
	return LogValue(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
