package problem

import (
	"encoding/json"
	"html"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/text"
)

func TestNewRedaction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, replacement, refused string }{
		{"hunter2", "***", ""},
		{"hunter2", "(gone)", ""},
		{"pass", " *** ", ""},
		{"pass", "", "empty"},
		{"pass", "\u200B", "see"},
		{"pass", "*****", "1 to 4 characters"},
		{"pass", "\u2588\u2588", "bytes"},
		{"cafe pass", "e\u0301", ""},
		{"password", "x\u0325", "combining"},
		{"p***word", "***", "part of the text"},
		{"hunter2", "hunter2", "part of the text"},
		{"**secret", "***", "begin as the text ends"},
		{"secret**", "***", "begin as the text ends"},
	} {
		r, err := NewRedaction(c.text, c.replacement)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%q by %q: %v, want %q", c.text, c.replacement, err, c.refused)
		}
		if err == nil && (r.Text != c.text || utf8.RuneCountInString(r.Replacement) > utf8.RuneCountInString(c.text)) {
			t.Errorf("%q by %q is %+v", c.text, c.replacement, r)
		}
	}
}

// D45: the text is nowhere, whatever it stood beside, and nothing grows.
func FuzzRedaction(f *testing.F) {
	f.Add("hunter2", "xe", "xxhunter2\u0301")
	f.Add("aabb", "c", "aaabbb")
	f.Add("\u00e9abc", "xe", "x\u00e9abc\u0301abc")
	f.Add("\u00e9bcd", "x", "e\u0301bcd")
	f.Fuzz(func(t *testing.T, redacted, replacement, s string) {
		redacted, err := RedactedText.Apply(redacted)
		if err != nil {
			return
		}
		r, err := NewRedaction(redacted, replacement)
		if err != nil || !utf8.ValidString(s) {
			return
		}
		got := r.In(s)
		if strings.Contains(got, redacted) || utf8.RuneCountInString(got) > utf8.RuneCountInString(s) {
			t.Errorf("%+v of %q is %q", r, s, got)
		}
		page := r.InHTML(Text(strings.NewReplacer("a", "&#97;", "\u0301", "&#x301;").Replace(s)))
		if strings.Contains(text.NFC(html.UnescapeString(page.String)), redacted) {
			t.Errorf("%+v of HTML is %q", r, page.String)
		}
	})
}

func TestRedactEntry(t *testing.T) {
	t.Parallel()
	if got := (Redaction{"key:\n4711", "***"}).In("a key:\r\n4711, key:\n4711"); got != "a ***, ***" {
		t.Errorf("of lines it is %q", got)
	}
	const secret = `hun"ter`
	id := ident.ID{15: 1}
	before := Comment{ID: id, Text: `a hun"ter b`, HTML: Text(`<b>hun&quot;ter</b>`)}
	after := Comment{ID: id, Text: "a *** b"}
	who := LogRef(id, secret)
	file := Attachment{ID: id, Name: secret + ".log", MediaType: "text/" + secret}.Log()
	renamed := Attachment{ID: id, Name: "***.log", MediaType: UnknownMediaType}.Log()
	object := func(title string) LogValue {
		return LogObject(LogMember{"title", LogText(title)}, LogMember{"state", who}, LogMember{"due", LogText("2026-01-02")})
	}
	for _, c := range []struct {
		of         LogType
		field      string
		from, to   LogValue
		wantField  string
		wantFrom   LogValue
		wantTo     LogValue
		sameReason string
	}{
		{ProblemCreated, "", "", object("It is " + secret), "", "", object("It is ***"), ""},
		{FieldChanged, "title", LogText(secret), LogText(secret + "!"), "title", LogText("***"), LogText("***!"), ""},
		{CommentEdited, "comments", LogComment(before, who), LogText(id.String()), "comments", LogComment(after, who), LogText(id.String()), ""},
		{CommentDeleted, "comments", LogDeletedComment(before, who, ""), "", "comments", LogDeletedComment(after, who, ""), "", ""},
		{KeywordSet, "x" + secret, LogNoValue, LogText(secret), "x***", LogNoValue, LogText("***"), ""},
		{AttachmentAdded, "attachments", "", file, "attachments", "", renamed, ""},
		{FieldChanged, "state", who, who, "state", who, who, "names of metadata stay"},
		{WatcherAdded, "watchers", "", who, "watchers", "", who, "names of users stay"},
		{FieldChanged, "title", LogText("plain"), "", "title", LogText("plain"), "", "no such text"},
	} {
		got := Redaction{secret, "***"}.Entry(LogEntry{Type: c.of, Field: c.field, From: c.from, To: c.to})
		if want := (LogEntry{Type: c.of, Field: c.wantField, From: c.wantFrom, To: c.wantTo}); got != want {
			t.Errorf("%s %s: %+v, want %+v", c.of, c.sameReason, got, want)
		}
		if got.To != "" && !json.Valid([]byte(got.To)) {
			t.Errorf("%s: %s is no JSON", c.of, got.To)
		}
	}
}
