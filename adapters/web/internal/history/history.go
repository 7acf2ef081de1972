// Package history shows the comments and the changes of a problem as one list.
package history

import (
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/difference"
	"github.com/problemtracking/problems/adapters/web/internal/markdown"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/undo"
)

// Item is one moment of a problem's history: a comment, or the changes of one request.
type Item struct {
	Anchor  string
	Author  string
	RobotOf string // the person who answers for the author, a robot
	Token   bool   // the author had a token, with the name Via
	Via     string // empty: the token has no name
	At      time.Time
	Comment bool
	// Body is the safe form of a comment.
	Body template.HTML
	// Plain: the comment is shown as it was typed, though it may have Markdown.
	Plain bool
	// ID is the identifier of a comment. Own: the reader may correct it.
	ID  ident.ID
	Own bool
	// Edited is the time of the latest edit of a comment. Edits has the edits in the log, the
	// first one first.
	Edited  time.Time
	Edits   []Edit
	Changes Changes
	Created bool

	by, via, batch ident.ID // of the changes
}

// takes reports whether an entry of the log belongs to the item.
func (i *Item) takes(e problem.LogEntry) bool {
	return e.Batch == i.batch || !i.Comment && e.Author == i.by && e.Via == i.via && e.Created.Sub(i.At) < together
}

// Edit is one edit of a comment (D44).
type Edit struct {
	Author string
	At     time.Time
	Words  []difference.Span // none for a long text
}

// Change is one change in words.
type Change struct {
	// Key is the key of the sentence; see the texts under "change.".
	Key      string
	Field    string // a field, the name of a keyword, or a type of relationships
	From, To string
	Problem  problem.ID // of a relationship
	// Undo is the address that undoes the batch of the change. The first change of a batch has
	// it, if it can go back.
	Undo string
}

// changesAtOnce is how many changes of an item are shown without unfolding. A request can
// change hundreds of keywords.
const changesAtOnce = 5

// Changes lists the changes of one request, in words.
type Changes []Change

// AtOnce returns the shown changes.
func (c Changes) AtOnce() []Change { return c[:min(len(c), changesAtOnce)] }

// More returns the folded changes.
func (c Changes) More() []Change { return c[min(len(c), changesAtOnce):] }

// together is the longest time between changes of one person that are one moment.
const together = time.Minute

// Reader makes the items of a problem.
type Reader struct {
	Markdown *markdown.Renderer
	// Base is the base path of all links.
	Base string
	// User is the reader of the page.
	User ident.ID
	// All is true for a reader who may correct the comments of everybody.
	All bool
	// Writer is true for a reader who may undo batches.
	Writer bool
	// Problems returns links to the problems with these numbers, at most MostReferences.
	Problems func(numbers []int64) (map[int64]markdown.Link, error)
	// Pictures are the images of the problem by the identifiers of their attachments.
	Pictures map[string]markdown.Link
	// Tokens returns the names of tokens.
	Tokens func(ident.ID) string
	// Room waits for so many bytes of memory, and ends the work with its error.
	Room func(bytes int64) error
}

// Items returns comments and log as one list, in the order of the log: it has an entry
// for each comment. Changes of one person within a minute are one item.
func (r Reader) Items(log []problem.LogEntry, comments []problem.Comment, c *metadata.Catalogue) (items []Item, err error) {
	comments = problem.Present(slices.Clone(comments))
	bodies, err := r.bodies(comments, c)
	if err != nil {
		return nil, err
	}
	edits := editsIn(log, comments, c)
	byID := map[string]problem.Comment{}
	for _, comment := range comments {
		byID[comment.ID.String()] = comment
	}
	var created, offered ident.ID // batches
	for _, e := range log {
		if e.Type == problem.CommentAdded {
			name, _ := e.To.Text()
			if comment, ok := byID[name]; ok {
				item := r.commentItem(comment, bodies[comment.ID], c)
				item.Own, item.Edits = r.All || comment.Author == r.User, edits[comment.ID]
				item.by, item.via, item.batch = e.Author, e.Via, e.Batch
				if n := len(items) - 1; n >= 0 && items[n].batch == e.Batch && !items[n].Comment { // of a new problem
					item.Created, item.Changes, items = items[n].Created, items[n].Changes, items[:n]
				}
				items = append(items, item)
				continue
			}
		}
		if len(items) == 0 || !items[len(items)-1].takes(e) {
			item := r.item(e.Author, e.Via, e.Created, c)
			item.Anchor, item.by, item.via, item.batch = "log-"+e.ID.String(), e.Author, e.Via, e.Batch
			items = append(items, item)
		}
		last := &items[len(items)-1]
		if e.Type == problem.ProblemCreated {
			last.Created, created = true, e.Batch
			continue
		}
		change := ChangeOf(e)
		if r.Writer && e.Batch != offered && e.Batch != created && undo.Reversible(e.Type) {
			offered = e.Batch
			change.Undo = fmt.Sprintf("%s/problems/%d/batches/%v/undo", r.Base, e.Problem, e.Batch)
		}
		last.Changes = append(last.Changes, change)
	}
	return items, nil
}

// ChangeOf returns an entry of the log in words.
func ChangeOf(e problem.LogEntry) Change {
	c := Change{Key: "change." + string(e.Type), Field: e.Field, From: Text(e.From), To: Text(e.To)}
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
	case problem.RelationshipAdded, problem.RelationshipDeleted:
		c.Problem, _ = e.Other()
	}
	return c
}

// Text returns a value of the log as text for people.
func Text(v problem.LogValue) string {
	if text, ok := v.Text(); ok {
		return text
	}
	var named struct {
		Name  string `json:"name"`
		Value string `json:"value"`
		// Holder is that of a claim.
		Holder struct {
			Name string `json:"name"`
		} `json:"holder"`
	}
	if json.Unmarshal([]byte(v.JSON()), &named) != nil {
		return ""
	}
	return named.Name + named.Value + named.Holder.Name
}
