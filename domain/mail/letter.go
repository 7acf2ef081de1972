package mail

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

// Letter is the content of one mail.
type Letter struct {
	// ID is the same in every attempt to send the mail, and in no other mail. It consists
	// of letters, digits, dots and hyphens.
	ID string
	To user.User
	// Unsubscribe is the token of NewToken.
	Unsubscribe string
	// Reply is the token of NewReplyToken. A digest has none.
	Reply string
	// Stories are about one problem, or in a digest about several.
	Stories []Story
	// More counts the problems of a digest without a Story.
	More int
}

// Digest reports whether the letter tells of several problems, and only of their titles.
func (l Letter) Digest() bool { return len(l.Stories) > 1 || l.More > 0 }

// Story is the news of a problem.
type Story struct {
	Problem problem.ID
	Title   string
	State   string
	// Entries are the changes by others, oldest first. A digest has none.
	Entries []Entry
	// Left counts the changes missing in Entries.
	Left int
}

// Entry is one change.
type Entry struct {
	ID     ident.ID
	Author string // a name
	At     time.Time
	Type   problem.LogType
	// Field is the changed field, or the name of a keyword, or the type of a relationship.
	Field    string
	From, To problem.LogValue
	// Comment and HTML are those of an added comment. HTML is empty when there is none, or
	// when it is too long; it is untrusted.
	Comment, HTML string
	// Cut is true when the text goes on in the problem.
	Cut bool
}

// Bounds of one letter. A letter has at most about 300 KB, however large the problem is.
const (
	// MostStories is the largest number of problems with a title in a digest.
	MostStories = 50
	// MostEntries is the largest number of changes in a story. The newest ones stay.
	MostEntries = 50
	mostComment = 8 << 10 // bytes
	mostText    = 64 << 10
	mostValue   = 300 // bytes, of an old or a new value
)

// Bound returns the story within the bounds of a letter. The newest changes stay.
func (s Story) Bound() Story {
	left := max(0, len(s.Entries)-MostEntries)
	entries := slices.Clone(s.Entries[left:])
	size := 0
	for i := len(entries) - 1; i >= 0; i-- {
		e := &entries[i]
		if len(e.HTML) > mostComment {
			e.HTML = ""
		}
		if short := cut(e.Comment, mostComment); len(short) < len(e.Comment) {
			e.Comment, e.HTML, e.Cut = short, "", true
		}
		if size += len(e.Comment) + len(e.HTML); size > mostText && i < len(entries)-1 {
			left += i + 1
			entries = entries[i+1:]
			break
		}
	}
	s.Entries, s.Left = entries, s.Left+left
	return s
}

// cut returns a beginning of a text with at most so many bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// Shown returns a value of a change as one text of limited length: a string, or the name in
// a reference. ok is false for null.
func Shown(v problem.LogValue) (text string, ok bool) {
	if text, ok = v.Text(); !ok {
		if text, ok = v.Name(); !ok {
			return "", false
		}
	}
	if short := cut(text, mostValue); short != text {
		return short + "…", true
	}
	return text, true
}

// Sender sends letters.
type Sender interface {
	// Send sends a letter once. A failure is a *Failure, unless ctx has ended.
	Send(ctx context.Context, l Letter) error
	// Rest closes the connection kept between two letters. It is called when none waits.
	Rest()
}

// Failure says why a letter was not sent.
type Failure struct {
	Kind FailureKind
	// Person is true when every letter to the addressee would fail like this one.
	Person bool
	// Items are those at fault, when a digest without them would not fail.
	Items []Item
	// Reason is a sentence for the operator. It has no secret and no address.
	Reason string
}

// FailureKind says what a Failure means for further letters.
type FailureKind string

// The kinds of failures.
const (
	// Unreachable: the mail server cannot be used. No letter can be sent now.
	Unreachable FailureKind = "unreachable"
	// Deferred: the mail server will perhaps take this letter later.
	Deferred FailureKind = "deferred"
	// Refused: the mail server does not take this letter.
	Refused FailureKind = "refused"
)

func (f *Failure) Error() string { return f.Reason }
