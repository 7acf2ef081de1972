package wire

import (
	"encoding/json"
	"time"
)

// The types of this file are the bodies of requests and answers in the OpenAPI document.
// A pointer stands for a nullable member. Records are open to members of later versions;
// the bodies of requests are closed, and say so. Encoder writes answers, and decoder
// reads request bodies; the tests hold both to these types.

// Problem is a problem as it is read (D1).
type Problem struct {
	Identifier       int64           `json:"identifier" minimum:"1" doc:"Unique, never reused; gaps are possible." readOnly:"true"`
	Title            string          `json:"title" minLength:"1" maxLength:"1000"`
	State            State           `json:"state"`
	Priority         *Priority       `json:"priority"`
	Classification   *Classification `json:"classification"`
	Component        *Component      `json:"component"`
	Milestone        *Milestone      `json:"milestone"`
	Assignee         *User           `json:"assignee"`
	Due              *string         `json:"due" format:"date" doc:"The day on which it should be done, or null. In queries it stands for the end of that day in PROBLEMS_TIME_ZONE."`
	Originator       User            `json:"originator" readOnly:"true" doc:"Who created the problem."`
	Modifier         User            `json:"modifier" readOnly:"true" doc:"Who made the latest change."`
	ModificationDate time.Time       `json:"modificationDate" readOnly:"true"`
	Resolver         *User           `json:"resolver" readOnly:"true" doc:"Who made the latest move into a resolved state; null while not resolved."`
	ResolveDate      *time.Time      `json:"resolveDate" readOnly:"true"`
	CreationDate     time.Time       `json:"creationDate" readOnly:"true"`
	Keywords         []Keyword       `json:"keywords" nullable:"false" doc:"Sorted by name. Given when the problem is created; afterwards modified only through the keyword endpoints."`
	Watching         *bool           `json:"watching" readOnly:"true" doc:"Whether the token's user watches the problem; null with asOf, as the other two."`
	Read             *bool           `json:"read" doc:"Whether the token's user has read the problem as it is now."`
	ReadByAssignee   *bool           `json:"readByAssignee" readOnly:"true"`
	Revision         int64           `json:"revision" minimum:"1" readOnly:"true"`
	Logs             []LogEntry      `json:"logs" readOnly:"true" nullable:"false" doc:"Oldest first: all entries when the problem is loaded, those of the request in the answer to a write."`
}

// CreatedProblem is the answer to the creation of a problem (W1).
type CreatedProblem struct {
	Identifier int64 `json:"identifier,omitempty" minimum:"1" doc:"Absent in a dry run." readOnly:"true"`
	Problem
}

// FoundProblem is a hit of a search (D31).
type FoundProblem struct {
	Problem
	Logs []LogEntry `json:"logs,omitempty" readOnly:"true" nullable:"false" doc:"All entries, oldest first, with includeDetail; else absent."`
}

// ClaimedProblem is a problem with its claim (D49).
type ClaimedProblem struct {
	Problem
	Claim Claim `json:"claim" readOnly:"true"`
}

// Claim says who works on a problem now (D49).
type Claim struct {
	Identifier string    `json:"identifier" format:"uuid" doc:"For the header Claim."`
	Holder     Reference `json:"holder" doc:"The user."`
	Via        *TokenRef `json:"via" doc:"The token that took the claim; null for a session."`
	Expires    time.Time `json:"expires" doc:"5 seconds after this, somebody else can take the claim."`
}

// TokenRef names a token.
type TokenRef struct {
	Identifier string  `json:"identifier" format:"uuid"`
	Name       *string `json:"name"`
}

// NewClaim is the lease of a claim (D49).
type NewClaim struct {
	Lease int      `json:"lease" minimum:"30" maximum:"86400" doc:"In seconds, from now on."`
	_     struct{} `additionalProperties:"false"`
}

// NewNextClaim asks for a problem to work on (D49).
type NewNextClaim struct {
	Predicate *string  `json:"predicate,omitempty" nullable:"true" doc:"What has to hold. Problems that are claimed are never answered."`
	Sort      *string  `json:"sort,omitempty" nullable:"true" doc:"The order: the first problem is claimed. By identifier when left out."`
	Lease     int      `json:"lease" minimum:"30" maximum:"86400" doc:"In seconds."`
	Wait      int      `json:"wait,omitempty" minimum:"0" maximum:"60" doc:"The longest wait for a problem, in seconds. It counts as a request that waits for events."`
	_         struct{} `additionalProperties:"false"`
}

