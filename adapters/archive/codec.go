package archive

import (
	"slices"
	"time"

	calendar "github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/transfer"
)

// codec holds one record of each kind, and for each kind the object of its line. The
// object's values point into the record, so one description serves both writing and
// reading.
type codec struct {
	start          transfer.Start
	state          transfer.State
	priority       transfer.Priority
	classification transfer.Classification
	component      transfer.Component
	milestone      transfer.Milestone
	user           transfer.User
	token          transfer.Token
	savedQuery     transfer.SavedQuery
	webhook        transfer.Webhook
	auditEntry     transfer.AuditEntry
	problem        transfer.Problem
	savepoint      transfer.Savepoint
	logEntry       transfer.LogEntry
	comment        transfer.Comment
	keyword        transfer.Keyword
	relationship   transfer.Relationship
	watcher        transfer.Watcher
	readMark       transfer.ReadMark
	attachment     transfer.Attachment
	event          transfer.Event

	version version // of the archive
	objects [transfer.KindEnd]object
}

func newCodec() *codec {
	c := &codec{version: Version}
	c.objects[transfer.KindStart] = object{
		{"catalogueVersion", (*integer)(&c.start.Catalogue)},
		{"version", &c.version},
	}
	c.describeMetadata()
	c.describeUse()
	c.describeWebhook()
	c.describeProblem()
	c.describeFeed()
	for kind, name := range kindNames {
		c.objects[kind] = append(c.objects[kind], member{"kind", constant(name)})
		c.objects[kind].sort()
	}
	return c
}

func (c *codec) describeMetadata() {
	c.objects[transfer.KindState] = object{
		{"identifier", (*identifier)(&c.state.ID)},
		{"name", (*str)(&c.state.Name)},
		{"resolved", (*boolean)(&c.state.Resolved)},
		{"initial", (*boolean)(&c.state.Initial)},
		{"order", (*ordinal)(&c.state.Order)},
		{"nextStates", (*identifiers)(&c.state.Next)},
	}
	c.objects[transfer.KindPriority] = object{
		{"identifier", (*identifier)(&c.priority.ID)},
		{"name", (*str)(&c.priority.Name)},
		{"order", (*ordinal)(&c.priority.Order)},
	}
	c.objects[transfer.KindClassification] = object{
		{"identifier", (*identifier)(&c.classification.ID)},
		{"name", (*str)(&c.classification.Name)},
	}
	c.objects[transfer.KindComponent] = object{
		{"identifier", (*identifier)(&c.component.ID)},
		{"name", (*str)(&c.component.Name)},
		{"closed", (*boolean)(&c.component.Closed)},
		{"successor", (*reference)(&c.component.Successor)},
		{"parent", (*reference)(&c.component.Parent)},
	}
	c.objects[transfer.KindMilestone] = object{
		{"identifier", (*identifier)(&c.milestone.ID)},
		{"name", (*str)(&c.milestone.Name)},
		{"component", (*reference)(&c.milestone.Component)},
		{"creationDate", (*moment)(&c.milestone.Created)},
		{"startDate", (*date)(&c.milestone.Start)},
		{"endDate", (*date)(&c.milestone.End)},
	}
	c.objects[transfer.KindUser] = object{
		{"identifier", (*identifier)(&c.user.ID)},
		{"name", (*str)(&c.user.Name)},
		{"email", (*str)(&c.user.Email)},
		{"inactive", (*boolean)(&c.user.Inactive)},
		{"robotOf", (*reference)(&c.user.RobotOf)},
		{"mail", (*nullable)(&c.user.Mail)},
		{"preferences", (*nullable)(&c.user.Preferences)},
	}
	c.objects[transfer.KindToken] = object{
		{"identifier", (*identifier)(&c.token.ID)},
		{"user", (*identifier)(&c.token.User)},
		{"scope", (*str)(&c.token.Scope)},
		{"sha256", (*digest)(&c.token.Digest)},
		{"creationDate", (*moment)(&c.token.Created)},
		{"expires", (*date)(&c.token.Expires)},
		{"revoked", (*date)(&c.token.Revoked)},
		{"invitation", (*boolean)(&c.token.Invitation)},
		{"name", (*nullable)(&c.token.Name)},
		{"lastUse", (*date)(&c.token.LastUse)},
	}
}

