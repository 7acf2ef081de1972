package history

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/difference"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/adapters/web/internal/markdown"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

// MostReferences is how many problems the comments of one page may refer to. Further
// references stay text.
const MostReferences = 200

const (
	// mostFormatted is the length of all comments of a page, in bytes, to be formatted. Further ones
	// are shown as typed. So a page of hostile comments costs no more than a few of them.
	mostFormatted = 512 << 10
	// mostShown is the length of all formatted comments of a page, in bytes, before further ones are
	// shown as typed.
	mostShown = 4 << 20
	// perByte is how many bytes of memory one byte of a comment takes while it is read, at most.
	perByte = 512
)

// formatting is the work for the comments of one page.
type formatting struct {
	read, shown int
	reserved    int64
	room        func(bytes int64) error
}

// take reports whether one more text is to be formatted. It waits for memory for a text longer than
// all before.
func (f *formatting) take(text string) (bool, error) {
	if f.read+len(text) > mostFormatted || f.shown > mostShown {
		return false, nil
	}
	f.read += len(text)
	more := max(0, int64(len(text))*perByte-f.reserved)
	f.reserved += more
	return true, f.room(more)
}

// body is the safe form of a comment.
type body struct {
	HTML template.HTML
	// Plain: the text is shown as typed, because it is too long or nested too deeply.
	Plain bool
}

// bodies returns the safe HTML of comments. One search resolves the references of all.
func (r Reader) bodies(comments []problem.Comment, c *metadata.Catalogue) (map[ident.ID]body, error) {
	bodies, work := make(map[ident.ID]body, len(comments)), formatting{room: r.Room}
	var texts []string
	for _, comment := range comments {
		if html := comment.HTML.String; comment.HTML.Valid && strings.TrimSpace(html) != "" {
			format, err := work.take(html)
			if err != nil {
				return nil, err
			}
			if format {
				if safe, ok := r.Markdown.RenderHTML(html); ok {
					bodies[comment.ID], work.shown = body{HTML: safe}, work.shown+len(safe)
					continue
				}
			}
		}
		texts = append(texts, comment.Text)
	}
	problems, err := r.Problems(markdown.Numbers(MostReferences, texts...))
	if err != nil {
		return nil, err
	}
	known := &targets{problems: problems, users: c, pictures: r.Pictures, base: r.Base}
	for _, comment := range comments {
		if _, ok := bodies[comment.ID]; ok {
			continue
		}
		format, err := work.take(comment.Text)
		if err != nil {
			return nil, err
		}
		shown := body{markdown.Plain(comment.Text), true}
		if format {
			safe, read := r.Markdown.Render(comment.Text, known)
			shown = body{safe, !read}
			work.shown += len(safe)
		}
		bodies[comment.ID] = shown
	}
	return bodies, nil
}

// Preview returns the safe form of a comment that is not stored.
func (r Reader) Preview(text string, c *metadata.Catalogue) (template.HTML, error) {
	bodies, err := r.bodies([]problem.Comment{{Text: text}}, c)
	return bodies[ident.None].HTML, err
}

// targets resolves the references of comments.
type targets struct {
	problems map[int64]markdown.Link
	users    *metadata.Catalogue
	pictures map[string]markdown.Link
	base     string
	// short has the users by the part of their addresses before the "@". A part shared
	// by two users leads to nobody. The map is made for the first short mention.
	short map[string]user.User
}

// Problem is of markdown.Resolver.
func (t *targets) Problem(number int64) (markdown.Link, bool) {
	l, ok := t.problems[number]
	return l, ok
}

// Picture is of markdown.Resolver.
func (t *targets) Picture(id string) (markdown.Link, bool) {
	l, ok := t.pictures[id]
	return l, ok
}

// Person is of markdown.Resolver. The link leads to the problems assigned to the user.
func (t *targets) Person(address string) (markdown.Link, bool) {
	var found user.User
	if strings.Contains(address, "@") {
		found, _ = t.users.UserByEmail(address)
	} else {
		if t.short == nil {
			t.short = byLocalPart(t.users.Content().Users)
		}
		found = t.short[user.FoldEmail(address)]
	}
	if found.ID == ident.None {
		return markdown.Link{}, false
	}
	return markdown.Link{URL: links.List(t.base, "assignee.email = "+predicate.Quote(found.Email)), Title: found.Name, Done: found.Inactive}, true
}

// byLocalPart returns the users by the part of their addresses before the "@", and no user
// for a part shared by several. An inactive user does not count beside an active one (D54).
func byLocalPart(users []user.User) map[string]user.User {
	short := make(map[string]user.User, len(users))
	for _, u := range users {
		name, _, _ := strings.Cut(user.FoldEmail(u.Email), "@")
		switch other, taken := short[name]; {
		case !taken, other.Inactive && !u.Inactive:
			short[name] = u
		case other.Inactive == u.Inactive:
			short[name] = user.User{Inactive: u.Inactive}
		}
	}
	return short
}

// item returns an item that says who did something, and when.
func (r Reader) item(author, via ident.ID, at time.Time, c *metadata.Catalogue) Item {
	u, _ := c.User(author)
	return Item{Author: c.Name(metadata.Users, author), RobotOf: c.Name(metadata.Users, u.RobotOf), Token: !via.IsNone(), Via: r.Tokens(via), At: at}
}

// commentItem returns a comment as an item.
func (r Reader) commentItem(comment problem.Comment, body body, c *metadata.Catalogue) Item {
	item := r.item(comment.Author, comment.Via, comment.Created, c)
	item.Anchor, item.Comment, item.ID, item.Edited = "comment-"+comment.ID.String(), true, comment.ID, comment.Edited
	item.Body, item.Plain = body.HTML, body.Plain
	return item
}

// editsIn returns the edits of comments in a log, each with its difference. Together, the
// compared texts have at most mostFormatted bytes.
func editsIn(log []problem.LogEntry, comments []problem.Comment, c *metadata.Catalogue) map[ident.ID][]Edit {
	edits, compared := map[ident.ID][]Edit{}, 0
	after := make(map[ident.ID]string, len(comments))
	for _, comment := range comments {
		if !comment.Edited.IsZero() {
			after[comment.ID] = comment.Text
		}
	}
	for _, e := range slices.Backward(log) {
		if e.Type != problem.CommentEdited {
			continue
		}
		before, _ := e.From.Comment()
		text, known := after[before.ID]
		if !known {
			continue // deleted since, or on another page
		}
		edit := Edit{Author: c.Name(metadata.Users, e.Author), At: e.Created}
		if compared += len(before.Text) + len(text); compared <= mostFormatted {
			edit.Words = difference.Words(before.Text, text)
		}
		edits[before.ID] = append([]Edit{edit}, edits[before.ID]...)
		after[before.ID] = before.Text
	}
	return edits
}
