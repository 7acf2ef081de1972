package web

import (
	"encoding/json"
	"html/template"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// item is one moment of a problem's history: a comment, or the changes of one request.
type item struct {
	Anchor  string
	Author  string
	At      time.Time
	Comment bool
	// Body is the safe form of a comment.
	Body    template.HTML
	Changes []change
	Created bool
}

// change is one change in words.
type change struct {
	// Key is the key of the sentence; see the texts under "change.".
	Key      string
	Field    string // a field, the name of a keyword, or a type of relationships
	From, To string
	Problem  problem.ID // of a relationship
}

// timeline returns comments and log as one list, in the order of the log: it has an entry
// for each comment.
func (q *request) timeline(log []problem.LogEntry, comments []problem.Comment, c *metadata.Catalogue) (items []item, err error) {
	bodies, err := q.bodies(comments)
	if err != nil {
		return nil, err
	}
	byID := map[string]problem.Comment{}
	for _, comment := range comments {
		byID[comment.ID.String()] = comment
	}
	var batch ident.ID
	for _, e := range log {
		if e.Type == problem.CommentAdded {
			name, _ := e.To.Text()
			if comment, ok := byID[name]; ok {
				items = append(items, commentItem(comment, bodies[comment.ID], c))
				batch = ident.None
				continue
			}
		}
		if e.Batch != batch || len(items) == 0 {
			items = append(items, item{Anchor: "log-" + e.ID.String(), Author: c.Name(metadata.Users, e.Author), At: e.Created})
			batch = e.Batch
		}
		last := &items[len(items)-1]
		if e.Type == problem.ProblemCreated {
			last.Created = true
			continue
		}
		last.Changes = append(last.Changes, changeOf(e))
	}
	return items, nil
}

// changeOf returns an entry of the log in words.
func changeOf(e problem.LogEntry) change {
	c := change{Key: "change." + string(e.Type), Field: e.Field, From: shown(e.From), To: shown(e.To)}
	switch e.Type {
	case problem.FieldChanged:
		switch {
		case c.From == "":
			c.Key += ".set"
		case c.To == "":
			c.Key += ".cleared"
		}
	case problem.KeywordSet:
		if c.To == "" {
			c.Key += ".bare"
		}
	case problem.RelationshipAdded:
		c.Problem, _ = e.To.Link()
	case problem.RelationshipDeleted:
		c.Problem, _ = e.From.Link()
	}
	return c
}

// shown returns a value of the log as text for people.
func shown(v problem.LogValue) string {
	if text, ok := v.Text(); ok {
		return text
	}
	var named struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	if json.Unmarshal([]byte(v.JSON()), &named) != nil {
		return ""
	}
	return named.Name + named.Value
}

// latestOf is how many comments, and how many entries of the log, the page of a large
// problem begins with.
const latestOf = 50

// latest fills the timeline of a large problem with its first comments and entries.
func (q *request) latest(view *problemPage, a tracker.Answer[store.Snapshot]) error {
	var log []problem.LogEntry
	for part, err := range q.Service.Log(q.context(), a.Value, 0, latestOf) {
		if err != nil {
			return err
		}
		log = append(log, part...)
	}
	var comments []problem.Comment
	for part, err := range q.Service.Comments(q.context(), a.Value, 0, latestOf) {
		if err != nil {
			return err
		}
		comments = append(comments, part...)
	}
	var err error
	view.Timeline, err = q.timeline(log, comments, a.Catalogue)
	return err
}