// State is a state as a direct field of a problem (D2).
type State struct {
	Identifier string      `json:"identifier" format:"uuid" readOnly:"true"`
	Name       string      `json:"name" minLength:"1" maxLength:"255"`
	Resolved   bool        `json:"resolved" doc:"Problems in this state count as done."`
	Initial    bool        `json:"initial" doc:"Problems can be created in this state."`
	Order      int         `json:"order"`
	NextStates []Reference `json:"nextStates" nullable:"false" doc:"Where a problem can go from here; empty for a terminal state."`
}

// Priority is a priority as a direct field of a problem (D2).
type Priority struct {
	Identifier string `json:"identifier" format:"uuid" readOnly:"true"`
	Name       string `json:"name" minLength:"1" maxLength:"255"`
	Order      int    `json:"order"`
}

// Classification is a classification as a direct field of a problem (D2).
type Classification struct {
	Identifier string `json:"identifier" format:"uuid" readOnly:"true"`
	Name       string `json:"name" minLength:"1" maxLength:"255"`
}

// Component is a component as a direct field of a problem (D2).
type Component struct {
	Identifier string              `json:"identifier" format:"uuid" readOnly:"true"`
	Name       string              `json:"name" minLength:"1" maxLength:"255"`
	FullName   string              `json:"fullName" readOnly:"true" doc:"The names from the root, joined by a slash."`
	Closed     bool                `json:"closed" doc:"Takes no new problems."`
	Successor  *ComponentReference `json:"successor"`
	Parent     *ComponentReference `json:"parent"`
}

// Milestone is a milestone as a direct field of a problem (D2).
type Milestone struct {
	Identifier   string              `json:"identifier" format:"uuid" readOnly:"true"`
	Name         string              `json:"name" minLength:"1" maxLength:"255"`
	Component    *ComponentReference `json:"component"`
	CreationDate time.Time           `json:"creationDate" readOnly:"true"`
	StartDate    *time.Time          `json:"startDate"`
	EndDate      *time.Time          `json:"endDate"`
}

// User is a user (D2).
type User struct {
	Identifier string `json:"identifier" format:"uuid" readOnly:"true"`
	Name       string `json:"name" minLength:"1" maxLength:"255"`
	Email      string `json:"email" minLength:"1" maxLength:"255" doc:"Unique; ASCII letters are compared without case. A domain outside of ASCII is stored in Unicode and lower case."`
	Inactive   bool   `json:"inactive" doc:"Cannot be newly assigned or watch, and has no valid token."`

	RobotOf *Reference `json:"robotOf" doc:"The person who answers for this user, a robot; null for a person."`
}

// CreatedUser is the answer to the creation of a user (D30).
type CreatedUser struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run." readOnly:"true"`
	User
}

// Reference is a metadata object or user inside another record.
type Reference struct {
	Identifier string `json:"identifier" format:"uuid"`
	Name       string `json:"name"`
}

// ComponentReference is a component inside another record.
type ComponentReference struct {
	Identifier string `json:"identifier" format:"uuid"`
	Name       string `json:"name"`
	FullName   string `json:"fullName"`
}

// Keyword is a keyword (D4).
type Keyword struct {
	Name  string  `json:"name" minLength:"1" maxLength:"255"`
	Value *string `json:"value"`
}

// Comment is a comment (D5).
type Comment struct {
	Identifier   string     `json:"identifier" format:"uuid"`
	Author       Reference  `json:"author"`
	Via          *TokenRef  `json:"via" doc:"The token of the author; null for a session, and for a reply by e-mail."`
	CreationDate time.Time  `json:"creationDate"`
	Text         string     `json:"text"`
	HTML         *string    `json:"html" doc:"Untrusted: to be sanitised before it is rendered."`
	EditDate     *time.Time `json:"editDate" doc:"Time of the latest edit; null before the first one."`
	Editor       *Reference `json:"editor" doc:"User of the latest edit; null before the first one."`
}

