package lmtp

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/budget"
)

const head = "From: Somebody <else@example.org>\nSubject: Re: #7\nMessage-ID: <1@example.org>\n"

func TestTextOfMails(t *testing.T) {
	t.Parallel()
	var windows atomic.Int64
	r := serve(t, func(s *Server) { // one address takes few replies in each window
		s.Now = func() time.Time { return time.Now().Add(time.Duration(windows.Add(1)) * paceWindow) }
	})
	for name, c := range map[string]struct{ mail, want string }{
		"without MIME":                      {head + "\nIt was the fuse.\n.\n..\n", "It was the fuse.\n.\n..\n"},
		"UTF-8":                             {head + "Content-Type: text/plain; charset=utf-8\n\nGrüße", "Grüße"},
		"ISO-8859-1":                        {head + "Content-Type: text/plain; charset=\"ISO-8859-1\"\nContent-Transfer-Encoding: 8bit\n\nGr\xfc\xdfe", "Grüße"},
		"ISO-8859-15":                       {head + "Content-Type: text/plain; charset=iso-8859-15\n\n\xa4", "€"},
		"no charset":                        {head + "\nGr\xfc\xdfe \x80", "Grüße €"},
		"UTF-8 under the name of ASCII":     {head + "Content-Type: text/plain; charset=us-ascii\n\nGr\xc3\xbc\xc3\x9fe \xf0\x9f\x92\xa1", "Grüße 💡"},
		"ANSI under the name of ASCII":      {head + "Content-Type: text/plain; charset=US-ASCII\n\nGr\xfc\xdfe \x80", "Grüße €"},
		"UTF-8 under the name of ISO":       {head + "Content-Type: text/plain; charset=iso-8859-1\n\nGr\xc3\xbc\xc3\x9fe", "Grüße"},
		"UTF-8 under the name of ISO 15":    {head + "Content-Type: text/plain; charset=iso-8859-15\n\n\xe2\x82\xac", "€"},
		"UTF-8 without a name":              {head + "\nGr\xc3\xbc\xc3\x9fe", "Grüße"},
		"a charset that nobody knew":        {head + "Content-Type: text/plain; charset=unknown-8bit\n\nGr\xc3\xbc\xc3\x9fe", "Grüße"},
		"U+FFFD as it was sent":             {head + "Content-Type: text/plain; charset=utf-8\n\nGr\xef\xbf\xbde", "Gr\ufffde"},
		"ISO in quoted-printable HTML":      {head + "Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n<p>Gr=FC=DFe</p>", "Grüße"},
		"UTF-8 in HTML, named ASCII":        {head + "Content-Type: text/html; charset=us-ascii\nContent-Transfer-Encoding: quoted-printable\n\n<p>Gr=C3=BC=C3=9Fe</p>", "Grüße"},
		"a charset that HTML names":         {head + "Content-Type: text/html\n\n<meta charset=iso-8859-2><p>\xbe\xb9", "žš"},
		"ISO-2022-JP":                       {head + "Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B$3$s\x1b(B", "こん"},
		"UTF-16, in base64":                 {head + "Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\nRwByAPwA3wBlAA==", "Grüße"},
		"UTF-16, big-endian by its mark":    {head + "Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n/v8ARwByAPwA3wBl", "Grüße"},
		"UTF-16, little-endian by its mark": {head + "Content-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\n//5HAHIA/ADfAGUA", "Grüße"},
		"UTF-8 with a mark":                 {head + "Content-Type: text/plain; charset=utf-8\n\n\xef\xbb\xbfGrüße", "Grüße"},
		"quoted-printable":                  {head + "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: Quoted-Printable\n\nGr=FC=\n=DFe =3D", "Grüße ="},
		"base64 of several lines":           {head + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\nR3LD\nvMOf\nZQ==\n", "Grüße"},
		"flowed":                            {head + "Content-Type: text/plain; format=flowed\n\nIt was \nthe fuse.\n", "It was the fuse.\n"},
		"flowed, joined":                    {head + "Content-Type: text/plain; format=Flowed; DelSp=Yes\n\nDampf \nschiff\n", "Dampfschiff\n"},
		"a broken content type":             {head + "Content-Type: what is this\n\nIt was the fuse.", "It was the fuse."},
		"text and HTML": {head + "Content-Type: multipart/alternative; boundary=x\n\n--x\n\nIt was the fuse.\n--x\nContent-Type: text/html\n\n<p>It was the <b>fuse</b>.</p>\n--x--\n",
			"It was the fuse."},
		"HTML alone": {head + "Content-Type: text/html; charset=iso-8859-1\n\n<html><head><title>no</title><style>p{}</style></head><body><p>Gr\xfc\xdfe &amp;<br>\n  more</p><blockquote><div>It is <b>dark</b>.</div></blockquote><script>no()</script></body></html>",
			"Grüße &\nmore\n\n> It is dark."},
		"HTML before text": {head + "Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>no</p>\n--x\nContent-Type: text/plain\n\nIt was the fuse.\n--x--\n",
			"It was the fuse."},
		"text, a picture, text": {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nAbove\n--x\nContent-Type: image/png\nContent-Disposition: inline\n\nPNG\n--x\nContent-Type: text/plain\n\nBelow\n--x--\n",
			"Above\nBelow"},
		"HTML with a footer": {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>It was the fuse.</p>\n--x\nContent-Type: text/plain\n\nSent from a list\n--x--\n",
			"It was the fuse.\n\nSent from a list"},
		"two texts in HTML": {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\n\nAbove\n--x\nContent-Type: text/html\n\nBelow\n--x--\n",
			"Above\nBelow"},
		"an invisible text and HTML": {head + "Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain; charset=utf-8\n\n\u200b\n--x\nContent-Type: text/html\n\n<p>It was the fuse.</p>\n--x--\n",
			"It was the fuse.\n\n"},
		"an empty text and HTML": {head + "Content-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain\n\n \n--x\nContent-Type: text/html\n\n<p>It was the fuse.</p>\n--x--\n",
			"It was the fuse."},
		"HTML with pictures, beside an empty text": {head + "Content-Type: multipart/alternative; boundary=x\n\n--x\n\n\n--x\nContent-Type: multipart/related; boundary=y\n\n--y\nContent-Type: text/html\n\nIt was the fuse.\n--y\nContent-Type: image/png\n\nPNG\n--y--\n--x--\n",
			"It was the fuse."},
		"both forms, with a footer": {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: multipart/alternative; boundary=y\n\n--y\n\nIt was the fuse.\n--y\nContent-Type: text/html\n\nno\n--y--\n--x\n\nSent from a list\n--x--\n",
			"It was the fuse.\nSent from a list"},
		"HTML that counts for nothing, in an unknown charset": {head + "Content-Type: multipart/alternative; boundary=x\n\n--x\n\nIt was the fuse.\n--x\nContent-Type: text/html; charset=klingon\n\nno\n--x--\n",
			"It was the fuse."},
		"a file between the lines": {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nSee the log.\n--x\nContent-Type: text/plain\nContent-Disposition: inline; filename=log.txt\n\nlines\n--x\nContent-Type: text/plain\nContent-Disposition: inline; filename=a log.txt\n\nlines\n--x--\n",
			"See the log."},
		"an attached text": {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nSee the log.\n--x\nContent-Type: text/plain\nContent-Disposition: attachment; filename=log.txt\n\nlines\n--x--\n",
			"See the log."},
		"a forwarded mail": {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\nSee below.\n--x\nContent-Type: message/rfc822\n\nSubject: old\n\nold text\n--x--\n",
			"See below."},
		"a head below the limit": {head + multi("mixed", "\nIt was", strings.Repeat("X-A: "+strings.Repeat("a", 900)+"\n", 65)+"\nthe fuse."), "It was\nthe fuse."},
		"signed": {head + "Content-Type: multipart/signed; boundary=y; protocol=\"application/pgp-signature\"\n\n--y\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\nGr=C3=BC=C3=9Fe\n--x--\n--y\nContent-Type: application/pgp-signature\n\n-----BEGIN\n--y--\n",
			"Grüße"},
	} {
		answers := r.deliver(t, c.mail, to)
		got, outcomes := r.all()
		text := func(of string) string { return strings.TrimRight(strings.ReplaceAll(of, "\r\n", "\n"), "\n") }
		if len(answers) != 0 || len(got) != 1 || text(got[0].Text) != text(c.want) || got[0].Token != "a" || got[0].Message != "<1@example.org>" || got[0].Most != commentBytes {
			t.Errorf("%s: %+v, answered with %v, want the text %q", name, got, answers, c.want)
		}
		if len(outcomes) != 1 || outcomes[0] != Comment {
			t.Errorf("%s: the outcomes are %v", name, outcomes)
		}
	}
}

func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	return b.String() + "\ndeep\n"
}

