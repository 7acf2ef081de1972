package web

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/problemtracking/problems/adapters/web/internal/difference"
	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

// pastPage shows a problem at an earlier revision, beside its state today.
type pastPage struct {
	layout
	ID      problem.ID
	Heading string
	// Revision is on show, and Latest is current.
	Revision, Latest int64
	Previous, Next   int64  // 0: there is none
	By               person // made the revision
	Fields           []pastField
	Keywords         pastRow
	Related          pastRow
	Watchers         pastRow
	Comments         int
	// Made lists the changes of this revision, and Said the addresses of its comments.
	Made history.Changes
	Said []string
}

// pastField is a field then and now.
type pastField struct {
	Label     string // key of the text
	Then, Now string
	// Words is the difference of two texts; nil for dates and for the names of other objects.
	Words []difference.Span
}

// Changed reports whether the field has another value today.
func (f pastField) Changed() bool { return f.Then != f.Now }

// ThenWords returns the difference without later additions.
func (f pastField) ThenWords() []difference.Span { return without(f.Words, difference.Added) }

// NowWords returns the difference without later removals.
func (f pastField) NowWords() []difference.Span { return without(f.Words, difference.Removed) }

func without(spans []difference.Span, kind difference.Kind) []difference.Span {
	return slices.DeleteFunc(slices.Clone(spans), func(s difference.Span) bool { return s.Kind == kind })
}

// pastPart is a keyword, relationship or watcher. It was there then, is there now, or both.
type pastPart struct {
	Text      string
	Then, Now bool
}

// pastRow is a labelled list of parts.
type pastRow struct {
	Label string // key of the text
	Parts []pastPart
}

// AtOnce returns the parts to show without unfolding: all later changes, and the first
// unchanged parts.
func (r pastRow) AtOnce() []pastPart {
	shown, _ := r.divided()
	return shown
}

// Same returns the parts to unfold: the other unchanged ones.
func (r pastRow) Same() []pastPart {
	_, same := r.divided()
	return same
}

func (r pastRow) divided() (shown, same []pastPart) {
	left := keywordsAtOnce
	for _, p := range r.Parts {
		switch {
		case p.Then != p.Now:
			shown = append(shown, p)
		case left > 0:
			left--
			shown = append(shown, p)
		default:
			same = append(same, p)
		}
	}
	return shown, same
}

// showPast shows a problem at an earlier revision (D36).
func showPast(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	const parts = snapshot.Keywords | snapshot.Relationships | snapshot.Watchers | snapshot.Log
	now, err := q.as().Problem(q.context(), id, parts)
	if err != nil {
		return answer{}, err
	}
	revision := max(1, now.Revision-1)
	if text := q.r.URL.Query().Get("revision"); text != "" {
		if revision, err = strconv.ParseInt(text, 10, 64); err != nil || revision < 1 || revision > now.Revision {
			return answer{}, fault.New(fault.MalformedRequest, "the problem has the revisions 1 to %d", now.Revision)
		}
	}
	then, err := q.as().ProblemAsOf(q.context(), id, parts, tracker.AsOf{Revision: revision})
	if err != nil {
		return answer{}, err
	}
	view, err := q.pastPage(then.Value, now.Value, revision, now.Catalogue)
	return page("past", view), err
}

func (q *request) pastPage(then, now snapshot.Snapshot, revision int64, c *metadata.Catalogue) (pastPage, error) {
	view := pastPage{
		layout: q.signedIn(q.say("past.title")+" · #"+formatID(now.ID), c).in("problems"),
		ID:     now.ID, Heading: now.Title, Revision: revision, Latest: now.Revision, Comments: len(then.Comments),
		Fields:   pastFields(then.Fields, now.Fields, c),
		Keywords: pastRow{"problem.keywords", parted(then.Keywords, now.Keywords, func(k problem.Keyword) problem.Keyword { return k }, keywordText)},
		Related:  pastRow{"problem.relationships", parted(then.Relationships, now.Relationships, func(r snapshot.Related) relationship.Relationship { return r.Relationship }, q.relatedText)},
		Watchers: pastRow{"problem.watchers", parted(tracker.Watchers(then, c), tracker.Watchers(now, c), func(u user.User) ident.ID { return u.ID }, userText)},
	}
	if revision > 1 {
		view.Previous = revision - 1
	}
	if revision < now.Revision {
		view.Next = revision + 1
	}
	at := place{small: now.Size <= snapshot.Small}
	for _, e := range then.Log {
		at.step(e)
		if e.Revision != revision {
			continue
		}
		view.By = person{c.Name(metadata.Users, e.Author), e.Created}
		if id, ok := e.To.Text(); ok && e.Type == problem.CommentAdded {
			_, found, err := q.findComment(now, id)
			if err != nil {
				return view, err
			}
			if found {
				view.Said = append(view.Said, q.base+"/problems/"+formatID(now.ID)+at.address()+"#comment-"+id)
				continue
			}
		}
		view.Made = append(view.Made, history.ChangeOf(e))
	}
	return view, nil
}

// place is a place in the log of a problem: behind so many entries, and comments among them.
type place struct {
	small             bool // the problem is shown as a whole
	entries, comments int
}

func (p *place) step(e problem.LogEntry) {
	p.entries++
	if e.Type == problem.CommentAdded {
		p.comments++
	}
}

// address returns the query of the page that ends with the last entry, of a large problem.
func (p *place) address() string {
	if p.small {
		return ""
	}
	return "?" + url.Values{"before": {strconv.Itoa(p.entries)}, "comments": {strconv.Itoa(p.comments)}}.Encode()
}

// pastFields returns all fields set by people, with their values then and now.
func pastFields(then, now problem.Fields, c *metadata.Catalogue) (fields []pastField) {
	before, today := forms.New(then, 1, c), forms.New(now, 1, c)
	for i, f := range before.Texts {
		field := pastField{Label: f.Label, Then: f.Value, Now: today.Texts[i].Value}
		if !f.Date {
			field.Words = difference.Words(field.Then, field.Now)
		}
		fields = append(fields, field)
	}
	for i, f := range before.Choices {
		fields = append(fields, pastField{Label: f.Label, Then: f.Value, Now: today.Choices[i].Value})
	}
	return fields
}

// parted merges two lists. The members of then come first, in their order. A key tells each
// member from the others: people read some of them alike.
func parted[T any, K comparable](then, now []T, key func(T) K, text func(T) string) (parts []pastPart) {
	at := map[K]int{}
	for _, t := range then {
		at[key(t)] = len(parts)
		parts = append(parts, pastPart{Text: text(t), Then: true})
	}
	for _, n := range now {
		if i, ok := at[key(n)]; ok {
			parts[i].Now = true
			continue
		}
		parts = append(parts, pastPart{Text: text(n), Now: true})
	}
	return parts
}

func userText(u user.User) string { return u.Name }

// relatedText returns a relationship as people read it.
func (q *request) relatedText(r snapshot.Related) string {
	return q.say("relationship."+string(r.Type)) + " #" + formatID(r.Other)
}