// Attachment is the record of a file (D48).
type Attachment struct {
	Identifier   string     `json:"identifier" format:"uuid"`
	Name         string     `json:"name" minLength:"1" maxLength:"255"`
	MediaType    string     `json:"mediaType" doc:"As the client declared it: never to be trusted."`
	Size         int64      `json:"size" minimum:"0" doc:"Bytes of the file."`
	Digest       string     `json:"digest" pattern:"^[0-9a-f]{64}$" doc:"SHA-256 of the file, in hexadecimal."`
	Author       Reference  `json:"author"`
	CreationDate time.Time  `json:"creationDate"`
	DeleteDate   *time.Time `json:"deleteDate" doc:"Time of the deletion; null before it."`
}

// Relationship is a relationship as it is read (D6).
type Relationship struct {
	Type              string         `json:"type" enum:"RelatedTo,ParentOf,ChildOf,OriginalOf,DuplicateOf,CauseOf,CausedBy,BlockerOf,BlockedBy,ClonedTo,ClonedFrom"`
	ProblemIdentifier int64          `json:"problemIdentifier" minimum:"1" doc:"The other problem."`
	CreationDate      time.Time      `json:"creationDate"`
	Author            Reference      `json:"author"`
	Problem           RelatedProblem `json:"problem"`
}

// RelatedProblem is the other problem of a relationship.
type RelatedProblem struct {
	Identifier int64     `json:"identifier" minimum:"1"`
	Title      string    `json:"title"`
	State      Reference `json:"state"`
}

// LogEntry is a line of a problem's history log (D8).
type LogEntry struct {
	Identifier      string          `json:"identifier" format:"uuid"`
	Type            string          `json:"type" enum:"ProblemCreated,FieldChanged,CommentAdded,CommentEdited,CommentDeleted,AttachmentAdded,AttachmentDeleted,KeywordSet,KeywordDeleted,RelationshipAdded,RelationshipDeleted,WatcherAdded,WatcherRemoved,ClaimTaken,ClaimEnded,Redacted"`
	CreationDate    time.Time       `json:"creationDate"`
	Author          Reference       `json:"author"`
	Via             *TokenRef       `json:"via" doc:"The token of the author; null for a session, and for a reply by e-mail."`
	BatchIdentifier string          `json:"batchIdentifier" format:"uuid" doc:"The same for all entries of one request."`
	IsSignificant   bool            `json:"isSignificant" doc:"Whether the change makes the problem unread for others."`
	Field           *string         `json:"field" doc:"What changed: a field, a keyword, a relationship type, comments, attachments or watchers; null for ProblemCreated and Redacted."`
	From            json.RawMessage `json:"from" doc:"A string, an object or null."`
	To              json.RawMessage `json:"to" doc:"A string, an object or null."`
}

// Token is an API token (D30). Its secret is shown once: see IssuedToken.
type Token struct {
	Identifier   string     `json:"identifier" format:"uuid"`
	User         Reference  `json:"user"`
	Scope        string     `json:"scope" enum:"read,comment,report,write,admin"`
	CreationDate time.Time  `json:"creationDate"`
	Expires      *time.Time `json:"expires"`
	Revoked      *time.Time `json:"revoked"`
	Name         *string    `json:"name"`
	LastUse      *time.Time `json:"lastUse" doc:"When a request last had the token, a minute old at most; null: none had."`
	Invitation   bool       `json:"invitation" doc:"Whether it signs in once at the pages, and is revoked by that. It authenticates no request."`
}

// IssuedToken is a token with its secret: the answer to its creation (D30).
type IssuedToken struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run."`
	Token
	Secret string `json:"token,omitempty" doc:"What to send in the Authorization header. Shown this once; absent in a dry run."`
}

// Me is the owner of a token (D33).
type Me struct {
	User    User       `json:"user"`
	Scope   string     `json:"scope" enum:"read,comment,report,write,admin"`
	Expires *time.Time `json:"expires"`
}

// Mail is a user's choice of e-mail.
type Mail struct {
	Mail string `json:"mail" enum:"everything,mine,none" doc:"E-mail about the problems that the user watches, made or is assigned; mine leaves out those that the user only watches."`
}

// MailPatch is the body of a choice of e-mail.
type MailPatch struct {
	Mail string   `json:"mail" enum:"everything,mine,none"`
	_    struct{} `additionalProperties:"false"`
}