// describeUse describes the records of use and administration.
func (c *codec) describeUse() {
	q, e := &c.savedQuery, &c.auditEntry
	c.objects[transfer.KindSavedQuery] = object{
		{"identifier", (*identifier)(&q.ID)},
		{"owner", (*identifier)(&q.Owner)},
		{"name", (*str)(&q.Name)},
		{"predicate", (*str)(&q.Predicate)},
		{"sort", (*nullable)(&q.Sort)},
		{"columns", (*nullable)(&q.Columns)},
		{"shared", (*boolean)(&q.Shared)},
		{"creationDate", (*moment)(&q.Created)},
	}
	c.objects[transfer.KindAuditEntry] = object{
		{"identifier", (*identifier)(&e.ID)},
		{"type", (*str)(&e.Type)},
		{"creationDate", (*moment)(&e.Created)},
		{"author", (*reference)(&e.Author)},
		{"batchIdentifier", (*identifier)(&e.Batch)},
		{"objectKind", (*str)(&e.Kind)},
		{"object", (*identifier)(&e.Object)},
		{"name", (*str)(&e.Name)},
		{"field", (*nullable)(&e.Field)},
		{"from", (*shown)(&e.From)},
		{"to", (*shown)(&e.To)},
	}
}

func (c *codec) describeWebhook() {
	w := &c.webhook
	p := &w.Progress
	c.objects[transfer.KindWebhook] = object{
		{"identifier", (*identifier)(&w.ID)},
		{"version", (*identifier)(&w.Version)},
		{"owner", (*identifier)(&w.Owner)},
		{"creationDate", (*moment)(&w.Created)},
		{"url", (*str)(&w.URL)},
		{"types", (*eventTypes)(&w.Types)},
		{"predicate", (*nullable)(&w.Predicate)},
		{"onFailure", (*str)(&w.OnFailure)},
		{"active", (*boolean)(&w.Active)},
		{"secretKey", (*keyID)(&w.Secret.Key)},
		{"secretGeneration", (*integer)(&w.Secret.Generation)},
		{"secretRotated", (*date)(&w.Secret.Rotated)},
		{"secretRotatedBefore", (*date)(&w.Secret.RotatedBefore)},
		{"epoch", (*integer)(&w.Epoch)},
		{"from", (*cursor)(&w.From)},
		{"progressEpoch", (*integer)(&p.Epoch)},
		{"cursor", (*cursor)(&p.Cursor)},
		{"state", (*nullable)(&p.State)},
		{"reason", (*nullable)(&p.Reason)},
		{"failures", (*ordinal)(&p.Failures)},
		{"nextAttempt", (*date)(&p.Next)},
		{"parked", (*integer)(&p.Parked)},
	}
}

