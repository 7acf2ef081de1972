package memory

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// apply does the effect.
func (d *draft) apply(effect store.Effect) error {
	switch e := effect.(type) {
	case store.CreateProblem:
		return d.create(e)
	case store.UpdateProblem:
		return d.edit(e.Problem.ID, func(r *record) { r.problem, r.batch, r.size = e.Problem, d.batch, e.Size })
	case store.PutSavepoint:
		return d.edit(e.Problem.ID, func(r *record) {
			r.savepoints = grown(r.savepoints, d.interned.savepoint(d.batch, &e.Problem))
		})
	case store.AddComment:
		return d.edit(e.Problem, func(r *record) { r.comments = grown(r.comments, e.Comment) })
	case store.PutComment:
		return d.putComment(e)
	case store.PutAttachment:
		return d.edit(e.Problem, func(r *record) {
			put(&r.attachments, e.Attachment, func(a problem.Attachment) bool { return a.ID == e.Attachment.ID })
		})
	case store.PutClaim:
		return d.edit(e.Problem, func(r *record) { r.claim = e.Claim })
	case store.PutKeyword:
		e.Keyword.Name = d.interned.name(e.Keyword.Name)
		return d.edit(e.Problem, func(r *record) { r.putKeyword(e.Keyword) })
	case store.DropKeyword:
		return d.edit(e.Problem, func(r *record) {
			r.keywords = without(r.keywords, func(k problem.Keyword) bool { return k.Name == e.Name })
		})
	case store.PutRelationship:
		return d.relate(e.Relationship)
	case store.DropRelationship:
		return d.edit(e.Owner, func(r *record) {
			r.relationships = without(r.relationships, func(s relationship.Relationship) bool {
				return s.Type == e.Type && s.Other == e.Other
			})
		})
	case store.Watch:
		return d.edit(e.Problem, func(r *record) { r.watchers = with(r.watchers, e.User) })
	case store.Unwatch:
		return d.edit(e.Problem, func(r *record) { r.watchers = without(r.watchers, equals(e.User)) })
	case store.MarkRead:
		return d.edit(e.Problem, func(r *record) { r.mark(e.User, e.Read) })
	case store.ForgetReads:
		return d.edit(e.Problem, func(r *record) {
			r.readers = without(r.readers, func(reader ident.ID) bool { return reader != e.But })
		})
	case store.PutState:
		e.State.Next = slices.Clone(e.State.Next)
		put(&d.content.States, e.State, func(o metadata.State) bool { return o.ID == e.State.ID })
	case store.PutPriority:
		put(&d.content.Priorities, e.Priority, func(o metadata.Priority) bool { return o.ID == e.Priority.ID })
	case store.PutClassification:
		put(&d.content.Classifications, e.Classification, func(o metadata.Classification) bool { return o.ID == e.Classification.ID })
	case store.PutComponent:
		put(&d.content.Components, e.Component, func(o metadata.Component) bool { return o.ID == e.Component.ID })
	case store.PutMilestone:
		put(&d.content.Milestones, e.Milestone, func(o metadata.Milestone) bool { return o.ID == e.Milestone.ID })
	case store.PutUser:
		put(&d.content.Users, e.User, func(o user.User) bool { return o.ID == e.User.ID })
	case store.PutToken:
		put(&d.tokens, e.Token, func(t access.Token) bool { return t.ID == e.Token.ID })
	case store.MarkUsed:
		d.markUsed(e)
	case store.AppendAudit:
		d.audit = append(d.audit, e.Entry)
	case store.Publish:
		d.publish(e.Event)
	case store.ForgetFeed:
		d.forgetFeed(e.Through)
	case store.PutQuery:
		put(&d.queries, e.Query, func(q query.Saved) bool { return q.ID == e.Query.ID })
	case store.DropQuery:
		d.queries = without(d.queries, func(q query.Saved) bool { return q.ID == e.ID })
	case store.PutSession:
		put(&d.sessions, e.Session, func(s access.Session) bool { return s.ID == e.Session.ID })
	case store.DropSession:
		d.sessions = without(d.sessions, func(s access.Session) bool { return s.ID == e.ID })
	case store.PutWebhook:
		d.putWebhook(e.Endpoint)
	case store.DropWebhook:
		d.webhooks = without(d.webhooks, isWebhook(e.ID))
	case store.PutProgress:
		d.putProgress(e)
	case store.PutLease:
		put(&d.leases, e.Lease, func(l lease.Lease) bool { return l.Name == e.Lease.Name })
	case store.Rewrite:
		return d.rewrite(e)
	case store.RewriteAudit:
		return d.rewriteAudit(e)
	case store.EmptyReplies:
		d.emptyReplies(e.About)
	case store.KeepReply:
		d.keep(e.Reply)
	case store.Expire:
		d.expire(e)
	default:
		return unsupported(effect)
	}
	return nil
}