func TestRefusedMails(t *testing.T) {
	t.Parallel()
	r := serve(t, func(s *Server) { s.smtp.MaxMessageBytes = 4 << 20 })
	for name, c := range map[string]struct {
		mail    string
		code    int
		reason  string
		outcome Outcome
	}{
		"a part with a long head":              {head + multi("mixed", "\na", strings.Repeat("X-A: "+strings.Repeat("a", 900)+"\n", 80)+"\na"), 552, "a part of the mail has headers of more than 64 KiB", TooLarge},
		"the same, deep inside":                {head + multi("mixed", "\na", multi("mixed", "\na", "X-A: a\n"+strings.Repeat(" "+strings.Repeat("a", 900)+"\n", 80)+"\na")), 552, "of more than 64 KiB", TooLarge},
		"a damaged file":                       {head + multi("mixed", "\na", "Content-Type: image/png; name=a.png\nContent-Transfer-Encoding: base64\n\nR3LD*"), 554, `the file "a.png" is damaged`, Unreadable},
		"a file in an unknown encoding":        {head + multi("mixed", "\na", "Content-Type: image/png; name=a.png\nContent-Transfer-Encoding: x-uuencode\n\nR3LD*"), 554, `the file "a.png" has an unknown`, Unreadable},
		"encrypted by S/MIME":                  {head + "Content-Type: application/pkcs7-mime; name=smime.p7m\nContent-Disposition: inline; filename=smime.p7m\n\nx", 554, "no part with text", Unreadable},
		"encrypted":                            {head + "Content-Type: multipart/encrypted; boundary=x\n\n--x\nContent-Type: application/octet-stream\n\n----\n--x--\n", 554, "no part with text", Unreadable},
		"no headers":                           {"What is this?\n", 554, "headers of the mail cannot be read", Unreadable},
		"ANSI under the name of UTF-8":         {head + "Content-Type: text/plain; charset=utf-8\n\nGr\xfc\xdfe", 554, "damaged: it has bytes that are not in the charset utf-8 of its header. Send it in UTF-8", Unreadable},
		"the same in HTML":                     {head + "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<p>Gr=FC=DFe</p>", 554, "the charset utf-8 of its header", Unreadable},
		"UTF-8 that breaks off":                {head + "Content-Type: text/plain; charset=utf-8\n\nGr\xc3", 554, "the charset utf-8", Unreadable},
		"HTML that names the wrong charset":    {head + "Content-Type: text/html\n\n<meta charset=utf-8><p>Gr\xfc\xdfe", 554, "the charset utf-8 of its HTML", Unreadable},
		"DOS under the name of ISO":            {head + "Content-Type: text/plain; charset=iso-8859-1\n\nGr\x81\xe1e", 554, "the charset iso-8859-1", Unreadable},
		"half a character of Shift JIS":        {head + "Content-Type: text/plain; charset=shift_jis\n\na\x83", 554, "the charset shift_jis", Unreadable},
		"half a character of UTF-16":           {head + "Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\nRwBy", 554, "the charset utf-16le", Unreadable},
		"an escape of ISO-2022-JP":             {head + "Content-Type: text/plain; charset=iso-2022-jp\n\n\x1b$B$\x1b(B", 554, "the charset iso-2022-jp", Unreadable},
		"an unknown charset":                   {head + "Content-Type: text/plain; charset=klingon\n\na", 554, "unknown charset", Unreadable},
		"a charset that nobody reads any more": {head + "Content-Type: text/plain; charset=iso-2022-kr\n\na", 554, "unknown charset", Unreadable},
		"another one":                          {head + "Content-Type: text/plain; charset=HZ-GB-2312\n\na", 554, "unknown charset", Unreadable},
		"an unknown encoding":                  {head + "Content-Transfer-Encoding: x-uuencode\n\na", 554, "unknown Content-Transfer-Encoding", Unreadable},
		"broken base64":                        {head + "Content-Transfer-Encoding: base64\n\nR3LD*", 554, "damaged", Unreadable},
		"parts without boundary":               {head + "Content-Type: multipart/mixed\n\n--x\n\na\n--x--\n", 554, "damaged", Unreadable},
		"parts without an end":                 {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\na\n", 554, "damaged", Unreadable},
		"nested too deep":                      {head + nested(12), 554, "nested more than 10 deep", Unreadable},
		"thousands of parts":                   {head + "Content-Type: multipart/mixed; boundary=x\n\n" + strings.Repeat("--x\n\na\n", 5000) + "--x--\n", 554, "more than 1000 parts", Unreadable},
		"a long text":                          {head + "\n" + strings.Repeat(strings.Repeat("a", 999)+"\n", 2000), 552, "more than 1024 KiB", TooLarge},
		"many lines":                           {head + strings.Repeat("\n", mostLines+1), 552, "more than 100000 lines", TooLarge},
		"long headers":                         {head + strings.Repeat("X-A: "+strings.Repeat("a", 900)+"\n", 1500) + "\na", 552, "headers of the mail", TooLarge},
		"a long header":                        {head + "X-A: a\n" + strings.Repeat(" "+strings.Repeat("a", 900)+"\n", 1500) + "\na", 552, "headers of the mail", TooLarge},
		"a large mail":                         {head + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--x\nContent-Type: image/png\n\n" + strings.Repeat(strings.Repeat("a", 999)+"\n", 5000) + "--x--\n", 552, "send fewer or smaller files", TooLarge},
	} {
		answers := r.deliver(t, c.mail, to)
		got, outcomes := r.all()
		if a := answers[to]; a == nil || a.Code != c.code || !strings.Contains(a.Message, c.reason) {
			t.Errorf("%s: answered with %v, want %d: …%s…", name, a, c.code, c.reason)
		}
		if len(got) != 0 || len(outcomes) != 1 || outcomes[0] != c.outcome {
			t.Errorf("%s: the outcomes are %v, and the replies %+v", name, outcomes, got)
		}
	}
}

// A small text waits for no memory, and counts nevertheless until the mail is stored.
func TestSmallTextsCount(t *testing.T) {
	t.Parallel()
	memory := budget.New(1 << 20)
	account := memory.Open(nil)
	text := strings.Repeat("It was the fuse. ", 1000)
	m, refused := readMessage(t.Context(), strings.NewReader(head+"\n"+text), "ann@example.org", 1<<20, account)
	if held, _ := memory.Held(); refused != nil || m.text != text || held < int64(len(text)) {
		t.Errorf("a text of %d bytes holds %d (%v)", len(text), held, refused)
	}
	account.Close()
}

// Alternatives that are not taken leave no memory counted: eight mails of them would keep
// everybody out. All of them together are bounded, because each costs time.
func TestDroppedAlternativesCount(t *testing.T) {
	t.Parallel()
	for parts, fits := range map[int]bool{20: true, (commentBytes+mostQuotes)*2/30_000 + 1: false} {
		memory := budget.New(1 << 30)
		part := "--x\nContent-Type: text/html\n\n" + strings.Repeat("<br>", 7_500) + "\n"
		mail := "Content-Type: multipart/alternative; boundary=x\n\n" + strings.Repeat(part, parts) + "--x--\n"
		_, refused := readMessage(t.Context(), strings.NewReader(mail), "ann@example.org", commentBytes, memory.Open(nil))
		if held, _ := memory.Held(); refused == nil != fits || held > 2*fold*30_001 {
			t.Errorf("%d parts: refused with %v, %d bytes are held", parts, refused, held)
		}
	}
}

// A large text waits for memory, and its mail server for the answer.
func TestLargeTextsNeedMemory(t *testing.T) {
	t.Parallel()
	r := serve(t, func(s *Server) { s.Memory, s.Step = budget.New(1<<20), 50*time.Millisecond })
	held := r.Memory.Open(nil)
	if err := held.Reserve(t.Context(), 1<<20); err != nil {
		t.Fatal(err)
	}
	large := head + "\n" + strings.Repeat(strings.Repeat("a", 99)+"\n", 1000)
	for name, c := range map[string]struct {
		mail string
		code int
	}{"small": {head + "\na", 0}, "large": {large, 451}} {
		if a := r.deliver(t, c.mail, to)[to]; (a == nil) != (c.code == 0) || a != nil && a.Code != c.code {
			t.Errorf("%s: answered with %v, want %d", name, a, c.code)
		}
	}
	held.Close()
	if a := r.deliver(t, large, to)[to]; a != nil {
		t.Errorf("with memory again, a large text is answered with %v", a)
	}
	if n, waiting := r.Memory.Held(); n != 0 || waiting != 0 {
		t.Errorf("%d bytes are held, and %d mails wait", n, waiting)
	}
}

// A mail without an identifier has the same one in each delivery.
func TestMailWithoutIdentifier(t *testing.T) {
	t.Parallel()
	r := serve(t)
	for _, id := range []string{"", "Message-ID:\n", "Message-ID: <>\n", "Message-ID: < >\n"} {
		for _, text := range []string{"a" + id, "a" + id, "b" + id} {
			r.deliver(t, id+"Date: Sat, 14 Mar 2026 12:05:00 +0000\n\n"+text, to)
		}
		got, outcomes := r.all()
		if len(got) != 3 || got[0].Message == "" || got[0].Message != got[1].Message || got[1].Message == got[2].Message || outcomes[1] != Repeated || outcomes[2] != Comment {
			t.Errorf("with %q, the replies are %+v, with the outcomes %v", id, got, outcomes)
		}
	}
}

// Whatever comes as a mail, the answer is a text of bounded length or a sentence.
func FuzzReadMessage(f *testing.F) {
	for _, seed := range []string{"", head + "\na", head + "Content-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--x--\n", head + nested(3), head + "Content-Type: multipart/alternative; boundary=x\n\n--x\n\n\n--x\nContent-Type: text/html\n\n<svg><title>a</svg>b\n--x--\n", head + "Content-Type: text/html\n\n<blockquote><pre>a<br><li>b</pre>", head + "Content-Type: text/plain; charset=utf-16; format=flowed\nContent-Transfer-Encoding: base64\n\nAAAA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, refused := readMessage(t.Context(), strings.NewReader(text), "ann@example.org", 100, nil)
		if refused == nil && !m.automatic && m.id == "" || len(m.text) > 4*(100+mostQuotes) || refused != nil && refused.reason == "" {
			t.Errorf("%q is read as %+v, %+v", text, m, refused)
		}
	})
}
