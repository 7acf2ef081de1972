package mail

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"

	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/problem"
)

// view is a letter as the templates show it.
type view struct {
	Language              string
	Heading, Digest       string // Digest is empty for one problem
	Answer                string // a mail.DividerLine; empty: nobody reads answers
	Stories               []storyView
	More                  string
	Why                   string
	Open, Settings        string
	Unsubscribe, State    string
	SettingsURL, UnsubURL string
}

type storyView struct {
	Name  string // number and title
	URL   string
	State string
	Left  string
	Parts []part
}

// part is the changes by one author at one time.
type part struct {
	Author, At string
	Lines      []line
}

// line is one change, or a comment.
type line struct {
	Text    string
	File    *fileLink // behind the text; nil: none
	Comment string
	HTML    template.HTML
	Cut     string
}

func (s *Sender) view(l mail.Letter) view {
	w := s.words
	v := view{
		Language: s.Language, Why: w.why, Open: w.open, Settings: w.settings, Unsubscribe: w.unsubscribe, State: s.label("state"),
		SettingsURL: s.link("/settings"), UnsubURL: s.unsubscribeURL(l), Heading: s.subject(l),
	}
	if l.Digest() {
		v.Digest = w.digestBody
	}
	if s.replyAddress(l) != "" {
		v.Answer = mail.DividerLine(w.answer)
	}
	if l.More > 0 {
		v.More = fmt.Sprintf(w.more, l.More)
	}
	for _, story := range l.Stories {
		of := storyView{Name: name(story), URL: s.problemURL(story.Problem), State: story.State}
		if story.Left > 0 {
			of.Left = fmt.Sprintf(w.left, story.Left)
		}
		for _, e := range story.Entries {
			author, at := e.Author, e.At.UTC().Format(w.layout)
			if author == "" {
				author = w.nobody
			}
			if n := len(of.Parts); n == 0 || of.Parts[n-1].Author != author || of.Parts[n-1].At != at {
				of.Parts = append(of.Parts, part{Author: author, At: at})
			}
			last := &of.Parts[len(of.Parts)-1]
			last.Lines = append(last.Lines, s.line(story.Problem, e))
		}
		v.Stories = append(v.Stories, of)
	}
	return v
}

func name(s mail.Story) string { return "#" + strconv.FormatInt(int64(s.Problem), 10) + " " + s.Title }

func (s *Sender) line(of problem.ID, e mail.Entry) line {
	w := s.words
	switch e.Type {
	case problem.ProblemCreated:
		return line{Text: w.created}
	case problem.CommentAdded:
		l := line{Text: w.commented + ":", Comment: e.Comment, HTML: s.HTML(e.Comment, e.HTML)}
		if e.Cut {
			l.Cut = w.cut
		}
		return l
	case problem.AttachmentAdded:
		return line{Text: w.attached + ":", File: s.fileLink(of, e.To)}
	case problem.AttachmentDeleted:
		return line{Text: w.attached + " " + attached(e.From) + ": " + w.removed}
	case problem.KeywordSet:
		return line{Text: w.keyword + " " + e.Field + ": " + s.change(e)}
	case problem.KeywordDeleted:
		return line{Text: w.keyword + " " + e.Field + ": " + w.keywordGone}
	case problem.RelationshipAdded:
		return line{Text: e.Field + " " + linked(e.To) + ": " + w.added}
	case problem.RelationshipDeleted:
		return line{Text: e.Field + " " + linked(e.From) + ": " + w.removed}
	}
	return line{Text: s.label(e.Field) + ": " + s.change(e)}
}

// fileLink is a link to an attachment, with its size.
type fileLink struct{ Name, Size, URL string }

func (s *Sender) fileLink(of problem.ID, v problem.LogValue) *fileLink {
	a, _ := v.Attachment()
	return &fileLink{a.Name, problem.ShownBytes(a.Bytes, s.Language), s.problemURL(of) + "/attachments/" + a.ID.String() + "/" + url.PathEscape(a.Name)}
}

// label returns the name of a field for people.
func (s *Sender) label(field string) string {
	if f := problem.FieldNamed(field); f != nil && f.Label[s.Language] != "" {
		return f.Label[s.Language]
	}
	return field
}

func attached(v problem.LogValue) string {
	a, _ := v.Attachment()
	return a.Name
}

func linked(v problem.LogValue) string {
	other, _ := v.Link()
	return "#" + strconv.FormatInt(int64(other), 10)
}

// change returns the old and the new value.
func (s *Sender) change(e mail.Entry) string {
	shown := func(v problem.LogValue) string {
		if text, ok := mail.Shown(v); ok {
			return text
		}
		return s.words.null
	}
	return shown(e.From) + " → " + shown(e.To)
}
