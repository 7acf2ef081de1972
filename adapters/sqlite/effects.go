package sqlite

import (
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// apply does what the Change says, and raises the versions that it concerns by 1.
func (t *transaction) apply(change store.Change) error {
	for _, effect := range change.Effects {
		if err := t.effect(change, effect); err != nil {
			return err
		}
	}
	for _, entry := range change.Log {
		if err := t.log(entry); err != nil {
			return err
		}
	}
	catalogue, access := change.Raises()
	if catalogue {
		t.Catalogue++
	}
	if access {
		t.Access++
	}
	return nil
}

// effect does one effect of the Change.
func (t *transaction) effect(change store.Change, effect store.Effect) (err error) {
	switch e := effect.(type) {
	case store.CreateProblem:
		return t.create(e.Problem)
	case store.UpdateProblem:
		return t.update(e.Problem)
	case store.PutSavepoint:
		_, err = t.exec("INSERT INTO savepoints (problem, position, batch, "+fieldColumns+") "+
			"VALUES (?, ?, ?, "+fieldMarks+")",
			append([]any{e.Problem.ID, t.next(), change.Batch.String()}, fieldValues(e.Problem)...)...)
	case store.AddComment:
		_, err = t.exec("INSERT INTO comments (position, problem, id, author, created, text, html) VALUES (?, ?, ?, ?, ?, ?, ?)",
			t.next(), e.Problem, e.Comment.ID.String(), uuid(e.Comment.Author), moment(e.Comment.Created), e.Comment.Text, nullText(e.Comment.HTML))
	case store.PutKeyword:
		_, err = t.exec("INSERT INTO keywords (problem, name, value) VALUES (?, ?, ?) "+
			"ON CONFLICT (problem, name) DO UPDATE SET value = excluded.value",
			e.Problem, e.Keyword.Name, nullText(e.Keyword.Value))
	case store.DropKeyword:
		_, err = t.exec("DELETE FROM keywords WHERE problem = ? AND name = ?", e.Problem, e.Name)
	case store.PutRelationship:
		return t.relate(e.Relationship)
	case store.DropRelationship:
		_, err = t.exec("DELETE FROM relationships WHERE owner = ? AND type = ? AND other = ?", e.Owner, typeCode(e.Type), e.Other)
	case store.MoveFamily:
		_, err = t.exec("INSERT INTO families (type, epoch) VALUES (?, 1) ON CONFLICT (type) DO UPDATE SET epoch = epoch + 1", typeCode(e.Family))
	case store.Watch:
		_, err = t.exec("INSERT INTO watchers (problem, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING", e.Problem, uuid(e.User))
	case store.Unwatch:
		_, err = t.exec("DELETE FROM watchers WHERE problem = ? AND user_id = ?", e.Problem, uuid(e.User))
	case store.MarkRead:
		if e.Read {
			_, err = t.exec("INSERT INTO reads (problem, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING", e.Problem, uuid(e.User))
		} else {
			_, err = t.exec("DELETE FROM reads WHERE problem = ? AND user_id = ?", e.Problem, uuid(e.User))
		}
	case store.ForgetReads:
		_, err = t.exec("DELETE FROM reads WHERE problem = ? AND user_id IS NOT ?", e.Problem, uuid(e.But))
	case store.PutState:
		return t.putState(e.State)
	case store.PutPriority:
		return t.put(newPriorityRow(e.Priority))
	case store.PutClassification:
		return t.put(newClassificationRow(e.Classification))
	case store.PutComponent:
		return t.put(newComponentRow(e.Component))
	case store.PutMilestone:
		return t.put(newMilestoneRow(e.Milestone))
	case store.PutUser:
		return t.put(newUserRow(e.User))
	case store.PutToken:
		return t.put(newTokenRow(e.Token, t.next()))
	case store.KeepReply:
		_, err = t.exec("INSERT INTO replies (user_id, key, fingerprint, created, body) VALUES (?, ?, ?, ?, ?) "+
			"ON CONFLICT (user_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, created = excluded.created, body = excluded.body",
			uuid(e.Reply.User), e.Reply.Key, digest(e.Reply.Fingerprint), moment(e.Reply.Created), body(e.Reply.Body))
	case store.Expire:
		if _, err = t.exec("DELETE FROM batches WHERE at < ?", notBefore(e.Before)); err == nil {
			_, err = t.exec("DELETE FROM replies WHERE created < ?", notBefore(e.Before))
		}
	default:
		return unsupported(effect)
	}
	return err
}

// fieldColumns are the columns that problems and savepoints share, in the order
// of fieldValues and of fields, and fieldMarks is what stands for their values.
const (
	fieldColumns = "title, state, priority, classification, component, milestone, assignee, " +
		"originator, created, modifier, modified, resolver, resolved, revision"
	fieldMarks = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
)

func fieldValues(p problem.Problem) []any {
	return []any{
		p.Title, uuid(p.State), uuid(p.Priority), uuid(p.Classification), uuid(p.Component), uuid(p.Milestone), uuid(p.Assignee),
		uuid(p.Originator), moment(p.Created), uuid(p.Modifier), moment(p.Modified), uuid(p.Resolver), moment(p.Resolved), p.Revision,
	}
}

func (t *transaction) create(p problem.Problem) error {
	added, err := t.exec("INSERT INTO problems (id, "+fieldColumns+") "+
		"VALUES (?, "+fieldMarks+") ON CONFLICT (id) DO NOTHING",
		append([]any{p.ID}, fieldValues(p)...)...)
	return unless(added > 0, err, "problem %d exists already", p.ID)
}

func (t *transaction) update(p problem.Problem) error {
	changed, err := t.exec("UPDATE problems SET ("+fieldColumns+") = ("+fieldMarks+") WHERE id = ?",
		append(fieldValues(p), p.ID)...)
	return unless(changed > 0, err, "problem %d does not exist", p.ID)
}

func (t *transaction) relate(side relationship.Relationship) error {
	added, err := t.exec("INSERT INTO relationships (owner, type, other, created, author) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		side.Owner, typeCode(side.Type), side.Other, moment(side.Created), uuid(side.Author))
	return unless(added > 0, err, "problem %d is %s problem %d already", side.Owner, side.Type, side.Other)
}

func (t *transaction) log(e problem.LogEntry) error {
	_, err := t.exec("INSERT INTO log (problem, position, id, type, created, author, batch, field, old_value, new_value, revision) "+
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		e.Problem, t.next(), e.ID.String(), string(e.Type), moment(e.Created), uuid(e.Author), e.Batch.String(), e.Field, string(e.From), string(e.To), e.Revision)
	return err
}
