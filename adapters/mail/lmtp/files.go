package lmtp

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/problemtracking/problems/adapters/internal/filename"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// smallFiles is the size of all files of a mail that wait for no memory, in bytes.
const smallFiles = 64 << 10

// files are the files of a mail. They have no more bytes than the mail.
type files struct {
	reserve func(int64) error // waits for memory
	charge  func(int64)       // counts memory
	space   []byte            // of the next files
	large   bool              // the memory of the largest mail is reserved
	all     []tracker.ReplyFile
}

// isPart reports whether a part is no file: another form of the text, or a signature or the
// secret text of a mail program.
func isPart(kind, around, disposition string) bool {
	if disposition == "attachment" {
		return false
	}
	switch kind {
	case "application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature",
		"application/pkcs7-mime", "application/x-pkcs7-mime", "application/applefile":
		return true
	}
	return around == "multipart/alternative" || around == "multipart/encrypted"
}

// read reads a part that is no text of the mail.
func (f *files) read(kind string, header textproto.MIMEHeader, body io.Reader, around string) *refusal {
	disposition, named, _ := filename.Parse(header.Get("Content-Disposition"))
	if isPart(kind, around, disposition) {
		return nil
	}
	_, typed, _ := filename.Parse(header.Get("Content-Type"))
	name := problem.TameAttachmentName(decodedWords(cmp.Or(named["filename"], unquoted(header.Get("Content-Disposition")), typed["name"])), kind)
	body, ok := decoded(header.Get("Content-Transfer-Encoding"), body)
	if !ok {
		return unreadable(fmt.Sprintf("the file %q has an unknown Content-Transfer-Encoding", name))
	}
	content, refused := f.keep(name, body)
	if refused != nil {
		return refused
	}
	file := tracker.ReplyFile{Name: name, MediaType: kind, Content: content}
	if charset := typed["charset"]; charset != "" { // nothing else counts, such as the name once more
		file.MediaType = mime.FormatMediaType(kind, map[string]string{"charset": charset})
	}
	if id := header.Get("Content-Id"); id != "" && strings.HasPrefix(kind, "image/") {
		file.Place = placeOf(id)
	}
	f.all = append(f.all, file)
	return nil
}

// keep returns the content of a file.
func (f *files) keep(name string, body io.Reader) ([]byte, *refusal) {
	if f.space == nil {
		f.charge(smallFiles)
		f.space = make([]byte, 0, smallFiles)
	}
	begin := len(f.space)
	for {
		if len(f.space) == cap(f.space) {
			if f.large { // more than the mail can have
				return nil, errUnreadable
			}
			if err := f.reserve(MostBytes); err != nil {
				return nil, deferred("the service has no memory for a mail of this size now: send it again later", err)
			}
			f.large = true
			f.space, begin = append(make([]byte, 0, MostBytes), f.space[begin:]...), 0
		}
		n, err := body.Read(f.space[len(f.space):cap(f.space)])
		f.space = f.space[:len(f.space)+n]
		if errors.Is(err, io.EOF) {
			end := len(f.space)
			return f.space[begin:end:end], nil
		}
		if err != nil {
			return nil, unreadable(fmt.Sprintf("the file %q is damaged: send the mail again", name))
		}
	}
}

// placed returns the files. Those that no HTML shows have no place.
func (f *files) placed(shown map[string]bool) []tracker.ReplyFile {
	for i := range f.all {
		if !shown[f.all[i].Place] {
			f.all[i].Place = ""
		}
	}
	return f.all
}

// placeOf returns what stands in a layout for the picture with a Content-ID.
func placeOf(id string) string {
	if plain, err := url.PathUnescape(id); err == nil {
		id = plain
	}
	return "[cid:" + strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || !unicode.IsPrint(c) || strings.ContainsRune("<>[]", c) {
			return -1
		}
		return c
	}, id) + "]"
}

// unquoted returns the name in a Content-Disposition with blanks outside of quotes, which the
// library does not read.
func unquoted(disposition string) string {
	_, name, _ := strings.Cut(disposition, "filename=")
	name, _, _ = strings.Cut(name, ";")
	return strings.Trim(name, ` "`)
}

// decodedWords returns a name without encoded words (RFC 2047), which mail programs write there.
func decodedWords(name string) string {
	words := mime.WordDecoder{CharsetReader: charset.NewReaderLabel}
	if plain, err := words.DecodeHeader(name); err == nil {
		return plain
	}
	return name
}

// layout is the text of HTML with the places of its pictures.
type layout struct {
	shown     map[string]bool // the places of all pictures; nil: they do not count
	signature atom.Atom       // the tag around a signature; 0: none
	inside    int             // how many tags of its name are open
}

func (p *plain) beginSignature(tag atom.Atom) {
	if p.layout.signature == tag {
		p.layout.inside++
	}
}

func (p *plain) endSignature(tag atom.Atom) {
	if p.layout.signature != tag {
		return
	}
	if p.layout.inside--; p.layout.inside == 0 {
		p.layout.signature = 0
	}
}

// place reads an attribute of a picture, or of an element around a signature. Mail programs name
// it so, such as gmail_signature and moz-signature.
func (p *plain) place(tag atom.Atom, key, value string) {
	l := &p.layout
	switch {
	case l.shown == nil:
	case tag == atom.Img && key == "src":
		scheme, id, _ := strings.Cut(value, ":")
		if !strings.EqualFold(strings.TrimSpace(scheme), "cid") {
			return
		}
		l.shown[placeOf(id)] = true
		if l.signature == 0 {
			p.text(" " + placeOf(id) + " ")
		}
	case l.signature == 0 && slices.Contains(blocks, tag) && (key == "class" || key == "id") && strings.Contains(strings.ToLower(value), "signature"):
		l.signature, l.inside = tag, 1
	}
}

// blocks are the tags around signatures.
var blocks = []atom.Atom{atom.Div, atom.Span, atom.P, atom.Table, atom.Td, atom.Section}
