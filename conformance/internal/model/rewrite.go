package model

import (
	"slices"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

func (w *World) rewrite(e store.Rewrite) error {
	w.Logs, w.Savepoints = slices.Clone(w.Logs), slices.Clone(w.Savepoints)
	for _, to := range e.Log {
		i := slices.IndexFunc(w.Logs, func(l problem.LogEntry) bool { return l.Problem == e.Problem && l.ID == to.ID })
		if i < 0 {
			return fault.New(fault.Conflict, "the log entry does not exist")
		}
		w.Logs[i].Field, w.Logs[i].From, w.Logs[i].To = to.Field, to.From, to.To
	}
	for _, to := range e.Savepoints {
		i := slices.IndexFunc(w.Savepoints, func(s snapshot.Savepoint) bool { return s.ID == e.Problem && s.Batch == to.Batch })
		if i < 0 {
			return fault.New(fault.Conflict, "the savepoint does not exist")
		}
		w.Savepoints[i] = to
	}
	w.rewriteFeed(e.Feed())
	return nil
}

func (w *World) rewriteAudit(e store.RewriteAudit) error {
	w.AuditLog = slices.Clone(w.AuditLog)
	for _, to := range e.Entries {
		i := slices.IndexFunc(w.AuditLog, func(a audit.Entry) bool { return a.ID == to.ID })
		if i < 0 {
			return fault.New(fault.Conflict, "the entry of the audit log does not exist")
		}
		w.AuditLog[i].Name, w.AuditLog[i].From, w.AuditLog[i].To = to.Name, to.From, to.To
	}
	w.rewriteFeed(e.Feed())
	return nil
}

func (w *World) rewriteFeed(rewrite store.FeedRewrite) {
	w.Events = slices.Clone(w.Events)
	for i := range w.Events {
		if slices.Contains(rewrite.Batches, w.Events[i].Batch) {
			w.Events[i], _ = rewrite.Entry(w.Events[i])
		}
	}
}
