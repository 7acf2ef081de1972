package bench

import (
	"slices"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Happening returns a new event about a problem with all of its members set. It is not
// published yet.
func (b *Bench) Happening(id problem.ID) event.Event {
	return event.Event{
		Type: event.ProblemChanged, Problem: id, Title: "Title \u00e9 \\ \"", State: b.ID(), Revision: 1<<40 + int64(id),
		Lines: []event.Line{
			{ID: b.ID(), Type: "FieldChanged", Field: "title", From: problem.LogText("before <\u2028>"), To: problem.LogText("after")},
			{ID: b.ID(), Type: "KeywordDeleted"},
		},
	}
}

// Administered returns a new event about an object of administration likewise.
func (b *Bench) Administered() event.Event {
	return event.Event{
		Type: event.TypeOf(audit.Component, true), Kind: audit.Component, Object: b.ID(), Name: "Engine",
		Lines: []event.Line{{ID: b.ID(), Type: string(audit.Created), Field: "name", From: "null", To: `{"name": "Engine"}`}},
	}
}

// Feed returns n entries of a feed from a number on, each with a smaller batch and an
// earlier time than the one before. They have one to three events. The last one lacks its
// author.
func (b *Bench) Feed(from int64, n int) []event.Entry {
	feed := make([]event.Entry, n)
	for i := range slices.Backward(feed) {
		feed[i] = event.Entry{Number: from + int64(i), Batch: b.ID(), At: b.Now(), Author: b.ID(), Via: b.ID(), Events: []event.Event{b.Happening(7)}}
		for range i % 3 {
			feed[i].Events = append(feed[i].Events, b.Administered())
		}
	}
	feed[n-1].Author, feed[n-1].Via = ident.None, ident.None
	return feed
}

// CloneFeed returns a deep copy of entries.
func CloneFeed(feed []event.Entry) []event.Entry {
	feed = slices.Clone(feed)
	for i := range feed {
		feed[i].Events = slices.Clone(feed[i].Events)
		for j := range feed[i].Events {
			feed[i].Events[j].Lines = slices.Clone(feed[i].Events[j].Lines)
		}
	}
	return feed
}
