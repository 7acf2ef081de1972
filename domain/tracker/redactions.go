package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// Places counts the places of a redacted text, by kind (D45). A place is a whole record, however
// often it has the text.
type Places struct {
	Title, Savepoints, Keywords, Comments, Attachments, Log, Events int
}

// Total returns the number of all places.
func (p Places) Total() int {
	return p.Title + p.Savepoints + p.Keywords + p.Comments + p.Attachments + p.Log + p.Events
}

// Redact replaces a text in a problem for good, or in one of its comments, or the name of an
// attachment, whose file goes as well (D45). It fails with fault.CommentNotFound or
// fault.AttachmentNotFound, with fault.Forbidden for a comment of somebody else, and with
// fault.InUse for the name of a current keyword.
func (s *Service) Redact(ctx context.Context, caller Caller, id problem.ID, cmd Redact) (Answer[Places], error) {
	parts := snapshot.Log | snapshot.Comments
	if cmd.Comment.IsNone() {
		parts |= snapshot.Keywords | snapshot.Savepoints | snapshot.Attachments
	}
	a, err := core.Run(ctx, s.core, core.Command[loaded, Answer[Places]]{
		Locks:  []writerlocks.Key{writerlocks.Problem(id)},
		DryRun: cmd.DryRun,
		Load: func(ctx context.Context, r store.Reader) (loaded, error) {
			return s.As(caller).load(ctx, r, id, parts)
		},
		Prepare: func(ctx context.Context, l *loaded) error { return s.core.ReserveRewrite(ctx, l.Size) },
		Decide: func(l loaded, m changes.Moment) (store.Change, Answer[Places], error) {
			return decideRedact(caller, cmd, l, m)
		},
	})
	if err == nil && cmd.Attachment.Sent && !cmd.DryRun {
		err = s.removeFile(ctx, id, cmd.Attachment.Value)
	}
	return a, err
}

// removeFile removes the file of a redacted attachment. A repeat of the redaction tries again.
func (s *Service) removeFile(ctx context.Context, id problem.ID, attachment string) error {
	of, err := ident.Parse(attachment)
	if err != nil {
		return err
	}
	if s.files == nil {
		err = noFiles()
	} else if err = s.usableFiles(ctx, true); err == nil {
		err = s.files.Delete(ctx, blob.Key{Problem: id, Attachment: of})
	}
	if err != nil {
		return fault.Wrap(fault.UnknownOutcome, err, "the name is redacted, and the file cannot be removed for the moment: repeat the request")
	}
	return nil
}

func decideRedact(caller Caller, cmd Redact, l loaded, m changes.Moment) (store.Change, Answer[Places], error) {
	redaction, err := checkRedact(caller, cmd, l)
	if err != nil {
		return store.Change{}, Answer[Places]{}, err
	}
	r := redacting{Redaction: redaction, of: &l.Snapshot, builder: changes.NewBuilder(m, caller.Author(), l.Problem), rewrite: store.Rewrite{Problem: l.ID}}
	switch {
	case cmd.Attachment.Sent:
		err = r.attachment(cmd.Attachment.Value)
	case cmd.Comment.IsNone():
		err = r.problem()
	default:
		r.comment(cmd.Comment)
	}
	if err != nil {
		return store.Change{}, Answer[Places]{}, err
	}
	places := r.places
	if places.Total() == 0 {
		return store.Change{}, answer(places, l), nil
	}
	cb := r.builder
	if r.deleted == "" {
		cb.Corrective(&l.Snapshot)
	} else {
		cb.Significant(&l.Snapshot)
		cb.AddLog(&l.Snapshot, problem.AttachmentDeleted, "attachments", r.deleted, "")
	}
	cb.AddEffect(r.rewrite)
	cb.AddEffect(store.EmptyReplies{About: store.About{Problem: l.ID, Comment: cmd.Comment}})
	cb.AddLog(&l.Snapshot, problem.Redacted, "", "", problem.LogPlaces(places.Total()))
	cb.StoreProblem(&l.Snapshot)
	return cb.Change, answer(places, l), nil
}

