package boltstore

import (
	"bytes"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// apply applies the Change, and raises the versions affected by 1.
func (c contents) apply(change store.Change) error {
	for _, effect := range change.Effects {
		if err := c.effect(effect, change.Batch); err != nil {
			return err
		}
	}
	for _, entry := range change.Log {
		if err := c.add(entries, number(entry.Problem), entry); err != nil {
			return err
		}
	}
	if err := c.enter(change); err != nil {
		return err
	}
	catalogue, access := change.Raises()
	if catalogue {
		if err := c.raise(catalogueVersion, change.Batch); err != nil {
			return err
		}
	}
	if access {
		return c.raise(accessVersion, change.Batch)
	}
	return nil
}

// raise raises a counter by 1.
func (c contents) raise(name string, batch ident.ID) error {
	return c.count(name, c.counter(name).Next(batch))
}

// effect applies one effect.
func (c contents) effect(effect store.Effect, batch ident.ID) error {
	switch e := effect.(type) {
	case store.CreateProblem:
		return c.create(e.Problem, e.Size, batch)
	case store.UpdateProblem:
		return c.update(e.Problem, e.Size, batch)
	case store.PutSavepoint:
		return c.add(savepoints, number(e.Problem.ID), snapshot.Savepoint{Batch: batch, Problem: e.Problem})
	case store.AddComment:
		return c.add(comments, number(e.Problem), e.Comment)
	case store.PutComment:
		return c.putComment(e)
	case store.PutAttachment:
		return c.putAttachment(e)
	case store.PutClaim:
		return c.putClaim(e)
	case store.PutKeyword:
		return c.put(keywords, keywordKey(e.Problem, e.Keyword.Name), e.Keyword.Value)
	case store.DropKeyword:
		return c.drop(keywords, keywordKey(e.Problem, e.Name))
	case store.PutRelationship:
		return c.relate(e.Relationship)
	case store.DropRelationship:
		return c.drop(relationships, relationshipKey(e.Owner, e.Type, e.Other))
	case store.Watch:
		return c.mark(watchers, userKey(e.Problem, e.User))
	case store.Unwatch:
		return c.drop(watchers, userKey(e.Problem, e.User))
	case store.MarkRead:
		if e.Read {
			return c.mark(readers, userKey(e.Problem, e.User))
		}
		return c.drop(readers, userKey(e.Problem, e.User))
	case store.ForgetReads:
		return c.forgetReads(e.Problem, e.But)
	case store.PutState:
		return c.put(states, e.State.ID[:], e.State)
	case store.PutPriority:
		return c.put(priorities, e.Priority.ID[:], e.Priority)
	case store.PutClassification:
		return c.put(classifications, e.Classification.ID[:], e.Classification)
	case store.PutComponent:
		return c.put(components, e.Component.ID[:], e.Component)
	case store.PutMilestone:
		return c.put(milestones, e.Milestone.ID[:], e.Milestone)
	case store.PutUser:
		return c.put(users, e.User.ID[:], e.User)
	case store.PutToken:
		return c.putAtPosition(tokens, tokenPositions, e.Token.ID, e.Token)
	case store.MarkUsed:
		return c.markUsed(e)
	case store.Publish: // see enter
		return nil
	case store.ForgetFeed:
		return c.forgetFeed(e.Through)
	case store.AppendAudit:
		return c.add(auditLog, nil, e.Entry)
	case store.PutQuery:
		return c.putAtPosition(queries, queryPositions, e.Query.ID, e.Query)
	case store.DropQuery:
		return c.dropAtPosition(queries, queryPositions, e.ID)
	case store.PutSession:
		return c.putAtPosition(sessions, sessionPositions, e.Session.ID, e.Session)
	case store.DropSession:
		return c.dropAtPosition(sessions, sessionPositions, e.ID)
	case store.PutWebhook:
		return c.putWebhook(e.Endpoint)
	case store.DropWebhook:
		return c.dropAtPosition(webhooks, webhookPositions, e.ID)
	case store.PutProgress:
		return c.putProgress(e)
	case store.PutLease:
		return c.put(leases, []byte(e.Lease.Name), e.Lease)
	case store.Rewrite:
		return c.rewrite(e)
	case store.RewriteAudit:
		return c.rewriteAudit(e)
	case store.EmptyReplies:
		return c.emptyReplies(e.About)
	case store.KeepReply:
		return c.keepReply(e.Reply)
	case store.Expire:
		return c.forget(e.Before)
	}
	return unsupported(effect)
}

func (c contents) create(p problem.Problem, size int64, batch ident.ID) error {
	if c.has(problems, number(p.ID)) {
		return conflict("problem %d exists already", p.ID)
	}
	return c.store(p, size, batch)
}

func (c contents) update(p problem.Problem, size int64, batch ident.ID) error {
	if !c.has(problems, number(p.ID)) {
		return conflict("problem %d does not exist", p.ID)
	}
	return c.store(p, size, batch)
}

// store stores a problem, its size and its batch.
func (c contents) store(p problem.Problem, size int64, batch ident.ID) error {
	if err := failure(c.in(revisions).Put(number(p.ID), append(batch[:], number(size)...))); err != nil {
		return err
	}
	return c.put(problems, number(p.ID), p)
}

// putComment replaces a comment under its key: the key has its position.
func (c contents) putComment(e store.PutComment) error {
	for key, data := range c.under(comments, number(e.Problem)) {
		comment, err := decode[problem.Comment](data)
		if err != nil {
			return err
		}
		if comment.ID == e.Comment.ID {
			return c.put(comments, bytes.Clone(key), e.Comment)
		}
	}
	return conflict("problem %d has no comment %v", e.Problem, e.Comment.ID)
}

// putAttachment replaces the record under its key, or adds it: the key has its position.
func (c contents) putAttachment(e store.PutAttachment) error {
	own := number(e.Problem)
	for key, data := range c.under(attachments, own) {
		a, err := decode[problem.Attachment](data)
		if err != nil {
			return err
		}
		if a.ID == e.Attachment.ID {
			return c.put(attachments, bytes.Clone(key), e.Attachment)
		}
	}
	return c.add(attachments, own, e.Attachment)
}

func (c contents) putClaim(e store.PutClaim) error {
	if !c.has(problems, number(e.Problem)) {
		return conflict("problem %d does not exist", e.Problem)
	}
	return c.put(claims, number(e.Problem), e.Claim)
}

func (c contents) relate(side relationship.Relationship) error {
	key := relationshipKey(side.Owner, side.Type, side.Other)
	if c.has(relationships, key) {
		return conflict("problem %d is %s problem %d already", side.Owner, side.Type, side.Other)
	}
	return c.put(relationships, key, side)
}

func (c contents) forgetReads(id problem.ID, but ident.ID) error {
	keep := userKey(id, but)
	var gone [][]byte
	for key := range c.under(readers, number(id)) {
		if !bytes.Equal(key, keep) {
			gone = append(gone, bytes.Clone(key))
		}
	}
	for _, key := range gone {
		if err := c.drop(readers, key); err != nil {
			return err
		}
	}
	return nil
}

// putAtPosition leaves an object at its first position.
func (c contents) putAtPosition(bucket, positions string, id ident.ID, object any) error {
	position := bytes.Clone(c.in(positions).Get(id[:]))
	if position == nil {
		next, err := c.in(bucket).NextSequence()
		if err != nil {
			return failure(err)
		}
		position = number(next)
		if err := c.in(positions).Put(id[:], position); err != nil {
			return failure(err)
		}
	}
	return c.put(bucket, position, object)
}

func (c contents) markUsed(e store.MarkUsed) error {
	position := bytes.Clone(c.in(tokenPositions).Get(e.Token[:]))
	if position == nil {
		return nil
	}
	t, _, err := get[access.Token](c, tokens, position)
	if err != nil || !t.LastUse.Before(e.At) {
		return err
	}
	t.LastUse = e.At
	return c.put(tokens, position, t)
}

// dropAtPosition removes an object and its position, if it is there.
func (c contents) dropAtPosition(bucket, positions string, id ident.ID) error {
	position := bytes.Clone(c.in(positions).Get(id[:]))
	if position == nil {
		return nil
	}
	if err := c.drop(positions, id[:]); err != nil {
		return err
	}
	return c.drop(bucket, position)
}

// keepReply stores a reply, and takes its predecessor out of ages.
func (c contents) keepReply(r store.Reply) error {
	key := replyKey(r.User, r.Key)
	replaced, ok, err := get[store.Reply](c, replies, key)
	if err != nil {
		return err
	}
	if ok {
		if err := c.drop(ages, ageKey(replaced.Created, key)); err != nil {
			return err
		}
	}
	return c.keep(replies, key, r.Created, r)
}