func (d *draft) markUsed(e store.MarkUsed) {
	i := slices.IndexFunc(d.tokens, func(t access.Token) bool { return t.ID == e.Token })
	if i >= 0 && d.tokens[i].LastUse.Before(e.At) {
		d.tokens = slices.Clone(d.tokens)
		d.tokens[i].LastUse = e.At
	}
}

func (d *draft) create(e store.CreateProblem) error {
	p := e.Problem
	if d.records[p.ID] != nil || d.record(p.ID) != nil {
		return conflict("problem %d exists already", p.ID)
	}
	d.records[p.ID] = &record{problem: p, batch: d.batch, size: e.Size}
	d.highest = max(d.highest, p.ID)
	return nil
}

func (d *draft) putComment(e store.PutComment) error {
	i := -1
	missing := d.edit(e.Problem, func(r *record) {
		i = slices.IndexFunc(r.comments, func(c problem.Comment) bool { return c.ID == e.Comment.ID })
		if i >= 0 {
			r.comments = slices.Clone(r.comments) // earlier states share the array
			r.comments[i] = e.Comment
		}
	})
	if missing == nil && i < 0 {
		return conflict("problem %d has no comment %v", e.Problem, e.Comment.ID)
	}
	return missing
}

func (r *record) putKeyword(keyword problem.Keyword) {
	i, found := slices.BinarySearchFunc(r.keywords, keyword, func(a, b problem.Keyword) int {
		return strings.Compare(a.Name, b.Name)
	})
	r.keywords = slices.Clone(r.keywords)
	if found {
		r.keywords[i] = keyword
	} else {
		r.keywords = slices.Insert(r.keywords, i, keyword)
	}
}

func (d *draft) relate(side relationship.Relationship) (err error) {
	missing := d.edit(side.Owner, func(r *record) {
		i, found := slices.BinarySearchFunc(r.relationships, side, relationship.Relationship.Compare)
		if found {
			err = conflict("problem %d is %s problem %d already", side.Owner, side.Type, side.Other)
			return
		}
		r.relationships = slices.Insert(slices.Clone(r.relationships), i, side)
	})
	if missing != nil {
		return missing
	}
	return err
}

func (r *record) mark(reader ident.ID, read bool) {
	if read {
		r.readers = with(r.readers, reader)
	} else {
		r.readers = without(r.readers, equals(reader))
	}
}

func (d *draft) keep(reply store.Reply) {
	reply.Body = slices.Clone(reply.Body)
	key := replyBucket(reply.User, reply.Key)
	bucket := d.replies.get(key)
	put(&bucket, reply, isReply(reply.User, reply.Key))
	d.replies = d.replies.put(key, bucket)
}

func (d *draft) emptyReplies(about store.About) {
	for key, bucket := range d.replies.all() {
		if !slices.ContainsFunc(bucket, func(r store.Reply) bool { return r.About.Within(about) }) {
			continue
		}
		bucket = slices.Clone(bucket)
		for i := range bucket {
			if bucket[i].About.Within(about) {
				bucket[i].Body = nil
			}
		}
		d.replies = d.replies.put(key, bucket)
	}
}

func (d *draft) expire(e store.Expire) {
	expired := func(r store.Reply) bool { return r.Created.Before(e.Before) }
	replies := d.replies
	for key, bucket := range replies.all() {
		if slices.ContainsFunc(bucket, expired) {
			d.replies = d.replies.put(key, without(bucket, expired))
		}
	}
	if e.Before.After(d.expired) {
		d.expired = e.Before
	}
}

// put returns a copy of a slice with one object replaced, or added at the end.
func put[T any](objects *[]T, object T, same func(T) bool) {
	*objects = slices.Clone(*objects)
	if i := slices.IndexFunc(*objects, same); i >= 0 {
		(*objects)[i] = object
	} else {
		*objects = append(*objects, object)
	}
}

// grown returns a list with one more object, at its end, in place of the given one. It
// leaves less spare capacity than append: there are very many lists, and most of them are
// complete.
func grown[T any](list []T, object T) []T {
	if len(list) == cap(list) {
		room := len(list) / 8
		list = append(slices.Grow([]T(nil), len(list)+1+room), list...)
	}
	return append(list, object)
}

// with returns a copy of the identifiers with one more, if it is absent.
func with(ids []ident.ID, id ident.ID) []ident.ID {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(slices.Clone(ids), id)
}

// without returns a copy of the objects without some of them.
func without[T any](objects []T, gone func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(objects), gone)
}

// equals returns whether an identifier is the given one.
func equals(id ident.ID) func(ident.ID) bool {
	return func(other ident.ID) bool { return other == id }
}
