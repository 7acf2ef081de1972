package sqlstore

import (
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Effects returns the statements of a Change, in its order, but
// for its batch and its versions. next gives positions, where the database does
// not count them. It fails with fault.Unsupported.
func (d *Dialect) Effects(change store.Change, next func() int64) ([]Statement, error) {
	w := writer{Dialect: d, next: next, batch: change.Batch, expect: change.Expect,
		statements: make([]Statement, 0, len(change.Effects)+len(change.Log))}
	for _, effect := range change.Effects {
		if err := w.effect(effect); err != nil {
			return nil, err
		}
	}
	for _, entry := range change.Log {
		w.put(d.logRow(entry))
	}
	if err := w.publish(change); err != nil {
		return nil, err
	}
	return w.statements, nil
}

// writer collects the statements of a Change.
type writer struct {
	*Dialect
	next       func() int64
	batch      ident.ID
	expect     []store.Expectation
	statements []Statement
}

func (w *writer) put(r Row) { w.statements = append(w.statements, r.Statement(w.Dialect, w.next)) }

func (w *writer) do(sql string, args ...any) {
	w.statements = append(w.statements, Statement{SQL: sql, Args: args})
}

func (w *writer) effect(effect store.Effect) error {
	switch e := effect.(type) {
	case store.CreateProblem:
		w.put(w.problemRow(e.Problem, e.Size, w.batch))
	case store.UpdateProblem:
		w.updateProblem(e)
	case store.PutSavepoint:
		w.put(w.savepointRow(snapshot.Savepoint{Batch: w.batch, Problem: e.Problem}))
	case store.AddComment:
		w.put(w.commentRow(e.Problem, e.Comment))
	case store.PutComment:
		w.putComment(e)
	case store.PutAttachment:
		w.put(w.attachmentRow(e.Problem, e.Attachment))
	case store.PutClaim:
		w.statements = append(w.statements, Statement{putClaim,
			[]any{w.ID(e.Claim.ID), w.ID(e.Claim.Holder), w.ID(e.Claim.Via), micros(e.Claim.Expires), int64(e.Problem)}, "a problem that is to be claimed does not exist"})
	case store.PutKeyword:
		w.put(w.keywordRow(e.Problem, e.Keyword))
	case store.DropKeyword:
		w.do("DELETE FROM keywords WHERE problem = ? AND name = ?", int64(e.Problem), e.Name)
	case store.PutRelationship:
		w.put(w.relationshipRow(e.Relationship))
	case store.DropRelationship:
		w.do("DELETE FROM relationships WHERE owner = ? AND type = ? AND other = ?", int64(e.Owner), typeCode(e.Type), int64(e.Other))
	case store.Watch:
		w.put(w.watcherRow(e.Problem, e.User))
	case store.Unwatch:
		w.do("DELETE FROM watchers WHERE problem = ? AND user_id = ?", int64(e.Problem), w.ID(e.User))
	case store.MarkRead:
		if e.Read {
			w.put(w.readRow(e.Problem, e.User))
		} else {
			w.do("DELETE FROM reads WHERE problem = ? AND user_id = ?", int64(e.Problem), w.ID(e.User))
		}
	case store.ForgetReads:
		w.do("DELETE FROM reads WHERE problem = ? AND user_id IS DISTINCT FROM ?", int64(e.Problem), w.ID(e.But))
	case store.PutState:
		w.putState(e.State)
	case store.PutPriority:
		w.putModel(newPriorityRow(e.Priority))
	case store.PutClassification:
		w.putModel(newClassificationRow(e.Classification))
	case store.PutComponent:
		w.putModel(newComponentRow(e.Component))
	case store.PutMilestone:
		w.putModel(newMilestoneRow(e.Milestone))
	case store.PutUser:
		w.putModel(newUserRow(e.User))
	case store.PutToken:
		w.put(w.tokenRow(e.Token))
	case store.MarkUsed:
		w.do("UPDATE tokens SET last_use = ? WHERE id = ? AND (last_use IS NULL OR last_use < ?)", micros(e.At), w.ID(e.Token), micros(e.At))
	case store.AppendAudit:
		w.put(w.auditRow(e.Entry))
	case store.Publish: // all of them make one row: see publish
	case store.ForgetFeed:
		w.do(forgetFeed, e.Through)
	case store.PutQuery:
		w.put(w.queryRow(e.Query))
	case store.DropQuery:
		w.do("DELETE FROM queries WHERE id = ?", w.ID(e.ID))
	case store.PutSession:
		w.put(w.sessionRow(e.Session))
	case store.DropSession:
		w.do("DELETE FROM sessions WHERE id = ?", w.ID(e.ID))
	case store.PutWebhook:
		return w.putWebhook(e.Endpoint)
	case store.DropWebhook:
		w.do("DELETE FROM webhooks WHERE id = ?", w.ID(e.ID))
	case store.PutProgress:
		return w.putProgress(e)
	case store.PutLease:
		w.put(w.leaseRow(e.Lease))
	case store.Rewrite, store.RewriteAudit: // see Rewrites
	case store.EmptyReplies:
		w.emptyReplies(e.About)
	case store.KeepReply:
		w.keepReply(e.Reply)
	case store.Expire:
		w.do("DELETE FROM batches WHERE at < ?", notBefore(e.Before))
		w.do("DELETE FROM replies WHERE created < ?", notBefore(e.Before))
	default:
		return Unsupported(effect)
	}
	return nil
}

// putComment replaces all columns but the position.
func (w *writer) putComment(e store.PutComment) {
	values := w.commentRow(e.Problem, e.Comment).Values
	w.statements = append(w.statements, Statement{putComment, append(values[2:], values[:2]...), "a comment that is to be replaced does not exist"})
}

const putComment = "UPDATE comments SET (author, via, created, text, html, edited, editor, deleted, text_c, text_cd) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE problem = ? AND id = ?"

const putClaim = "UPDATE problems SET (claim, claim_holder, claim_via, claim_expires) = (?, ?, ?, ?) WHERE id = ?"

// keepReply puts a reply. If the Change expects its key to be unused, it does not replace
// a recent reply. Another transaction may have just stored one, while this one waited for
// it.
func (w *writer) keepReply(r store.Reply) {
	args := []any{w.ID(r.User), r.Key, r.Fingerprint[:], micros(r.Created), bytes(r.Body), int64(r.About.Problem), w.ID(r.About.Comment)}
	for _, expectation := range w.expect {
		if e, ok := expectation.(store.KeyUnused); ok && e.User == r.User && e.Key == r.Key {
			w.statements = append(w.statements, Statement{keepReply + " WHERE replies.created < ?", append(args, notBefore(e.Since)), keyUsed})
			return
		}
	}
	w.do(keepReply, args...)
}

const replyColumns = "user_id, key, fingerprint, created, body, about, comment"

var keepReply = insert("replies", replyColumns, placeholders(7), replacing("user_id, key", replyColumns))

// emptyReplies also empties the replies of an older server, which does not say what they are
// about.
func (w *writer) emptyReplies(about store.About) {
	if about.Comment.IsNone() {
		w.do("UPDATE replies SET body = ? WHERE about = ? OR about IS NULL", bytes(nil), int64(about.Problem))
	} else {
		w.do("UPDATE replies SET body = ? WHERE about = ? AND comment = ? OR about IS NULL", bytes(nil), int64(about.Problem), w.ID(about.Comment))
	}
}

// Unsupported returns the fault of a Change with an unknown part.
func Unsupported(part any) error {
	return fault.New(fault.Unsupported, "the store does not know %T", part)
}

func (w *writer) putState(o metadata.State) {
	w.putModel(newStateRow(o))
	w.do("DELETE FROM state_next WHERE state = ?", w.ID(o.ID))
	for place, next := range o.Next {
		w.putModel(&stateNextRow{State: uuid(o.ID), Place: place, Next: uuid(next)})
	}
}

// The rows of problems, of their collections, and of tokens.

func (d *Dialect) problemRow(p problem.Problem, size int64, batch ident.ID) Row {
	return Row{&d.problems, append([]any{int64(p.ID)}, d.problemValues(p, size, batch)...), "a problem that is to be created exists already"}
}

func (d *Dialect) savepointRow(s snapshot.Savepoint) Row {
	return Row{Table: &d.savepoints, Values: append([]any{int64(s.ID), d.ID(s.Batch)}, d.fieldValues(&s.Problem)...)}
}

func (d *Dialect) logRow(e problem.LogEntry) Row {
	return Row{Table: &d.log, Values: []any{
		int64(e.Problem), d.ID(e.ID), string(e.Type), micros(e.Created), d.ID(e.Author), d.ID(e.Via), d.ID(e.Batch),
		e.Field, string(e.From), string(e.To), e.Revision,
	}}
}

func (d *Dialect) attachmentRow(id problem.ID, a problem.Attachment) Row {
	return Row{Table: &d.attachments, Values: []any{
		int64(id), d.ID(a.ID), a.Name, a.MediaType, a.Bytes, a.Digest[:], d.ID(a.Author), micros(a.Created), micros(a.Deleted),
	}}
}

func (d *Dialect) commentRow(id problem.ID, c problem.Comment) Row {
	return Row{Table: &d.comments, Values: withFolded([]any{
		int64(id), d.ID(c.ID), d.ID(c.Author), d.ID(c.Via), micros(c.Created), c.Text, optional(c.HTML), micros(c.Edited), d.ID(c.Editor), c.Deleted,
	}, problem.Text(c.Text))}
}

func (d *Dialect) keywordRow(id problem.ID, k problem.Keyword) Row {
	return Row{Table: &d.keywords, Values: withFolded([]any{int64(id), k.Name, optional(k.Value)}, problem.Text(k.Name), k.Value)}
}

func (d *Dialect) relationshipRow(r relationship.Relationship) Row {
	return Row{&d.relationships, []any{int64(r.Owner), typeCode(r.Type), int64(r.Other), micros(r.Created), d.ID(r.Author)},
		"a relationship that is to be added is there already"}
}

func (d *Dialect) watcherRow(id problem.ID, user ident.ID) Row {
	return Row{Table: &d.watchers, Values: []any{int64(id), d.ID(user)}}
}

func (d *Dialect) readRow(id problem.ID, user ident.ID) Row {
	return Row{Table: &d.reads, Values: []any{int64(id), d.ID(user)}}
}

func (d *Dialect) tokenRow(t access.Token) Row {
	return Row{Table: &d.tokens, Values: []any{
		d.ID(t.ID), d.ID(t.User), string(t.Scope), t.Digest[:], micros(t.Created), micros(t.Expires), micros(t.Revoked), t.Invitation, t.Name, micros(t.LastUse),
	}}
}
