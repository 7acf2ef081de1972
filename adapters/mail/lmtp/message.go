package lmtp

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"slices"
	"strings"

	"github.com/emersion/go-smtp"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/mail"
	rules "github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker"
)

// Bounds of a mail.
const (
	mostParts = 1000
	mostDepth = 10
	// mostQuotes is how much larger than a comment a text may be, with its quotes.
	mostQuotes = 1 << 20
	mostLines  = 100_000
	// smallText is the size of a text that waits for no memory, and fold how much memory a
	// text needs for each of its bytes, in its several forms.
	smallText = 64 << 10
	fold      = 6
)

// message is what counts of a mail.
type message struct {
	// id is the same in each delivery.
	id        string
	automatic bool
	text      string // with quotes
	files     []tracker.ReplyFile
	layout    string // the text of the HTML, with the places of its pictures
}

// readMessage reads a mail to its end, and keeps its text and its files. most is the size of the
// largest comment. A large text and large files wait for memory until ctx ends. A refused mail may
// be automatic.
func readMessage(ctx context.Context, r io.Reader, sender string, most int, memory *budget.Account) (message, *refusal) {
	source := &source{from: r}
	most += mostQuotes
	reserve := func(n int64) error { return memory.Reserve(ctx, n) }
	m, refused := parse(source, sender, texts{most: most, memory: func() error { return reserve(int64(most) * fold) }, charge: memory.Add, files: files{reserve: reserve, charge: memory.Add}})
	// A mail that was cut off on its way must not become a comment.
	_, _ = io.Copy(io.Discard, source)
	only := message{automatic: m.automatic}
	switch {
	case source.err == nil:
		return m, refused
	case errors.Is(source.err, smtp.ErrDataTooLarge):
		return only, tooLarge(fmt.Sprintf("the mail has more than %d MiB: send fewer or smaller files", MostBytes>>20))
	case errors.Is(source.err, smtp.ErrTooLongLine):
		return only, unreadable(fmt.Sprintf("the mail has a line of more than %d MiB: mail programs break such lines", mostLine>>20))
	}
	return only, deferred("the mail has not arrived as a whole: send it again", source.err)
}

// source remembers the error of a connection: readers of parts hide it.
type source struct {
	from io.Reader
	err  error // nil: none, or the end of the mail
}