// Preferences are a user's choices for the pages.
type Preferences struct {
	Columns  *string `json:"columns" doc:"The columns of lists whose query has none, such as state,due; null: the usual ones."`
	Density  string  `json:"density" enum:"comfortable,compact" doc:"The room that rows take."`
	Language *string `json:"language" doc:"en or de; null: that of the browser."`
	TimeZone *string `json:"timeZone" doc:"A name of the IANA database, such as Europe/Berlin; null: that of the browser."`
	Keys     bool    `json:"keys" doc:"Whether the pages take keys."`
}

// PreferencesPatch is the body of a choice of preferences.
type PreferencesPatch struct {
	Columns  *string  `json:"columns,omitempty" nullable:"true" doc:"Names as in a saved query, with commas between them."`
	Density  *string  `json:"density,omitempty" nullable:"true" doc:"comfortable or compact."`
	Language *string  `json:"language,omitempty" nullable:"true" doc:"en or de."`
	TimeZone *string  `json:"timeZone,omitempty" nullable:"true" maxLength:"64"`
	Keys     *bool    `json:"keys,omitempty" nullable:"true"`
	_        struct{} `additionalProperties:"false"`
}

// Error is an error (RFC 9457, D18).
type Error struct {
	Type       string      `json:"type" format:"uri-reference" doc:"The page about this kind of error."`
	Title      string      `json:"title"`
	Status     int         `json:"status"`
	Detail     string      `json:"detail"`
	Instance   string      `json:"instance" format:"uri" doc:"The request, as the server's log names it."`
	Errors     []ErrorItem `json:"errors" nullable:"false" doc:"All faults of the body; empty for errors of other kinds."`
	Kind       string      `json:"kind,omitempty" enum:"syntax,unsupported,unknownKey,unknownFunction,unboundVariable,typeMismatch,invalidPattern,limitExceeded" doc:"Of an invalid predicate: what is wrong with it."`
	Line       int         `json:"line,omitempty" minimum:"1" doc:"Of an invalid predicate, or sort: where the first token starts that is wrong."`
	Column     int         `json:"column,omitempty" minimum:"1" doc:"Likewise, in code points."`
	Suggestion string      `json:"suggestion,omitempty" doc:"Of a wrong name in a predicate or sort: the one that was probably meant, to stand there instead."`
	Oldest     string      `json:"oldest,omitempty" doc:"Of a cursor that is gone: the cursor before the oldest event."`
	Newest     string      `json:"newest,omitempty" doc:"Likewise: the cursor behind the newest event."`
	Claim      *Claim      `json:"claim,omitempty" doc:"Of a problem that is claimed: the claim in the way."`
}

// ErrorItem is one fault of a request body.
type ErrorItem struct {
	Type    string `json:"type" format:"uri-reference"`
	Detail  string `json:"detail"`
	Pointer string `json:"pointer" doc:"JSON Pointer (RFC 6901) into the body; empty for the body as a whole."`
}

// Partial is a metadata object given by just enough members to identify it (spec section
// 2, D3).
type Partial struct {
	Identifier string   `json:"identifier,omitempty" format:"uuid"`
	Name       string   `json:"name,omitempty"`
	_          struct{} `additionalProperties:"true"`
}

// PartialUser is the same for a user (D15).
type PartialUser struct {
	Identifier string   `json:"identifier,omitempty" format:"uuid"`
	Name       string   `json:"name,omitempty"`
	Email      string   `json:"email,omitempty"`
	_          struct{} `additionalProperties:"true"`
}

// ProblemFields are a problem's fields set by clients (D11). Absent fields stay as they
// are; null clears.
type ProblemFields struct {
	Title          string       `json:"title,omitempty" minLength:"1" maxLength:"1000"`
	State          Partial      `json:"state,omitempty"`
	Priority       *Partial     `json:"priority,omitempty"`
	Classification *Partial     `json:"classification,omitempty"`
	Component      *Partial     `json:"component,omitempty"`
	Milestone      *Partial     `json:"milestone,omitempty"`
	Assignee       *PartialUser `json:"assignee,omitempty"`
	Due            *string      `json:"due,omitempty" format:"date" nullable:"true" doc:"A day from 1900-01-01 to 9999-12-31, such as 2026-10-31, or null."`
	Read           bool         `json:"read,omitempty"`
}

