package mail

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"mime"
	netmail "net/mail"
	"net/url"
	"strconv"
	"strings"
	texttemplate "text/template"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/user"
)

var (
	//go:embed letter.txt
	letterText string
	//go:embed letter.html
	letterHTML string

	asText = texttemplate.Must(texttemplate.New("text").Funcs(texttemplate.FuncMap{"indent": indent}).Parse(letterText))
	asHTML = template.Must(template.New("html").Parse(letterHTML))
)

// indent returns a text with each line behind spaces, so that no line of it looks like one of
// the mail itself. A mail program hides lines behind ">", as if the reader had them before.
func indent(text string) string {
	const margin = "    "
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
	return margin + strings.Join(lines, "\n"+margin)
}

// mostAddress is the largest length of an address, in bytes: a path of SMTP has 256 with its angle
// brackets (RFC 5321, 4.5.3.1.3). A mail server may break the connection at a longer one.
const mostAddress = 254

// mostSubject is the largest length of a subject, in characters.
const mostSubject = 200

func (s *Sender) link(path string) string { return s.Base.String() + path }

func (s *Sender) problemURL(id problem.ID) string {
	return s.link("/problems/" + strconv.FormatInt(int64(id), 10))
}

func (s *Sender) unsubscribeURL(l mail.Letter) string {
	return s.link("/unsubscribe?" + url.Values{"token": {l.Unsubscribe}}.Encode())
}

// replyAddress returns the address for answers to a letter, or "" when nobody reads them.
func (s *Sender) replyAddress(l mail.Letter) string {
	if s.Replies == "" || l.Reply == "" {
		return ""
	}
	return mail.ReplyAddress(s.Replies, l.Reply)
}

// subject is the same for all mails about a problem, as long as it has its title: some mail
// programs make threads of it.
func (s *Sender) subject(l mail.Letter) string {
	if l.Digest() {
		return fmt.Sprintf(s.words.digest, len(l.Stories)+l.More)
	}
	subject := []rune(name(l.Stories[0]))
	if len(subject) > mostSubject {
		return string(subject[:mostSubject]) + "…"
	}
	return string(subject)
}

// message returns a letter as a message to an address.
func (s *Sender) message(l mail.Letter, address string) (*gomail.Msg, error) {
	v := s.view(l)
	var text, html strings.Builder
	if err := asText.Execute(&text, v); err != nil {
		return nil, fmt.Errorf("the text of a mail cannot be made: %w", err)
	}
	if err := asHTML.Execute(&html, v); err != nil {
		return nil, fmt.Errorf("the HTML of a mail cannot be made: %w", err)
	}
	m := s.envelope(l.To.Name, address, v.Heading)
	m.SetMessageIDWithValue(messageID(l.ID, s.domain()))
	if !l.Digest() {
		// Nobody has a mail with this identifier. It holds the thread together.
		thread := "<problem." + strconv.FormatInt(int64(l.Stories[0].Problem), 10) + "." + s.place() + "@" + s.domain() + ">"
		setHeader(m, gomail.HeaderInReplyTo, thread)
		setHeader(m, gomail.HeaderReferences, thread)
	}
	if answers := s.replyAddress(l); answers != "" {
		m.ReplyToMailAddress(&netmail.Address{Name: s.From.Name, Address: answers})
	}
	setHeader(m, gomail.HeaderListUnsubscribe, "<"+v.UnsubURL+">")
	m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	m.SetBodyString(gomail.TypeTextPlain, text.String())
	m.AddAlternativeString(gomail.TypeTextHTML, html.String())
	return m, nil
}

// test returns the message of Test.
func (s *Sender) test(address string) *gomail.Msg {
	m := s.envelope("", address, s.words.testSubject)
	m.SetMessageIDWithValue(messageID("test."+strconv.FormatInt(s.Now().UnixNano(), 36), s.domain()))
	m.SetBodyString(gomail.TypeTextPlain, s.words.testBody+"\r\n\r\n"+s.link("/")+"\r\n")
	return m
}

// recipient returns the address of a user as mail servers take it.
func recipient(email string) (string, error) {
	if !user.CanGetMail(email) {
		return "", errors.New("the user has no address for mail")
	}
	address, err := withASCIIDomain(email)
	if err != nil {
		return "", err
	}
	if len(address) > mostAddress {
		return "", fmt.Errorf("the address has %d bytes, and mail servers take %d", len(address), mostAddress)
	}
	return address, nil
}

// envelope returns a message with the headers of every mail.
func (s *Sender) envelope(name, address, subject string) *gomail.Msg {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from := s.From
	m.FromMailAddress(&from)
	m.ToMailAddress(&netmail.Address{Name: name, Address: address})
	setHeader(m, gomail.HeaderSubject, literal(subject))
	m.SetDateWithValue(s.Now())
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	return m
}

// setHeader sets a header. The library breaks the line before a first word that is long, and some
// programs then see an empty header.
func setHeader(m *gomail.Msg, name gomail.Header, value string) {
	m.SetGenHeaderPreformatted(name, folded(len(name)+len(": "), value))
}

// folded returns the value of a header in lines of at most 76 characters, as far as its words
// allow. Two spaces stay in one line: some programs read one at its end as none. begin is what stands before it.
func folded(begin int, value string) string {
	const most = 76
	var lines strings.Builder
	words := strings.Split(value, " ")
	for i, word := range words {
		switch {
		case i == 0:
		case word != "" && words[i-1] != "" && begin+1+len(word) > most:
			lines.WriteString("\r\n ")
			begin = 1
		default:
			lines.WriteByte(' ')
			begin++
		}
		lines.WriteString(word)
		begin += len(word)
	}
	return lines.String()
}

// messageID returns the identifier of a message. The library sets this header itself, and breaks
// the line before an identifier of more than mostMessageID characters.
func messageID(id, domain string) string {
	if len(id)+len(domain) < mostMessageID {
		return id + "@" + domain
	}
	sum := sha256.Sum256([]byte(id + "@" + domain))
	id = strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:10]))
	for len(id)+len(domain) >= mostMessageID && strings.Contains(domain, ".") {
		_, domain, _ = strings.Cut(domain, ".")
	}
	return id + "@" + domain
}

// mostMessageID leaves room for the name of the header and the brackets in a line.
const mostMessageID = 58

// literal returns the text of a header in ASCII, so that mail programs show it as it is. They
// decode what looks like an encoded word (RFC 2047).
func literal(text string) string {
	if !strings.Contains(text, "=?") {
		return mime.QEncoding.Encode("UTF-8", text)
	}
	const most = 45 // bytes in a word, which has at most 75
	var words []string
	for len(text) > 0 {
		end := min(most, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		words = append(words, "=?UTF-8?B?"+base64.StdEncoding.EncodeToString([]byte(text[:end]))+"?=")
		text = text[end:]
	}
	return strings.Join(words, " ")
}

// place distinguishes the trackers with one sender in identifiers of threads. In it, a port
// follows a dot, and a path is escaped.
func (s *Sender) place() string {
	place := s.Base.Hostname()
	if port := s.Base.Port(); port != "" {
		place += "." + port
	}
	return place + url.QueryEscape(s.Base.Path)
}

// domain returns the right side of the identifiers of messages.
func (s *Sender) domain() string {
	return s.From.Address[strings.LastIndexByte(s.From.Address, '@')+1:]
}