func (s *source) Read(b []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.from.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

func parse(r io.Reader, sender string, found texts) (m message, refused *refusal) {
	head := &headReader{from: r}
	parsed, err := netmail.ReadMessage(head)
	if head.cut() {
		refused = tooLarge(fmt.Sprintf("the headers of the mail have more than %d MiB", mostHeaders>>20))
	} else if err != nil {
		refused = unreadable("the headers of the mail cannot be read")
	}
	if refused != nil {
		m.automatic = mail.Automatic(sender, head.sound().Get)
		return m, refused
	}
	head.end()
	m.automatic = mail.Automatic(sender, parsed.Header.Get)
	if m.automatic {
		return m, nil
	}
	text, refused := found.read(textproto.MIMEHeader(parsed.Header), parsed.Body, place{})
	if refused != nil {
		return m, refused
	}
	m.files = found.files.placed(found.shown)
	if !text.found && len(m.files) == 0 {
		return m, unreadable("the mail has no part with text, and no file: encrypted mail cannot become a comment")
	}
	m.text, m.layout = text.text, found.layout.String()
	if strings.Count(m.text, "\n") >= mostLines {
		return m, tooLarge(fmt.Sprintf("the text of the mail has more than %d lines, with its quotes: send a shorter one", mostLines))
	}
	if m.id = strings.TrimSpace(parsed.Header.Get("Message-Id")); strings.Trim(m.id, "<> \t") == "" {
		m.id = parsed.Header.Get("Date") + "\n" + m.text
	}
	return m, nil
}

// texts reads the parts of a mail.
type texts struct {
	most   int          // bytes
	memory func() error // waits for the memory of a large text
	charge func(int64)  // counts the memory of another one
	size   int          // of what is kept
	tried  int          // bytes of all texts, also of alternatives that are not kept
	parts  int
	files  files
	layout strings.Builder // the text of the HTML, with the places of its pictures
	shown  map[string]bool // the places of the pictures in HTML, also in signatures
}

// place is where a part stands.
type place struct {
	around string // the media type of the multipart around
	depth  int
	// unneeded is true beside an alternative that has the text. Files count all the same.
	unneeded bool
}

// piece is the text of a part, with those inside of it.
type piece struct {
	found bool // a part with text, though it may be empty
	html  bool // some of it was HTML
	text  string
	size  int // before HTML became text
	// charged is the memory that was counted for it.
	charged int64
}

func (p piece) empty() bool { return !rules.Visible(p.text) }

var errUnreadable = unreadable("the parts of the mail cannot be read: it is damaged")

// read reads a part, and those inside of it.
func (t *texts) read(header textproto.MIMEHeader, body io.Reader, at place) (piece, *refusal) {
	if t.parts++; t.parts > mostParts || at.depth > mostDepth {
		return piece{}, unreadable(fmt.Sprintf("the mail has more than %d parts, or parts nested more than %d deep", mostParts, mostDepth))
	}
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || kind == "" {
		kind, params = "text/plain", nil
	}
	if strings.HasPrefix(kind, "multipart/") {
		return t.inside(kind, body, params["boundary"], at)
	}
	if kind != "text/plain" && kind != "text/html" || file(header.Get("Content-Disposition")) {
		return piece{}, t.files.read(kind, header, body, at.around)
	}
	if !at.unneeded {
		return t.text(kind, header, params, body)
	}
	if kind != "text/html" || t.tried > t.most { // nothing but the places of its pictures counts
		return piece{}, nil
	}
	size, tried := t.size, t.tried
	p, refused := t.text(kind, header, params, body)
	if refused != nil && refused.outcome != Deferred {
		t.size, t.tried, refused = size, tried, nil
	}
	return p, refused
}

// text reads a part with text.
func (t *texts) text(kind string, header textproto.MIMEHeader, params map[string]string, body io.Reader) (piece, *refusal) {
	text, charged, refused := t.decode(header.Get("Content-Transfer-Encoding"), params["charset"], kind == "text/html", body)
	if refused != nil {
		return piece{}, refused
	}
	p := piece{found: true, html: kind == "text/html", text: text, size: len(text), charged: charged}
	switch {
	case p.html:
		var err error
		if p.text, err = plainOf(strings.NewReader(text)); err != nil {
			return piece{}, errUnreadable
		}
		if len(p.text) > t.most { // marks of lists and quotes can be longer than their tags
			return piece{}, t.tooLarge()
		}
		t.addLayout(text)
	case strings.EqualFold(params["format"], "flowed"):
		p.text = mail.Unflow(text, strings.EqualFold(params["delsp"], "yes"))
	}
	return p, nil
}

// addLayout adds the text of HTML with the places of its pictures.
func (t *texts) addLayout(html string) {
	if !strings.Contains(html, "cid:") && !strings.Contains(html, "CID:") {
		return
	}
	if t.shown == nil {
		t.shown = map[string]bool{}
	}
	layout, err := layoutOf(strings.NewReader(html), t.shown)
	if err == nil && t.layout.Len()+len(layout) <= t.most {
		t.layout.WriteString(layout + "\n")
	}
}

// file reports whether a part is a file by its Content-Disposition. Programs show files with
// text between the lines of the author.
func file(disposition string) bool {
	kind, params, err := mime.ParseMediaType(disposition)
	if kind == "attachment" || params["filename"] != "" {
		return true
	}
	return err != nil && strings.Contains(strings.ToLower(disposition), "filename") // such as a name without quotes
}

// inside reads the parts of a multipart: the best of its alternatives, or all of its texts. A
// mail with pictures between its text has several parts of it, and a list adds its footer.
func (t *texts) inside(kind string, body io.Reader, boundary string, at place) (piece, *refusal) {
	if boundary == "" {
		return piece{}, errUnreadable
	}
	var all piece
	var joined strings.Builder
	alternatives := kind == "multipart/alternative"
	heads := &partHeads{from: body}
	parts := multipart.NewReader(heads, boundary)
	var part *multipart.Part
	for {
		var err error
		part, err = heads.next(parts, part)
		if errors.Is(err, io.EOF) {
			break
		}
		if heads.tooLong {
			return piece{}, tooLarge(fmt.Sprintf("a part of the mail has headers of more than %d KiB", mostPartHead>>10))
		}
		if err != nil {
			return piece{}, errUnreadable
		}
		next, refused := t.read(part.Header, part, place{kind, at.depth + 1, at.unneeded || alternatives && all.found && !all.html && !all.empty()})
		if refused != nil {
			return piece{}, refused
		}
		switch {
		case !next.found:
		case alternatives:
			all = t.better(all, next)
		default:
			all.found, all.html = true, all.html || next.html && !next.empty()
			all.size, all.charged = all.size+next.size, all.charged+next.charged
			if text := joined.String(); text != "" && !strings.HasSuffix(text, "\n") {
				joined.WriteByte('\n')
			}
			joined.WriteString(next.text)
		}
	}
	if !alternatives {
		all.text = joined.String()
	}
	return all, nil
}

// better returns one of two alternatives: one with content, in plain text when it can be.
func (t *texts) better(a, b piece) piece {
	if !a.found || a.empty() || a.html && !b.html && !b.empty() {
		a, b = b, a
	}
	t.size -= b.size
	t.charge(-b.charged)
	return a
}

// decoded returns the content of a part without its Content-Transfer-Encoding. ok is false for an
// unknown one.
func decoded(transfer string, body io.Reader) (_ io.Reader, ok bool) {
	switch strings.ToLower(strings.TrimSpace(transfer)) {
	case "quoted-printable":
		return quotedprintable.NewReader(body), true
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, withoutBlanks{body}), true
	case "", "7bit", "8bit", "binary":
		return body, true
	}
	return nil, false
}