// NewProblem is a problem to be created (W1).
type NewProblem struct {
	NewReportProblem
	Comment string   `json:"comment,omitempty" minLength:"1" doc:"The first comment; added by the same batch."`
	_       struct{} `additionalProperties:"false"`
}

// NewReportProblem is a problem to be created by a report.
type NewReportProblem struct {
	ProblemFields
	Title    string       `json:"title" minLength:"1" maxLength:"1000"`
	Keywords []NewKeyword `json:"keywords,omitempty" nullable:"true" doc:"One of each name; set in the same batch."`
	_        struct{}     `additionalProperties:"false"`
}

// NewReport is a problem to be created, unless there is one with the keyword (D55).
type NewReport struct {
	Keyword NewReportKeyword `json:"keyword" doc:"What reports of the same fault have in common."`
	Problem NewReportProblem `json:"problem" doc:"What is created. It gets the keyword, too."`
	Comment string           `json:"comment,omitempty" minLength:"1" doc:"Is added to the problem, new or not."`
	_       struct{}         `additionalProperties:"false"`
}

// NewReportKeyword is the keyword of a report.
type NewReportKeyword struct {
	Name  string   `json:"name" minLength:"1" maxLength:"255"`
	Value string   `json:"value" minLength:"1" maxLength:"1000"`
	_     struct{} `additionalProperties:"false"`
}

// NewKeyword is a keyword of a problem to be created.
type NewKeyword struct {
	Name  string   `json:"name" minLength:"1" maxLength:"255"`
	Value *string  `json:"value,omitempty" nullable:"true" doc:"null, or left out: the keyword has no value."`
	_     struct{} `additionalProperties:"false"`
}

// ProblemPatch is a change of a problem (W2).
type ProblemPatch struct {
	ProblemFields
	Comment  string   `json:"comment,omitempty" minLength:"1" doc:"Is added by the same batch."`
	Revision int64    `json:"revision,omitempty" minimum:"1" doc:"The revision that the change is meant for: any other is answered with 412."`
	_        struct{} `additionalProperties:"false"`
}

// NewComment is a comment to be added (W3).
type NewComment struct {
	Text string   `json:"text" minLength:"1"`
	HTML *string  `json:"html,omitempty" nullable:"true"`
	_    struct{} `additionalProperties:"false"`
}

// CommentPatch is a change of a comment (D44).
type CommentPatch struct {
	Text string   `json:"text,omitempty" minLength:"1" doc:"Without html beside it, the comment has no HTML any more."`
	HTML *string  `json:"html,omitempty" nullable:"true"`
	_    struct{} `additionalProperties:"false"`
}

// NewRedaction says what is replaced (D45).
type NewRedaction struct {
	Text        string   `json:"text" minLength:"4" maxLength:"1000" doc:"The text to replace, exactly. Letter case counts."`
	Replacement string   `json:"replacement,omitempty" minLength:"1" doc:"What stands there instead; *** if it is left out. It is no longer than the text, in characters and in bytes of UTF-8, and shares no end with it."`
	_           struct{} `additionalProperties:"false"`
}

// NewAttachmentRedaction takes the file of an attachment and its name for good (D45).
type NewAttachmentRedaction struct {
	Attachment  string   `json:"attachment" format:"uuid" doc:"The identifier. A deleted attachment works, too."`
	Replacement string   `json:"replacement,omitempty" minLength:"1" maxLength:"255" doc:"Its name from now on; *** if it is left out."`
	_           struct{} `additionalProperties:"false"`
}

// Places counts the places of a redacted text (D45). A place is a whole record, however often
// it has the text.
type Places struct {
	Places      int64 `json:"places" minimum:"0" doc:"All of them."`
	Title       int64 `json:"title" minimum:"0" maximum:"1"`
	Savepoints  int64 `json:"savepoints" minimum:"0" doc:"The problem as it stood after earlier changes."`
	Keywords    int64 `json:"keywords" minimum:"0" doc:"Values of keywords."`
	Comments    int64 `json:"comments" minimum:"0"`
	Attachments int64 `json:"attachments" minimum:"0" doc:"Names of attachments, also of deleted ones."`
	Log         int64 `json:"log" minimum:"0" doc:"Entries of the log."`
	Events      int64 `json:"events" minimum:"0" doc:"Events of the feed. Some may be forgotten already."`
}

