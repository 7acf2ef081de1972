package web

import (
	"html/template"
	"net/url"
	"strconv"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

// problemPage is one problem with all its parts.
type problemPage struct {
	layout
	ID       problem.ID
	Heading  string // the title of the problem
	Place    listPlace
	State    metadata.State
	Revision int64
	Read     bool
	Watching bool
	Mine     bool   // whether it is assigned to the reader
	Once     string // names the forms of this page
	Created  person
	Modified person
	// Settled is by whom the problem was resolved; its name is empty before.
	Settled person
	// Claim is who works on the problem now; its name is empty without one.
	Claim       claimView
	Attachments attachmentsView
	Edit        forms.Form
	Box         commentBox
	Next        []forms.Option // the states that a comment can come with
	// Unsent is true when the page answers its form: the inputs have what was typed. Wrong says
	// why it was refused; empty: it was not.
	Unsent   bool
	Wrong    string
	StateTo  string // the list of the problems in the same state
	Timeline []history.Item
	Keywords keywordRows
	Related  []relatedGroup
	Types    forms.Choice
	Watchers []user.User
	Users    forms.Choice // to watch
	// Live is the address of the changes to come.
	Live string
	// Earlier, Later and Newest lead to other parts of the timeline of a large problem;
	// empty: there are none.
	Earlier, Later, Newest string
}

// person is somebody at a moment.
type person struct {
	Name string
	At   time.Time
}

// claimView is a claim, until the moment of its expiry.
type claimView struct {
	person
	ID  string
	Via string // the name of its token; empty: it has none
}

// relatedGroup are the problems related in one way.
type relatedGroup struct {
	Type  relationship.Type
	Links []relatedLink
}

type relatedLink struct {
	ID    problem.ID
	Title string
	State metadata.State
}

// commentBox is where people write a new comment.
type commentBox struct {
	Label string // key of the text
	Rows  int
	Text  string
	Fault string
	// Shown is true for the preview: Body is the comment as readers will see it.
	Shown bool
	Body  template.HTML
}

// allParts are the parts of a problem on its page.
const allParts = snapshot.Keywords | snapshot.Log | snapshot.Comments | snapshot.Relationships | snapshot.Watchers | snapshot.Attachments

func showProblem(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	loaded, err := q.as().Problem(q.context(), id, allParts)
	if err != nil {
		return answer{}, err
	}
	view, err := q.problemPage(loaded)
	if err != nil {
		return answer{}, err
	}
	return page("problem", view), nil
}

// problemPage returns the page of a problem.
func (q *request) problemPage(a tracker.Answer[snapshot.Snapshot]) (problemPage, error) {
	s, c := a.Value, a.Catalogue
	state, _ := c.State(s.State)
	view := problemPage{
		layout: q.signedIn(s.Title+" · #"+formatID(s.ID), c).in("problems"),
		ID:     s.ID, Heading: s.Title, Place: q.place(s.ID), State: state, Revision: s.Revision, Read: s.Read, Watching: s.Watching, Mine: s.Assignee == q.caller.User,
		Once:     q.NewRequestID(),
		Created:  person{c.Name(metadata.Users, s.Originator), s.Created},
		Modified: person{c.Name(metadata.Users, s.Modifier), s.Modified},
		Settled:  person{c.Name(metadata.Users, s.Resolver), s.Resolved},
		Claim:    claimView{person{c.Name(metadata.Users, s.Claim.Holder), s.Claim.Expires}, s.Claim.ID.String(), q.Service.TokenNames(q.context())(s.Claim.Via)},
		Edit:     forms.New(s.Fields, s.Revision, c),
		Related:  relatedGroups(s.Relationships, c),
		Types:    q.relationshipChoice(""),
		Watchers: tracker.Watchers(s, c),
	}
	f := links.NewFilters(q.base, c)
	view.StateTo = f.Of("state", s.Fields.State)
	view.Box, view.Next = commentBox{Label: "comment.label", Rows: 5}, forms.Next(s.Fields.State, c)
	q.ownFirst(view.Edit.Choices)
	for _, control := range view.Edit.Controls() {
		control.In = "edit"
	}
	view.Keywords = newKeywordRows(s.ID, s.Keywords, view.Writer, f)
	view.Attachments = q.attachments(s.ID, s.Attachments, view.Writer, c)
	view.Live = q.base + "/live?" + url.Values{"problem": {formatID(s.ID)}, "revision": {strconv.FormatInt(s.Revision, 10)}}.Encode()
	view.Users = forms.ObjectChoice("user", metadata.Users, ident.None, c)
	view.Users.Required = true
	if s.Size > snapshot.Small {
		err := q.portions(&view, a)
		return view, err
	}
	var err error
	view.Timeline, err = q.timeline(s, s.Log, s.Comments, c)
	return view, err
}

// typedAgain returns the page of a problem with what its form has. wrong says why it was refused,
// and at which fields; nil: it was not.
func (q *request) typedAgain(id problem.ID, wrong *refusal) (problemPage, error) {
	loaded, err := q.as().Problem(q.context(), id, allParts)
	if err != nil {
		return problemPage{}, err
	}
	view, err := q.problemPage(loaded)
	if err != nil {
		return view, err
	}
	view.Edit.Fill(q.form)
	if revision, err := strconv.ParseInt(q.form.Get("revision"), 10, 64); err == nil {
		view.Edit.Revision = revision
	}
	view.Unsent, view.Box.Text = true, q.form.Get("comment")
	view.Wrong = wrong.mark(&view.Edit, &view.Box)
	if q.form.Get("preview") == "yes" {
		view.Box.Shown = true
		r := q.reader()
		r.Pictures = q.pictures(loaded.Value.ID, loaded.Value.Attachments)
		view.Box.Body, err = r.Preview(view.Box.Text, loaded.Catalogue)
	}
	return view, err
}

// relatedGroups returns the relationships by type, in the order of the types.
func relatedGroups(all []snapshot.Related, c *metadata.Catalogue) (groups []relatedGroup) {
	for _, r := range all {
		if len(groups) == 0 || groups[len(groups)-1].Type != r.Type {
			groups = append(groups, relatedGroup{Type: r.Type})
		}
		state, _ := c.State(r.OtherState)
		last := &groups[len(groups)-1]
		last.Links = append(last.Links, relatedLink{r.Other, r.OtherTitle, state})
	}
	return groups
}