// withoutBlanks reads base64 without blanks, which some programs leave at the ends of lines.
type withoutBlanks struct{ io.Reader }

func (w withoutBlanks) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	return len(slices.DeleteFunc(b[:n], func(c byte) bool { return c == ' ' || c == '\t' })), err
}

// decode returns the text of a part, and the memory that was counted for it.
func (t *texts) decode(transfer, charset string, html bool, body io.Reader) (_ string, charged int64, _ *refusal) {
	body, ok := decoded(transfer, body)
	if !ok {
		return "", 0, unreadable("the text of the mail has an unknown Content-Transfer-Encoding")
	}
	raw, err := io.ReadAll(io.LimitReader(body, smallText))
	if err == nil && len(raw) == smallText {
		if err := t.memory(); err != nil {
			return "", 0, deferred("the service has no memory for a mail of this size now: send it again later", err)
		}
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(body, int64(max(0, t.most-t.size-smallText))+1))
		raw = append(raw, rest...)
	} else {
		charged = int64(len(raw)) * fold
		t.charge(charged)
	}
	if err != nil {
		return "", 0, errUnreadable
	}
	if t.tried += len(raw); t.size+len(raw) > t.most || t.tried > 2*t.most {
		return "", 0, t.tooLarge()
	}
	text, refused := toUTF8(raw, charset, html)
	if refused != nil {
		return "", 0, refused
	}
	if t.size+len(text) > t.most {
		return "", 0, t.tooLarge()
	}
	t.size += len(text)
	return text, charged, nil
}

func (t *texts) tooLarge() *refusal {
	return tooLarge(fmt.Sprintf("the text of the mail has more than %d KiB, with its quotes: send a shorter one", t.most>>10))
}
