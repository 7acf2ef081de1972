package boltstore

import (
	"bytes"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// rewrite replaces texts under their keys: the keys have the positions.
func (c contents) rewrite(e store.Rewrite) error {
	log := make(map[ident.ID]problem.LogEntry)
	for _, l := range e.Log {
		log[l.ID] = l
	}
	saved := make(map[ident.ID]snapshot.Savepoint)
	for _, s := range e.Savepoints {
		saved[s.Batch] = s
	}
	lines, err := replaceAll(c, entries, number(e.Problem), func(l *problem.LogEntry) bool {
		to, ok := log[l.ID]
		if ok {
			l.Field, l.From, l.To = to.Field, to.From, to.To
		}
		return ok
	})
	if err != nil {
		return err
	}
	points, err := replaceAll(c, savepoints, number(e.Problem), func(s *snapshot.Savepoint) bool {
		to, ok := saved[s.Batch]
		if ok {
			*s = to
		}
		return ok
	})
	if err != nil {
		return err
	}
	if lines < len(e.Log) || points < len(e.Savepoints) {
		return conflict("problem %d has no such log entry or savepoint", e.Problem)
	}
	return c.rewriteFeed(e.Feed())
}

func (c contents) rewriteAudit(e store.RewriteAudit) error {
	entries := make(map[ident.ID]audit.Entry)
	for _, a := range e.Entries {
		entries[a.ID] = a
	}
	found, err := replaceAll(c, auditLog, nil, func(a *audit.Entry) bool {
		to, ok := entries[a.ID]
		if ok {
			a.Name, a.From, a.To = to.Name, to.From, to.To
		}
		return ok
	})
	if err != nil {
		return err
	}
	if found < len(e.Entries) {
		return conflict("the audit log has no such entry")
	}
	return c.rewriteFeed(e.Feed())
}

func (c contents) rewriteFeed(rewrite store.FeedRewrite) error {
	concerned := make(map[ident.ID]bool)
	for _, batch := range rewrite.Batches {
		concerned[batch] = true
	}
	_, err := replaceAll(c, feed, nil, func(e *event.Entry) (changed bool) {
		if concerned[e.Batch] {
			*e, changed = rewrite.Entry(*e)
		}
		return changed
	})
	return err
}

func (c contents) emptyReplies(about store.About) error {
	_, err := replaceAll(c, replies, nil, func(r *store.Reply) bool {
		within := r.About.Within(about)
		if within {
			r.Body = nil
		}
		return within
	})
	return err
}

// replaceAll puts back each value below a key that edit changes, and counts them.
func replaceAll[T any](c contents, bucket string, below []byte, edit func(*T) bool) (n int, err error) {
	type change struct {
		key   []byte
		value T
	}
	var changes []change // a bucket must not change while it is read
	for key, data := range c.under(bucket, below) {
		value, err := decode[T](data)
		if err != nil {
			return 0, err
		}
		if edit(&value) {
			changes = append(changes, change{bytes.Clone(key), value})
		}
	}
	for _, one := range changes {
		if err := c.put(bucket, one.key, one.value); err != nil {
			return 0, err
		}
	}
	return len(changes), nil
}