// checkRedact returns the redaction of a command, in the order of D18.
func checkRedact(caller Caller, cmd Redact, l loaded) (r problem.Redaction, err error) {
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return r, err
	}
	faults := cmd.Faults
	if cmd.Attachment.Sent {
		if cmd.Text.Sent {
			faults.Add(fault.InvalidValue, fault.At("attachment"), "a redaction is about a text or about an attachment: send one of both")
		}
		if cmd.Attachment.Null {
			faults.Add(fault.InvalidValue, fault.At("attachment"), "must be the identifier of an attachment")
		}
		r.Replacement = attachmentReplacement(cmd, &faults)
		return r, faults.Err()
	}
	body.Require(&faults, cmd.Text.Sent, fault.At("text"), "a redaction needs the text to replace")
	if cmd.Text.Sent {
		r.Text = body.Line(problem.RedactedText, cmd.Text, fault.At("text"), &faults)
	}
	replacement := problem.DefaultReplacement
	if cmd.Replacement.Sent {
		replacement = body.Line(text.Rule{}, cmd.Replacement, fault.At("replacement"), &faults)
	}
	if r.Text != "" && !cmd.Replacement.Null {
		redaction, err := problem.NewRedaction(r.Text, replacement)
		if err != nil {
			faults.Add(fault.InvalidValue, fault.At("replacement"), "%v: choose another one than %s", err, problem.DefaultReplacement)
		}
		r = redaction
	}
	if err := faults.Err(); err != nil || cmd.Comment.IsNone() {
		return r, err
	}
	for _, c := range l.Comments { // also a deleted one: the log has its text
		if c.ID == cmd.Comment {
			return r, checkAuthor(caller, c.Author, "comment", "redact")
		}
	}
	return r, fault.New(fault.CommentNotFound, "the problem has no such comment")
}

// attachmentReplacement returns the new name of a redacted attachment.
func attachmentReplacement(cmd Redact, faults *fault.List) string {
	if !cmd.Replacement.Sent {
		return problem.DefaultReplacement
	}
	name, err := problem.CheckAttachmentName(cmd.Replacement.Value)
	if err != nil {
		faults.Add(fault.InvalidValue, fault.At("replacement"), "%v", err)
	}
	return name
}

// redacting collects the effects of a redaction.
type redacting struct {
	problem.Redaction
	of      *snapshot.Snapshot
	builder *changes.Builder
	rewrite store.Rewrite
	places  Places
	deleted problem.LogValue // an attachment that this redaction deletes
}

// problem redacts everything in the problem. It fails with fault.InUse or fault.InvalidValue for
// the name of a keyword.
func (r *redacting) problem() error {
	if err := r.checkNames(); err != nil {
		return err
	}
	s := r.of
	titles := r.savepoints()
	if fields := r.Fields(s.Fields); fields != s.Fields {
		s.Size += fields.TextSize() - s.TextSize()
		s.Fields = fields
		r.places.Title++
	}
	for _, k := range s.Keywords {
		if redacted := r.Keyword(k); redacted != k {
			r.builder.AddEffect(store.PutKeyword{Problem: s.ID, Keyword: redacted})
			s.Size += redacted.Size() - k.Size()
			r.places.Keywords++
		}
	}
	for _, c := range s.Comments {
		r.redactComment(c)
	}
	for _, a := range s.Attachments { // also the deleted ones: their records stay
		if redacted := r.Attachment(a); redacted != a {
			r.builder.AddEffect(store.PutAttachment{Problem: s.ID, Attachment: redacted})
			s.Size += redacted.Size() - a.Size()
			r.places.Attachments++
		}
	}
	r.log(r.Entry, titles)
	return nil
}

// attachment deletes an attachment with its name.
func (r *redacting) attachment(identifier string) error {
	id, err := ident.Parse(identifier)
	if err != nil {
		return attachmentNotFound()
	}
	old, err := attachmentOf(*r.of, id)
	if err != nil {
		return err
	}
	redacted := old
	redacted.Name, redacted.MediaType = r.Replacement, problem.UnknownMediaType
	if old.Deleted.IsZero() {
		redacted.Deleted, r.deleted = r.builder.At, redacted.Log()
	}
	if redacted != old {
		r.builder.AddEffect(store.PutAttachment{Problem: r.of.ID, Attachment: redacted})
		r.of.Size += redacted.Size() - old.Size()
		r.places.Attachments++
	}
	r.log(redacted.Renamed, untitled)
	return nil
}

