package web

import (
	"encoding/json"
	"html/template"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/problemtracking/problems/domain/fault"
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
	Body template.HTML
	// Plain: the comment is shown as it was typed, though it may have Markdown.
	Plain   bool
	Changes changes
	Created bool

	by, batch ident.ID // of the changes
}

// takes reports whether an entry of the log belongs to the item.
func (i *item) takes(e problem.LogEntry) bool {
	return !i.Comment && (e.Batch == i.batch || e.Author == i.by && e.Created.Sub(i.At) < together)
}

// change is one change in words.
type change struct {
	// Key is the key of the sentence; see the texts under "change.".
	Key      string
	Field    string // a field, the name of a keyword, or a type of relationships
	From, To string
	Problem  problem.ID // of a relationship
}

// together is the longest time between changes of one person that are one moment.
const together = time.Minute

// timeline returns comments and log as one list, in the order of the log: it has an entry
// for each comment. Changes of one person within a minute are one item.
func (q *request) timeline(log []problem.LogEntry, comments []problem.Comment, c *metadata.Catalogue) (items []item, err error) {
	bodies, err := q.bodies(comments, c)
	if err != nil {
		return nil, err
	}
	byID := map[string]problem.Comment{}
	for _, comment := range comments {
		byID[comment.ID.String()] = comment
	}
	for _, e := range log {
		if e.Type == problem.CommentAdded {
			name, _ := e.To.Text()
			if comment, ok := byID[name]; ok {
				items = append(items, commentItem(comment, bodies[comment.ID], c))
				continue
			}
		}
		if len(items) == 0 || !items[len(items)-1].takes(e) {
			items = append(items, item{Anchor: "log-" + e.ID.String(), Author: c.Name(metadata.Users, e.Author), At: e.Created, by: e.Author, batch: e.Batch})
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

// portion is how many entries of the log a page of a large problem has.
const portion = 100

// stretch is a part of the timeline of a large problem: entries of the log, and the
// comments among them. The ends are numbers of entries, and of comments, from the first.
type stretch struct {
	from, to                 int
	fromComments, toComments int
	log                      []problem.LogEntry
}

// portions fills the timeline of a large problem with a part of it: the latest one, or
// the one in the address. An address has the number of entries, and of comments among
// them: those before the part, or those up to its end.
func (q *request) portions(view *problemPage, a tracker.Answer[store.Snapshot]) error {
	at, latest, err := q.stretch(a.Value)
	if err != nil {
		return err
	}
	var comments []problem.Comment
	if most := at.toComments - at.fromComments; most > 0 {
		for part, err := range q.Service.Comments(q.context(), a.Value, at.fromComments, most) {
			if err != nil {
				return err
			}
			comments = append(comments, part...)
		}
	}
	here := q.base + "/problems/" + formatID(a.Value.ID)
	link := func(name string, entries, comments int) string {
		return here + "?" + url.Values{name: {strconv.Itoa(entries)}, "comments": {strconv.Itoa(comments)}}.Encode() + "#history"
	}
	if at.from > 0 {
		view.Earlier = link("before", at.from, at.fromComments)
	}
	if !latest {
		view.Later, view.Newest = link("log", at.to, at.toComments), here+"#history"
	}
	view.Timeline, err = q.timeline(at.log, comments, a.Catalogue)
	return err
}

// stretch returns the part in the address, and whether it is the latest one.
func (q *request) stretch(s store.Snapshot) (at stretch, latest bool, err error) {
	numbers := map[string]int{}
	for _, name := range []string{"log", "before", "comments"} {
		if numbers[name], err = q.count(name); err != nil {
			return at, false, err
		}
	}
	if q.r.URL.Query().Has("log") {
		at.from, at.fromComments = numbers["log"], numbers["comments"]
		if at.log, err = q.entries(s, at.from, portion+1); err != nil {
			return at, false, err
		}
		latest = len(at.log) <= portion
		at.log = at.log[:min(len(at.log), portion)]
		at.to, at.toComments = at.from+len(at.log), at.fromComments+commentsIn(at.log)
		return at, latest, nil
	}
	at.to, at.toComments = numbers["before"], numbers["comments"]
	if latest = !q.r.URL.Query().Has("before"); latest {
		if at.to, at.toComments, err = q.Service.Lengths(q.context(), s); err != nil {
			return at, false, err
		}
	}
	at.from = max(0, at.to-portion)
	if at.log, err = q.entries(s, at.from, at.to-at.from); err != nil {
		return at, false, err
	}
	at.fromComments = max(0, at.toComments-commentsIn(at.log))
	return at, latest, nil
}

// entries returns entries of the log.
func (q *request) entries(s store.Snapshot, skip, most int) (log []problem.LogEntry, err error) {
	if most == 0 {
		return nil, nil
	}
	for part, err := range q.Service.Log(q.context(), s, skip, most) {
		if err != nil {
			return nil, err
		}
		log = append(log, part...)
	}
	return log, nil
}

// commentsIn returns how many of the entries are comments.
func commentsIn(log []problem.LogEntry) (n int) {
	for _, e := range log {
		if e.Type == problem.CommentAdded {
			n++
		}
	}
	return n
}

// count returns a number in the query; 0 when it is left out.
func (q *request) count(name string) (int, error) {
	text := q.r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0, fault.New(fault.MalformedRequest, "%s is a number of entries", name)
	}
	return n, nil
}