func (c *codec) describeProblem() {
	p, s := &c.problem, &c.savepoint
	c.objects[transfer.KindProblem] = object{
		{"identifier", (*integer)(&p.ID)},
		{"revision", (*integer)(&p.Revision)},
	}
	c.objects[transfer.KindSavepoint] = object{
		{"problem", (*integer)(&s.ID)},
		{"batchIdentifier", (*identifier)(&s.Batch)},
		{"revision", (*integer)(&s.Revision)},
	}
	for _, f := range problem.AllFields() {
		c.objects[transfer.KindProblem] = append(c.objects[transfer.KindProblem], fieldMember(f, &p.Problem))
		if !f.Fixed {
			c.objects[transfer.KindSavepoint] = append(c.objects[transfer.KindSavepoint], fieldMember(f, &s.Problem))
		}
	}
	c.objects[transfer.KindLogEntry] = object{
		{"problem", (*integer)(&c.logEntry.Problem)},
		{"identifier", (*identifier)(&c.logEntry.ID)},
		{"type", (*str)(&c.logEntry.Type)},
		{"creationDate", (*moment)(&c.logEntry.Created)},
		{"author", (*identifier)(&c.logEntry.Author)},
		{"via", (*reference)(&c.logEntry.Via)},
		{"batchIdentifier", (*identifier)(&c.logEntry.Batch)},
		{"field", (*nullable)(&c.logEntry.Field)},
		{"from", (*shown)(&c.logEntry.From)},
		{"to", (*shown)(&c.logEntry.To)},
		{"revision", (*integer)(&c.logEntry.Revision)},
	}
	c.objects[transfer.KindComment] = object{
		{"problem", (*integer)(&c.comment.Problem)},
		{"identifier", (*identifier)(&c.comment.ID)},
		{"author", (*identifier)(&c.comment.Author)},
		{"via", (*reference)(&c.comment.Via)},
		{"creationDate", (*moment)(&c.comment.Created)},
		{"text", (*str)(&c.comment.Text)},
		{"html", (*nullText)(&c.comment.HTML)},
		{"editDate", (*date)(&c.comment.Edited)},
		{"editor", (*reference)(&c.comment.Editor)},
		{"deleted", (*boolean)(&c.comment.Deleted)},
	}
	c.objects[transfer.KindKeyword] = object{
		{"problem", (*integer)(&c.keyword.Problem)},
		{"name", (*str)(&c.keyword.Name)},
		{"value", (*nullText)(&c.keyword.Value)},
	}
	c.objects[transfer.KindRelationship] = object{
		{"problem", (*integer)(&c.relationship.Owner)},
		{"type", (*str)(&c.relationship.Type)},
		{"problemIdentifier", (*integer)(&c.relationship.Other)},
		{"creationDate", (*moment)(&c.relationship.Created)},
		{"author", (*identifier)(&c.relationship.Author)},
	}
	c.objects[transfer.KindWatcher] = object{
		{"problem", (*integer)(&c.watcher.Problem)},
		{"user", (*identifier)(&c.watcher.User)},
	}
	c.objects[transfer.KindAttachment] = object{
		{"problem", (*integer)(&c.attachment.Problem)},
		{"identifier", (*identifier)(&c.attachment.ID)},
		{"name", (*str)(&c.attachment.Name)},
		{"mediaType", (*str)(&c.attachment.MediaType)},
		{"size", (*integer)(&c.attachment.Bytes)},
		{"sha256", (*digest)(&c.attachment.Digest)},
		{"author", (*identifier)(&c.attachment.Author)},
		{"creationDate", (*moment)(&c.attachment.Created)},
		{"deleteDate", (*date)(&c.attachment.Deleted)},
	}
	c.objects[transfer.KindReadMark] = object{
		{"problem", (*integer)(&c.readMark.Problem)},
		{"user", (*identifier)(&c.readMark.User)},
	}
}

func (c *codec) describeFeed() {
	e := &c.event
	c.objects[transfer.KindEvent] = object{
		{"number", (*integer)(&e.Number)},
		{"batchIdentifier", (*identifier)(&e.Batch)},
		{"creationDate", (*moment)(&e.At)},
		{"author", (*reference)(&e.Author)},
		{"via", (*reference)(&e.Via)},
		{"type", (*str)(&e.Type)},
		{"problem", (*positive)(&e.Problem)},
		{"revision", (*positive)(&e.Revision)},
		{"title", (*nullable)(&e.Title)},
		{"state", (*reference)(&e.State)},
		{"objectKind", (*nullable)(&e.Event.Kind)},
		{"object", (*reference)(&e.Object)},
		{"name", (*nullable)(&e.Name)},
		{"lines", (*lines)(&e.Lines)},
	}
}

// fieldMember returns the member with the value of a field of the problem.
func fieldMember(f *problem.Field, p *problem.Problem) member {
	return member{f.Name, problem.Value(f, p, valueIn{})}
}

