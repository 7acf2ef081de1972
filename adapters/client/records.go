package client

import (
	"encoding/json"
	"time"
)

// Problem is a problem as it is read (D1).
type Problem struct {
	Identifier       int64      `json:"identifier"`
	Title            string     `json:"title"`
	State            State      `json:"state"`
	Priority         *Priority  `json:"priority"`
	Classification   *Reference `json:"classification"`
	Component        *Component `json:"component"`
	Milestone        *Milestone `json:"milestone"`
	Assignee         *User      `json:"assignee"`
	Due              *string    `json:"due"` // a day such as 2026-10-31
	Originator       User       `json:"originator"`
	Modifier         User       `json:"modifier"`
	ModificationDate time.Time  `json:"modificationDate"`
	Resolver         *User      `json:"resolver"`
	ResolveDate      *time.Time `json:"resolveDate"`
	CreationDate     time.Time  `json:"creationDate"`
	Keywords         []Keyword  `json:"keywords"`
	// Watching, Read and ReadByAssignee are nil with [AsOf].
	Watching       *bool `json:"watching"`
	Read           *bool `json:"read"`
	ReadByAssignee *bool `json:"readByAssignee"`
	Revision       int64 `json:"revision"`
	// Logs are all entries of a loaded problem, and those of the request after a write.
	Logs []LogEntry `json:"logs,omitempty"`
}

// State is a state (D2).
type State struct {
	Identifier string      `json:"identifier"`
	Name       string      `json:"name"`
	Resolved   bool        `json:"resolved"`
	Initial    bool        `json:"initial"`
	Order      int         `json:"order"`
	NextStates []Reference `json:"nextStates"`
}

// Priority is a priority (D2).
type Priority struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	Order      int    `json:"order"`
}

// Component is a component (D2). FullName has the names from the root, joined by slashes.
type Component struct {
	Identifier string     `json:"identifier"`
	Name       string     `json:"name"`
	FullName   string     `json:"fullName"`
	Closed     bool       `json:"closed"`
	Successor  *Reference `json:"successor"`
	Parent     *Reference `json:"parent"`
}

// Milestone is a milestone (D2).
type Milestone struct {
	Identifier   string     `json:"identifier"`
	Name         string     `json:"name"`
	Component    *Reference `json:"component"`
	CreationDate time.Time  `json:"creationDate"`
	StartDate    *time.Time `json:"startDate"`
	EndDate      *time.Time `json:"endDate"`
}

// User is a user (D2).
type User struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	Email      string `json:"email"`
	Inactive   bool   `json:"inactive"`
	// RobotOf is the person who answers for the user, a robot; nil for a person.
	RobotOf *Reference `json:"robotOf"`
}

// Reference is an object within another record. FullName is there for components.
type Reference struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	FullName   string `json:"fullName,omitempty"`
}

// Keyword is a keyword (D4).
type Keyword struct {
	Name  string  `json:"name"`
	Value *string `json:"value"`
}

// Comment is a comment (D5). HTML is untrusted: sanitise it before you render it.
type Comment struct {
	Identifier   string     `json:"identifier"`
	Author       Reference  `json:"author"`
	Via          *Reference `json:"via"` // null for a session
	CreationDate time.Time  `json:"creationDate"`
	Text         string     `json:"text"`
	HTML         *string    `json:"html"`
	EditDate     *time.Time `json:"editDate"`
	Editor       *Reference `json:"editor"`
}

// Relationship is one side of a relationship (D6).
type Relationship struct {
	Type              string         `json:"type"` // see RelationshipTypes
	ProblemIdentifier int64          `json:"problemIdentifier"`
	CreationDate      time.Time      `json:"creationDate"`
	Author            Reference      `json:"author"`
	Problem           RelatedProblem `json:"problem"`
}

// RelatedProblem is the other problem of a relationship.
type RelatedProblem struct {
	Identifier int64     `json:"identifier"`
	Title      string    `json:"title"`
	State      Reference `json:"state"`
}

// RelationshipTypes returns the types of relationships (D7).
func RelationshipTypes() []string {
	return []string{"RelatedTo", "ParentOf", "ChildOf", "OriginalOf", "DuplicateOf", "CauseOf", "CausedBy", "BlockerOf", "BlockedBy", "ClonedTo", "ClonedFrom"}
}