// comment redacts one comment.
func (r *redacting) comment(id ident.ID) {
	for _, c := range r.of.Comments {
		if c.ID == id {
			r.redactComment(c)
		}
	}
	r.log(func(e problem.LogEntry) problem.LogEntry {
		before, ok := e.From.Comment()
		if ok && before.ID == id && (e.Type == problem.CommentEdited || e.Type == problem.CommentDeleted) {
			return r.Entry(e)
		}
		return e
	}, untitled)
}

// untitled leaves the titles of all events.
func untitled(int64) (string, bool) { return "", false }

func (r *redacting) redactComment(c problem.Comment) {
	if redacted := r.Comment(c); redacted != c {
		r.builder.AddEffect(store.PutComment{Problem: r.of.ID, Comment: redacted})
		r.of.Size += redacted.Size() - c.Size()
		r.places.Comments++
	}
}

// savepoints redacts the savepoints. It returns the new title of the problem at a revision,
// if that differs.
func (r *redacting) savepoints() (title func(revision int64) (string, bool)) {
	saved := r.of.Savepoints
	for _, s := range saved {
		if fields := r.Fields(s.Fields); fields != s.Fields {
			r.of.Size += fields.TextSize() - s.TextSize()
			s.Fields = fields
			r.rewrite.Savepoints = append(r.rewrite.Savepoints, s)
			r.places.Savepoints++
		}
	}
	next := 0
	at := r.of.Title // of an imported problem without savepoints
	return func(revision int64) (string, bool) {
		for next < len(saved) && saved[next].Revision <= revision {
			at = saved[next].Title
			next++
		}
		redacted := r.In(at)
		return redacted, redacted != at
	}
}

// log redacts the entries of the log, and the titles of events. title is called for the
// revisions in ascending order.
func (r *redacting) log(entry func(problem.LogEntry) problem.LogEntry, title func(revision int64) (string, bool)) {
	var event ident.ID // the last counted one
	count := func(batch ident.ID) {
		if batch != event {
			r.places.Events++
		}
		event = batch
	}
	var titled ident.ID // the last batch with a known title
	for _, e := range r.of.Log {
		if e.Batch != titled {
			titled = e.Batch
			if at, changed := title(e.Revision); changed {
				r.rewrite.Titles = append(r.rewrite.Titles, store.BatchTitle{Batch: e.Batch, Title: at})
				count(e.Batch)
			}
		}
		if redacted := entry(e); redacted != e {
			r.rewrite.Log = append(r.rewrite.Log, redacted)
			r.of.Size += redacted.Size() - e.Size()
			r.places.Log++
			count(e.Batch)
		}
	}
}

// checkNames refuses a redaction of the name of a current keyword, one that gives two keywords of
// the log the same name, and one that gives a file an impossible name.
func (r *redacting) checkNames() error {
	names := make(map[string]string) // after the redaction, and before
	for _, k := range r.of.Keywords {
		if r.In(k.Name) != k.Name {
			return fault.New(fault.InUse, "the text is in the name of a keyword: delete the keyword first, because others find it by its name")
		}
		names[k.Name] = k.Name
	}
	for _, a := range r.of.Attachments {
		if name := r.In(a.Name); name != a.Name {
			if _, err := problem.CheckAttachmentName(name); err != nil {
				var faults fault.List
				faults.Add(fault.InvalidValue, fault.At("replacement"), "with it, the attachment %s would have a name that files cannot have: choose another replacement", a.ID)
				return faults.Err()
			}
		}
	}
	for _, e := range r.of.Log {
		if e.Type != problem.KeywordSet && e.Type != problem.KeywordDeleted {
			continue
		}
		name, err := text.KeywordName.Kept().Apply(r.In(e.Field))
		if before, taken := names[name]; err != nil && name != e.Field || taken && before != e.Field {
			var faults fault.List
			faults.Add(fault.InvalidValue, fault.At("replacement"), "with it, a former keyword would have the name of another one, or an impossible one: choose another replacement")
			return faults.Err()
		}
		names[name] = e.Field
	}
	return nil
}