// Erasure is how far the erasure of a user is (D46).
type Erasure struct {
	User     User     `json:"user" doc:"As the user is now: in a dry run, still with the name."`
	Done     bool     `json:"done" doc:"No log has the former name. In a dry run, all problems are counted."`
	Through  int64    `json:"through" minimum:"0" doc:"The last problem without it, or the last one that is counted."`
	Problems int64    `json:"problems" minimum:"0" doc:"Changed problems, up to this one."`
	Log      int64    `json:"log" minimum:"0" doc:"Rewritten entries of their logs."`
	Watches  int64    `json:"watches" minimum:"0" doc:"Ended watches."`
	Audit    int64    `json:"audit" minimum:"0" doc:"Rewritten entries of the audit log."`
	Tokens   int64    `json:"tokens" minimum:"0" doc:"Revoked tokens."`
	Sessions int64    `json:"sessions" minimum:"0" doc:"Ended sessions."`
	Saved    int64    `json:"savedQueries" minimum:"0" doc:"Deleted saved queries of the user."`
	Texts    []int64  `json:"texts" minimum:"1" doc:"Problems with a former name or address in the title, a comment, a keyword or the name of an attachment, now or in the log: the first 1000. They stay as they are."`
	Queries  []string `json:"queries" format:"uuid" doc:"Saved queries of others with the name or address."`
	Webhooks []string `json:"webhooks" format:"uuid" doc:"Webhooks with the name or address in the URL or the predicate."`
}

// Link is one side of a relationship, as it is added or deleted (W6, W7). A
// Relationship as it was read will do as well.
type Link struct {
	Type              string   `json:"type" enum:"RelatedTo,ParentOf,ChildOf,OriginalOf,DuplicateOf,CauseOf,CausedBy,BlockerOf,BlockedBy,ClonedTo,ClonedFrom"`
	ProblemIdentifier int64    `json:"problemIdentifier" minimum:"1"`
	_                 struct{} `additionalProperties:"false"`
}

// NewUser is a user to be created (D30).
type NewUser struct {
	Name     string `json:"name" minLength:"1" maxLength:"255"`
	Email    string `json:"email" minLength:"1" maxLength:"255"`
	Inactive bool   `json:"inactive,omitempty"`

	RobotOf *PartialUser `json:"robotOf,omitempty" doc:"The person who answers for the new user, a robot. null, or left out: the user is a person."`

	_ struct{} `additionalProperties:"false"`
}

// UserPatch is a change of a user (D30).
type UserPatch struct {
	Name     string `json:"name,omitempty" minLength:"1" maxLength:"255"`
	Email    string `json:"email,omitempty" minLength:"1" maxLength:"255"`
	Inactive bool   `json:"inactive,omitempty" doc:"Deactivating a user revokes the user's tokens for good."`

	RobotOf *PartialUser `json:"robotOf,omitempty" doc:"The person who answers for the user, a robot; null: the user is a person."`

	_ struct{} `additionalProperties:"false"`
}

// NewToken is a token to be issued (D30).
type NewToken struct {
	User       PartialUser `json:"user"`
	Scope      string      `json:"scope" enum:"read,comment,report,write,admin"`
	Expires    *time.Time  `json:"expires,omitempty" nullable:"true" doc:"null, or left out: never. For a whole day: its last millisecond in PROBLEMS_TIME_ZONE, such as 2030-12-31T23:59:59.999Z. An invitation: in 7 days, and at most in 30."`
	Name       *string     `json:"name,omitempty" nullable:"true" minLength:"1" maxLength:"255" doc:"What tells the user's tokens apart. null, or left out: nothing."`
	Invitation bool        `json:"invitation,omitempty" doc:"For a person: the address /sign-in?code= with the token signs in once."`
	_          struct{}    `additionalProperties:"false"`
}