// LogEntry is a line of a log (D8). From and To are a string, an object or null.
type LogEntry struct {
	Identifier      string          `json:"identifier"`
	Type            string          `json:"type"`
	CreationDate    time.Time       `json:"creationDate"`
	Author          Reference       `json:"author"`
	Via             *Reference      `json:"via"` // null for a session
	BatchIdentifier string          `json:"batchIdentifier"`
	IsSignificant   bool            `json:"isSignificant"`
	Field           *string         `json:"field"`
	From            json.RawMessage `json:"from"`
	To              json.RawMessage `json:"to"`
}

// Token is a token (D30). Secret is there only in the answer to its creation.
type Token struct {
	Identifier   string     `json:"identifier"`
	User         Reference  `json:"user"`
	Scope        string     `json:"scope"`
	CreationDate time.Time  `json:"creationDate"`
	Expires      *time.Time `json:"expires"`
	Revoked      *time.Time `json:"revoked"`
	Name         *string    `json:"name"`
	LastUse      *time.Time `json:"lastUse"`
	Invitation   bool       `json:"invitation"`
	Secret       string     `json:"token,omitempty"`
}

// Me is the owner of a token (D33).
type Me struct {
	User    User       `json:"user"`
	Scope   string     `json:"scope"`
	Expires *time.Time `json:"expires"`
}

// Event is an event of the feed (D39).
type Event struct {
	Identifier      string        `json:"identifier"`
	Type            string        `json:"type"`
	Timestamp       time.Time     `json:"timestamp"`
	Author          *Reference    `json:"author"`
	Via             *Reference    `json:"via"` // null for a session
	BatchIdentifier string        `json:"batchIdentifier"`
	Problem         *EventProblem `json:"problem"`
	Logs            []LogEntry    `json:"logs"`
	// JSON is the event as the server sent it, on one line.
	JSON json.RawMessage `json:"-"`
}

// EventProblem is the problem of an event, right after the event.
type EventProblem struct {
	Identifier int64     `json:"identifier"`
	Title      string    `json:"title"`
	State      Reference `json:"state"`
	Revision   int64     `json:"revision"`
}

// Partial is an object given by enough of its members to identify it (D3). All given ones
// have to match, exactly.
type Partial struct {
	Identifier string `json:"identifier,omitempty"`
	Name       string `json:"name,omitempty"`
	Email      string `json:"email,omitempty"` // of a user
}

// Named is the object with a name.
func Named(name string) *Partial { return &Partial{Name: name} }

// Fields are the fields of a problem that clients set. A field without a value stays as it is.
type Fields struct {
	Title          string   `json:"title,omitempty"`
	State          *Partial `json:"state,omitempty"`
	Priority       *Partial `json:"priority,omitempty"`
	Classification *Partial `json:"classification,omitempty"`
	Component      *Partial `json:"component,omitempty"`
	Milestone      *Partial `json:"milestone,omitempty"`
	Assignee       *Partial `json:"assignee,omitempty"`
	Due            string   `json:"due,omitempty"` // a day such as 2026-10-31
	Read           *bool    `json:"read,omitempty"`
}

// NewProblem is a problem to be created. It needs a title.
type NewProblem struct {
	Fields
	Keywords []Keyword `json:"keywords,omitempty"`
	Comment  string    `json:"comment,omitempty"` // the first one
}

// Patch is a change of a problem, with a comment unless that is empty (D53).
type Patch struct {
	Fields
	Comment string `json:"comment,omitempty"`
	// Clear names fields to set to null, such as "assignee".
	Clear []string `json:"-"`
}

// MarshalJSON writes the fields to set and to clear.
func (p Patch) MarshalJSON() ([]byte, error) {
	type plain Patch // without this method
	text, err := json.Marshal(plain(p))
	if err != nil || len(p.Clear) == 0 {
		return text, err
	}
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for _, name := range p.Clear {
		members[name] = json.RawMessage("null")
	}
	return json.Marshal(members)
}

// NewComment is a comment to be added.
type NewComment struct {
	Text string `json:"text"`
	HTML string `json:"html,omitempty"`
}
