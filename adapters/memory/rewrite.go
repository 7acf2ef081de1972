package memory

import (
	"slices"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// rewrite replaces texts in copies of the lists: earlier states share the originals.
func (d *draft) rewrite(e store.Rewrite) error {
	found := 0
	missing := d.edit(e.Problem, func(r *record) {
		r.log, r.savepoints = slices.Clone(r.log), slices.Clone(r.savepoints)
		at := places(r.log, func(l entry) ident.ID { return l.id })
		for _, l := range e.Log {
			if i, ok := at[l.ID]; ok {
				r.log[i].content = d.interned.content(content{r.log[i].kind, l.Field, l.From, l.To})
				found++
			}
		}
		at = places(r.savepoints, func(s savepoint) ident.ID { return s.batch })
		for _, s := range e.Savepoints {
			if i, ok := at[s.Batch]; ok {
				r.savepoints[i] = d.interned.savepoint(s.Batch, &s.Problem)
				found++
			}
		}
	})
	switch {
	case missing != nil:
		return missing
	case found < len(e.Log)+len(e.Savepoints):
		return conflict("problem %d has no such log entry or savepoint", e.Problem)
	}
	d.rewriteFeed(e.Feed())
	return nil
}

// rewriteAudit replaces entries in a copy of the list, too.
func (d *draft) rewriteAudit(e store.RewriteAudit) error {
	d.audit = slices.Clone(d.audit)
	at := places(d.audit, func(a audit.Entry) ident.ID { return a.ID })
	for _, to := range e.Entries {
		i, ok := at[to.ID]
		if !ok {
			return conflict("the audit log has no such entry")
		}
		d.audit[i].Name, d.audit[i].From, d.audit[i].To = to.Name, to.From, to.To
	}
	d.rewriteFeed(e.Feed())
	return nil
}

func (d *draft) rewriteFeed(rewrite store.FeedRewrite) {
	d.feed = slices.Clone(d.feed)
	for i, p := range d.feed {
		if _, concerned := slices.BinarySearchFunc(rewrite.Batches, p.batch, ident.ID.Compare); !concerned {
			continue
		}
		if after, changed := rewrite.Entry(d.entry(i)); changed {
			d.feed[i].events = d.happenings(after.Events)
		}
	}
	clear(d.interned.contents) // they have the former texts
	clear(d.interned.names)
}

// happenings returns events as they are kept.
func (d *draft) happenings(events []event.Event) []happening {
	kept := draft{interned: d.interned}
	for _, v := range events {
		kept.publish(v)
	}
	return kept.events
}

// places returns the indexes of a list by identifier.
func places[T any](list []T, id func(T) ident.ID) map[ident.ID]int {
	at := make(map[ident.ID]int, len(list))
	for i, one := range list {
		at[id(one)] = i
	}
	return at
}