// NewOwnToken is a token that its user makes (D50).
type NewOwnToken struct {
	Scope   string     `json:"scope" enum:"read,comment,report,write,admin" doc:"At most that of the request."`
	Name    *string    `json:"name,omitempty" nullable:"true" minLength:"1" maxLength:"255" doc:"What tells your tokens apart. null, or left out: nothing."`
	Expires *time.Time `json:"expires,omitempty" nullable:"true" doc:"null, or left out: as late as possible."`
	_       struct{}   `additionalProperties:"false"`
}

// ProblemSearch is a search for problems (D31). It has either a predicate or a saved
// query. A null member counts as absent.
type ProblemSearch struct {
	Predicate     *string  `json:"predicate,omitempty" nullable:"true" doc:"What has to hold."`
	SavedQuery    *string  `json:"savedQuery,omitempty" nullable:"true" doc:"The identifier of a saved query, or a URL whose last path segment is one. A title after the URL does not count."`
	Sort          *string  `json:"sort,omitempty" nullable:"true" doc:"Key paths, separated by commas; a minus before one descends; nulls come last in either direction. By identifier when left out, unless the saved query says more."`
	Limit         *int     `json:"limit,omitempty" nullable:"true" minimum:"1" maximum:"1000" doc:"The whole result when left out."`
	Cursor        *string  `json:"cursor,omitempty" nullable:"true" doc:"Where to go on: from the link to the next page."`
	IncludeDetail *bool    `json:"includeDetail,omitempty" nullable:"true" doc:"With the logs of the problems."`
	Fields        *string  `json:"fields,omitempty" nullable:"true" doc:"The members of problems to answer: dotted names, separated by commas, such as identifier,title,state.name. All when left out."`
	_             struct{} `additionalProperties:"false"`
}

// ObjectSearch is a search for metadata objects or users (D31). A null member counts as
// absent.
type ObjectSearch struct {
	Predicate string   `json:"predicate" doc:"What has to hold."`
	Sort      *string  `json:"sort,omitempty" nullable:"true" doc:"Key paths, separated by commas; a minus before one descends; nulls come last in either direction. By identifier when left out."`
	Limit     *int     `json:"limit,omitempty" nullable:"true" minimum:"1" maximum:"1000" doc:"The whole result when left out."`
	Cursor    *string  `json:"cursor,omitempty" nullable:"true" doc:"Where to go on: from the link to the next page."`
	_         struct{} `additionalProperties:"false"`
}

// SavedQuery is a saved query.
type SavedQuery struct {
	Identifier   string    `json:"identifier" format:"uuid" readOnly:"true" doc:"Whoever knows it can run the query, as themselves."`
	Owner        Reference `json:"owner"`
	Name         string    `json:"name" minLength:"1" maxLength:"255"`
	Predicate    string    `json:"predicate"`
	Sort         *string   `json:"sort"`
	Columns      *string   `json:"columns" doc:"The columns of the list in the pages, such as state,due; null: the usual ones."`
	Shared       bool      `json:"shared" doc:"Whether everybody has it in the list of queries."`
	CreationDate time.Time `json:"creationDate"`
}

// CreatedQuery is the answer to the saving of a query.
type CreatedQuery struct {
	Identifier string `json:"identifier,omitempty" format:"uuid" doc:"Absent in a dry run." readOnly:"true"`
	SavedQuery
}

// NewQuery is a query to be saved.
type NewQuery struct {
	Name      string   `json:"name" minLength:"1" maxLength:"255"`
	Predicate string   `json:"predicate" doc:"Of a search for problems. NOW() and $ApiUser are those of who runs it."`
	Sort      *string  `json:"sort,omitempty" nullable:"true"`
	Columns   *string  `json:"columns,omitempty" nullable:"true" doc:"state, priority, assignee, component, milestone, due, classification, originator, creationDate and modificationDate, with commas between them."`
	Shared    *bool    `json:"shared,omitempty" doc:"true has everybody see it in the list of queries."`
	_         struct{} `additionalProperties:"false"`
}

// QueryPatch has the members of a saved query to change.
type QueryPatch struct {
	Name      *string  `json:"name,omitempty" minLength:"1" maxLength:"255"`
	Predicate *string  `json:"predicate,omitempty"`
	Sort      *string  `json:"sort,omitempty" nullable:"true"`
	Columns   *string  `json:"columns,omitempty" nullable:"true"`
	Shared    *bool    `json:"shared,omitempty"`
	_         struct{} `additionalProperties:"false"`
}