// valueIn returns the values of fields in a line.
type valueIn struct{}

// Text implements problem.Kinds, as do the methods below.
func (valueIn) Text(f *problem.Field, text *string) value {
	if f.Required {
		return (*str)(text)
	}
	return (*nullable)(text)
}

// Reference returns an identifier, or one that can be null.
func (valueIn) Reference(f *problem.Field, id *ident.ID) value {
	if f.Required {
		return (*identifier)(id)
	}
	return (*reference)(id)
}

// Date returns a day, or null.
func (valueIn) Date(_ *problem.Field, d *calendar.Date) value { return (*day)(d) }

// Time returns a time, or one that can be null.
func (valueIn) Time(f *problem.Field, at *time.Time) value {
	if f.Required {
		return (*moment)(at)
	}
	return (*date)(at)
}

// limit leaves out the members that an archive of this version does not have: they are null.
// since gives the version of each member added after the oldest version.
func (c *codec) limit(v version, since [transfer.KindEnd]map[string]version) {
	for kind, members := range since {
		c.objects[kind] = slices.DeleteFunc(c.objects[kind], func(m member) bool { return members[m.name] > v })
	}
}

// put sets the record of its kind.
func (c *codec) put(record transfer.Record) {
	switch r := record.(type) {
	case transfer.Start:
		c.start = r
	case transfer.State:
		c.state = r
	case transfer.Priority:
		c.priority = r
	case transfer.Classification:
		c.classification = r
	case transfer.Component:
		c.component = r
	case transfer.Milestone:
		c.milestone = r
	case transfer.User:
		c.user = r
	case transfer.Token:
		c.token = r
	case transfer.SavedQuery:
		c.savedQuery = r
	case transfer.Webhook:
		c.webhook = r
	case transfer.AuditEntry:
		c.auditEntry = r
	case transfer.Problem:
		c.problem = r
	case transfer.Savepoint:
		c.savepoint = r
	case transfer.LogEntry:
		c.logEntry = r
	case transfer.Comment:
		c.comment = r
	case transfer.Keyword:
		c.keyword = r
	case transfer.Relationship:
		c.relationship = r
	case transfer.Watcher:
		c.watcher = r
	case transfer.ReadMark:
		c.readMark = r
	case transfer.Attachment:
		c.attachment = r
	case transfer.Event:
		c.event = r
	}
}

// take returns the record of a kind, and leaves an empty one in its place.
func (c *codec) take(kind transfer.Kind) transfer.Record {
	switch kind {
	case transfer.KindStart:
		return take(&c.start)
	case transfer.KindState:
		return take(&c.state)
	case transfer.KindPriority:
		return take(&c.priority)
	case transfer.KindClassification:
		return take(&c.classification)
	case transfer.KindComponent:
		return take(&c.component)
	case transfer.KindMilestone:
		return take(&c.milestone)
	case transfer.KindUser:
		return take(&c.user)
	case transfer.KindToken:
		return take(&c.token)
	case transfer.KindSavedQuery:
		return take(&c.savedQuery)
	case transfer.KindWebhook:
		return take(&c.webhook)
	case transfer.KindAuditEntry:
		return take(&c.auditEntry)
	case transfer.KindProblem:
		return take(&c.problem)
	case transfer.KindSavepoint:
		return take(&c.savepoint)
	case transfer.KindLogEntry:
		return take(&c.logEntry)
	case transfer.KindComment:
		return take(&c.comment)
	case transfer.KindKeyword:
		return take(&c.keyword)
	case transfer.KindRelationship:
		return take(&c.relationship)
	case transfer.KindWatcher:
		return take(&c.watcher)
	case transfer.KindReadMark:
		return take(&c.readMark)
	case transfer.KindAttachment:
		return take(&c.attachment)
	default:
		return take(&c.event)
	}
}

func take[T transfer.Record](from *T) T {
	record := *from
	*from = *new(T)
	return record
}
