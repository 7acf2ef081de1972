package limits

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// answerOf is the answer to GET /problems/{identifier}, with its members in their order.
// V is the type of values in the log.
type answerOf[V any] struct {
	Identifier       int64            `json:"identifier"`
	Title            string           `json:"title"`
	State            stateAnswer      `json:"state"`
	Priority         *priorityAnswer  `json:"priority"`
	Classification   *nameAnswer      `json:"classification"`
	Component        *componentAnswer `json:"component"`
	Milestone        *milestoneAnswer `json:"milestone"`
	Assignee         *userAnswer      `json:"assignee"`
	Originator       userAnswer       `json:"originator"`
	Modifier         userAnswer       `json:"modifier"`
	ModificationDate momentAnswer     `json:"modificationDate"`
	Resolver         *userAnswer      `json:"resolver"`
	ResolveDate      *momentAnswer    `json:"resolveDate"`
	CreationDate     momentAnswer     `json:"creationDate"`
	Keywords         []keywordAnswer  `json:"keywords"`
	Watching         bool             `json:"watching"`
	Read             bool             `json:"read"`
	ReadByAssignee   bool             `json:"readByAssignee"`
	Revision         int64            `json:"revision"`
	Logs             []logAnswer[V]   `json:"logs"`
}

type stateAnswer struct {
	Identifier string       `json:"identifier"`
	Name       string       `json:"name"`
	Resolved   bool         `json:"resolved"`
	Initial    bool         `json:"initial"`
	Order      int          `json:"order"`
	NextStates []nameAnswer `json:"nextStates"`
}

type priorityAnswer struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	Order      int    `json:"order"`
}

type nameAnswer struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
}

type componentAnswer struct {
	Identifier string          `json:"identifier"`
	Name       string          `json:"name"`
	FullName   string          `json:"fullName"`
	Closed     bool            `json:"closed"`
	Successor  *fullNameAnswer `json:"successor"`
	Parent     *fullNameAnswer `json:"parent"`
}

type fullNameAnswer struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	FullName   string `json:"fullName"`
}

type milestoneAnswer struct {
	Identifier   string          `json:"identifier"`
	Name         string          `json:"name"`
	Component    *fullNameAnswer `json:"component"`
	CreationDate momentAnswer    `json:"creationDate"`
	StartDate    *momentAnswer   `json:"startDate"`
	EndDate      *momentAnswer   `json:"endDate"`
}

type userAnswer struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	Email      string `json:"email"`
	Inactive   bool   `json:"inactive"`
}

type keywordAnswer struct {
	Name  string  `json:"name"`
	Value *string `json:"value"`
}

type logAnswer[V any] struct {
	Identifier      string       `json:"identifier"`
	Type            string       `json:"type"`
	CreationDate    momentAnswer `json:"creationDate"`
	Author          nameAnswer   `json:"author"`
	BatchIdentifier string       `json:"batchIdentifier"`
	IsSignificant   bool         `json:"isSignificant"`
	Field           *string      `json:"field"`
	From            V            `json:"from"`
	To              V            `json:"to"`
}

// createdAnswer shows the fields of a new problem in the log, without null ones.
type createdAnswer struct {
	Title          string      `json:"title"`
	State          *nameAnswer `json:"state,omitempty"`
	Priority       *nameAnswer `json:"priority,omitempty"`
	Classification *nameAnswer `json:"classification,omitempty"`
	Component      *nameAnswer `json:"component,omitempty"`
	Milestone      *nameAnswer `json:"milestone,omitempty"`
	Assignee       *nameAnswer `json:"assignee,omitempty"`
}

// linkAnswer shows the other problem of a relationship in the log.
type linkAnswer struct {
	ProblemIdentifier int64 `json:"problemIdentifier"`
}

// noValueAnswer shows a keyword without a value in the log.
type noValueAnswer struct {
	Value *string `json:"value"`
}

// momentAnswer is a time with exactly three decimals (D9).
type momentAnswer time.Time

const momentLayout = `"2006-01-02T15:04:05.000Z"`

// MarshalJSON implements json.Marshaler.
func (m momentAnswer) MarshalJSON() ([]byte, error) {
	return time.Time(m).AppendFormat(make([]byte, 0, len(momentLayout)), momentLayout), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *momentAnswer) UnmarshalJSON(text []byte) error {
	t, err := time.Parse(momentLayout, string(text))
	*m = momentAnswer(t)
	return err
}

// rawAnswer is an answer with log values in stored JSON.
type rawAnswer = answerOf[json.RawMessage]

// typedAnswer is one with log values of nil, a string, or a pointer to a struct.
type typedAnswer = answerOf[any]

// readAnswer reads an answer. It has to know every member.
func readAnswer(body []byte) (raw rawAnswer, err error) {
	if err = unmarshalStrictly(body, &raw); err != nil {
		return raw, fmt.Errorf("the answer is not as this benchmark knows it: %w", err)
	}
	return raw, nil
}

func unmarshalStrictly(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// typed returns the answer with values of the log as they are in Go.
func typed(raw rawAnswer) (typedAnswer, error) {
	out := typedAnswer{
		raw.Identifier, raw.Title, raw.State, raw.Priority, raw.Classification, raw.Component, raw.Milestone, raw.Assignee,
		raw.Originator, raw.Modifier, raw.ModificationDate, raw.Resolver, raw.ResolveDate, raw.CreationDate, raw.Keywords,
		raw.Watching, raw.Read, raw.ReadByAssignee, raw.Revision, make([]logAnswer[any], len(raw.Logs)),
	}
	for i, l := range raw.Logs {
		from, fromErr := logValue(l.From)
		to, toErr := logValue(l.To)
		if err := errors.Join(fromErr, toErr); err != nil {
			return out, err
		}
		out.Logs[i] = logAnswer[any]{l.Identifier, l.Type, l.CreationDate, l.Author, l.BatchIdentifier, l.IsSignificant, l.Field, from, to}
	}
	return out, nil
}

// logValue returns a value of the log as nil, a string, or the struct with its members.
func logValue(text json.RawMessage) (any, error) {
	if string(text) == "null" {
		return nil, nil
	}
	var s string
	if json.Unmarshal(text, &s) == nil {
		return s, nil
	}
	for _, known := range []any{new(nameAnswer), new(linkAnswer), new(noValueAnswer), new(createdAnswer)} {
		if unmarshalStrictly(text, known) == nil {
			return known, nil
		}
	}
	return nil, fmt.Errorf("the log has a value that this benchmark does not know: %s", text)
}

// marshal returns the JSON of a value, with a newline after it. It does not escape HTML,
// as in the answers of the service.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return b.Bytes(), err
}

// checkSame checks two JSON texts for equality but for white space.
func checkSame(got, want []byte) error {
	var a, b bytes.Buffer
	if err := errors.Join(json.Compact(&a, got), json.Compact(&b, want)); err != nil {
		return err
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		return fmt.Errorf("the bare handler would answer\n%s\nand not\n%s", a.Bytes(), b.Bytes())
	}
	return nil
}
