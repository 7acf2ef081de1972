package store

import (
	"slices"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// FeedRewrite is what Rewrite does to the feed.
type FeedRewrite struct {
	// Batches are those of the entries that may have other texts afterwards, each once.
	Batches []ident.ID
	// Entry returns such an entry after the effect, and leaves the given one as it is.
	// changed is false for an entry without such a text.
	Entry func(event.Entry) (after event.Entry, changed bool)
}

// Rewriter is an effect that rewrites entries of the feed: a Rewrite or a RewriteAudit.
type Rewriter interface {
	Effect
	Feed() FeedRewrite
}

// Feed returns what the effect does to the feed.
func (e RewriteAudit) Feed() FeedRewrite {
	entries := make(map[ident.ID]audit.Entry, len(e.Entries))
	var batches []ident.ID
	for _, a := range e.Entries {
		entries[a.ID], batches = a, append(batches, a.Batch)
	}
	slices.SortFunc(batches, ident.ID.Compare)
	return FeedRewrite{slices.Compact(batches), func(entry event.Entry) (_ event.Entry, changed bool) {
		entry.Events = slices.Clone(entry.Events)
		for i := range entry.Events {
			v := &entry.Events[i]
			v.Lines = slices.Clone(v.Lines)
			for j := range v.Lines {
				if to, ok := entries[v.Lines[j].ID]; ok {
					v.Name, v.Lines[j].From, v.Lines[j].To, changed = to.Name, to.From, to.To, true
				}
			}
		}
		return entry, changed
	}}
}

// Feed returns what the effect does to the feed.
func (e Rewrite) Feed() FeedRewrite {
	lines := make(map[ident.ID]problem.LogEntry, len(e.Log))
	titles := make(map[ident.ID]string, len(e.Titles))
	var batches []ident.ID
	for _, l := range e.Log {
		lines[l.ID], batches = l, append(batches, l.Batch)
	}
	for _, t := range e.Titles {
		titles[t.Batch], batches = t.Title, append(batches, t.Batch)
	}
	slices.SortFunc(batches, ident.ID.Compare)
	return FeedRewrite{slices.Compact(batches), func(entry event.Entry) (_ event.Entry, changed bool) {
		entry.Events = slices.Clone(entry.Events)
		for i := range entry.Events {
			v := &entry.Events[i]
			if v.Problem != e.Problem {
				continue
			}
			if title, ok := titles[entry.Batch]; ok {
				v.Title, changed = title, true
			}
			v.Lines = slices.Clone(v.Lines)
			for j := range v.Lines {
				if to, ok := lines[v.Lines[j].ID]; ok {
					v.Lines[j].Field, v.Lines[j].From, v.Lines[j].To, changed = to.Field, to.From, to.To, true
				}
			}
		}
		return entry, changed
	}}
}
