package lmtp

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/mail"
)

// multi returns a multipart of the given kind.
func multi(kind string, parts ...string) string {
	boundary := fmt.Sprintf("b%d", len(strings.Join(parts, "")))
	return "Content-Type: multipart/" + kind + "; boundary=" + boundary + "\n\n--" + boundary + "\n" + strings.Join(parts, "\n--"+boundary+"\n") + "\n--" + boundary + "--\n"
}

// encoded returns a part with so many bytes, in the lines of mail programs.
func encoded(headers string, bytes int) string {
	return headers + "Content-Transfer-Encoding: base64\n\n" + strings.Join(slices.Collect(func(yield func(string) bool) {
		for text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", bytes))); text != ""; text = text[min(76, len(text)):] {
			if !yield(text[:min(76, len(text))]) {
				return
			}
		}
	}), "\n")
}

func plainPart(text string) string { return "Content-Type: text/plain; charset=utf-8\n\n" + text }
func htmlPart(text string) string  { return "Content-Type: text/html; charset=utf-8\n\n" + text }

// D42: which parts of the mails of some programs are files. Pictures of signatures and quotes are
// none.
func TestFilesOfMails(t *testing.T) {
	t.Parallel()
	const large = 5000
	inline := func(name, id string, bytes int) string {
		return encoded("Content-Type: image/png; name=\""+name+"\"\nContent-Disposition: inline; filename=\""+name+"\"\nContent-ID: <"+id+">\n", bytes)
	}
	attached := func(name string) string {
		return encoded("Content-Type: application/pdf; name="+name+"\nContent-Disposition: attachment; filename="+name+"\nX-Attachment-Id: f_1\n", 10)
	}
	divider := mail.DividerLine("Write your answer above this line")
	for name, c := range map[string]struct {
		mail, text string
		files      []string
	}{
		"Gmail, a pasted picture and a file": {multi("mixed", multi("related", multi("alternative", plainPart("See [image: image.png]"),
			htmlPart(`<div>See <img src="cid:ii_1" alt="image.png"></div>`)), inline("image.png", "ii_1", large)), attached("log.pdf")),
			"See [image: image.png]", []string{"image.png image/png 5000", "log.pdf application/pdf 10"}},
		"Gmail, a picture in its signature": {multi("related", multi("alternative", plainPart("Yes."),
			htmlPart(`<div>Yes.<div class="gmail_signature"><div><br></div><img src="cid:ii_1"></div></div>`)), inline("logo.png", "ii_1", large)), "Yes.", nil},
		"Outlook, icons and a picture": {multi("related", multi("alternative", plainPart("See [cid:image002.png@01DA]"),
			htmlPart(`<p class="MsoNormal">See <img id="Picture_x0020_1" src="cid:image002.png@01DA"></p><p><img src="cid:image001.png@01DA"></p>`)),
			inline("image001.png", "image001.png@01DA", 900), inline("image002.png", "image002.png@01DA", large)),
			"See [cid:image002.png@01DA]", []string{"image002.png image/png 5000"}},
		"Outlook, a picture of the answered mail": {multi("related", htmlPart(`<p>Yes.</p><div><p>`+divider+`</p><img src="cid:old"></div>`), inline("old.png", "old", large)),
			"Yes.", nil},
		"Outlook, shown and marked as a file": {multi("mixed", htmlPart(`Yes. <div id="Signature"><img src="cid:logo%40x"></div>`),
			encoded("Content-Type: image/jpeg\nContent-Disposition: attachment; filename=logo.jpg\nContent-ID: <logo@x>\n", large)), "Yes.", nil},
		"Apple Mail, a file between the lines": {multi("alternative", plainPart("Above\n\nBelow"), multi("mixed", htmlPart("Above"), attached("log.pdf"), htmlPart("Below"))),
			"Above\n\nBelow", []string{"log.pdf application/pdf 10"}},
		"Apple Mail, a picture in plain text": {multi("mixed", plainPart("Above"), encoded("Content-Type: image/png; name=a.png\nContent-Disposition: inline; filename=a.png\n", 10), plainPart("Below")),
			"Above\nBelow", []string{"a.png image/png 10"}},
		"Thunderbird, a quoted picture": {multi("related", htmlPart(`<div class="moz-cite-prefix">On Sat, 14 Mar 2026, Ann wrote:<br></div><blockquote type="cite">It is dark. <img src="cid:part1.a@b"></blockquote><p>Yes.</p>`),
			inline("a.png", "part1.a@b", large)), "Yes.", nil},
		"a picture without HTML that shows it": {multi("related", htmlPart("Yes."), inline("a.png", "a@b", 10)), "Yes.", []string{"a.png image/png 10"}},
		"HTML that cannot be read":             {multi("related", multi("alternative", plainPart("Yes."), "Content-Type: text/html; charset=klingon\n\n<img src=cid:a>"), inline("a.png", "a", 10)), "Yes.", []string{"a.png image/png 10"}},
		"files alone":                          {multi("mixed", attached("a.pdf"), attached("a.pdf")), "", []string{"a.pdf application/pdf 10", "a.pdf application/pdf 10"}},
		"one file alone":                       {encoded("Content-Type: image/png\n", 3), "", []string{"file.png image/png 3"}},
		"blanks in base64":                     {multi("mixed", plainPart("Yes."), "Content-Type: a/b\nContent-Transfer-Encoding: base64\n\nQUJD \nREVG\t\nRw== \n"), "Yes.", []string{"file a/b 7"}},
		"an empty file":                        {multi("mixed", plainPart("Yes."), attached("a")[:strings.Index(attached("a"), "\n\n")+2]), "Yes.", []string{"a application/pdf 0"}},
		"an attached text":                     {multi("mixed", plainPart("Yes."), "Content-Type: text/plain; charset=\"UTF-8\"; name=\"a.log\"\nContent-Disposition: attachment; filename=\"a.log\"\n\nlines"), "Yes.", []string{"a.log text/plain; charset=UTF-8 5"}},
		"a forwarded mail":                     {multi("mixed", plainPart("Yes."), "Content-Type: message/rfc822\n\nSubject: a\n\nb"), "Yes.", []string{"file.eml message/rfc822 13"}},
		"an invitation":                        {multi("mixed", multi("alternative", plainPart("Yes."), "Content-Type: text/calendar; method=REPLY\n\nBEGIN"), "Content-Type: application/ics; name=invite.ics\nContent-Disposition: attachment; filename=invite.ics\n\nBEGIN"), "Yes.", []string{"invite.ics application/ics 5"}},
		"signed":                               {multi("signed", plainPart("Yes."), "Content-Type: application/pgp-signature; name=OpenPGP_signature.asc\n\n-----"), "Yes.", nil},
		"names in several forms": {multi("mixed", plainPart("Yes."),
			"Content-Type: a/b\nContent-Disposition: attachment; filename=\"=?UTF-8?Q?Gr=C3=BC=C3=9Fe=2Etxt?=\"\n\n",
			"Content-Type: a/b\nContent-Disposition: attachment; filename*0*=utf-8''Gr%C3%BC;\n filename*1=sse.txt\n\n",
			"Content-Type: a/b; name*=iso-8859-1''na%EFve\nContent-Disposition: attachment\n\n",
			"Content-Type: a/b; name=\"=?iso-8859-1?B?R3L832U=?=\"\nContent-Disposition: attachment\n\n",
			"Content-Type: a/b\nContent-Disposition: attachment; filename=two words.txt\n\n",
			"Content-Type: a/b\nContent-Disposition: attachment; filename=\"../../etc/passwd\"\n\n",
			"Content-Type: a/b\nContent-Disposition: attachment; filename=\"C:\\\\Users\\\\ann\\\\CON\"\n\n",
			"Content-Type: a/b\nContent-Disposition: attachment; filename*=utf-8''a%00b%E2%80%AEc%0Ad\n\n",
			"Content-Type: a/b\nContent-Disposition: attachment; filename=\"..\"\n\n",
			"Content-Type: a/b\nContent-Disposition: attachment; filename*=utf-8''"+strings.Repeat("%F0%9F%98%80", 300)+".png\n\n"),
			"Yes.", []string{"Grüße.txt a/b 0", "Grüsse.txt a/b 0", "naïve a/b 0", "Grüße a/b 0", "two words.txt a/b 0", "passwd a/b 0", "CON a/b 0", "abcd a/b 0", "file a/b 0", strings.Repeat("😀", 251) + ".png a/b 0"}},
	} {
		memory := budget.New(1 << 30)
		m, refused := readMessage(t.Context(), strings.NewReader(head+c.mail), "ann@example.org", commentBytes, memory.Open(nil))
		var got []string
		for _, f := range m.files {
			if f.Place == "" || !mail.Ornament(mail.Written(m.layout, "a"), f.Place, len(f.Content)) {
				got = append(got, fmt.Sprint(f.Name, " ", f.MediaType, " ", len(f.Content)))
			}
		}
		if text := mail.Written(m.text, "a"); refused != nil || text != c.text || !slices.Equal(got, c.files) {
			t.Errorf("%s: the text %q with %q, %+v, want %q with %q", name, text, got, refused, c.text, c.files)
		}
	}
}

// Files wait for memory, unless they are small, and never take more than the largest mail.
func TestFilesNeedMemory(t *testing.T) {
	t.Parallel()
	for bytes, held := range map[int]int64{100: smallFiles, smallFiles: smallFiles + MostBytes} {
		memory := budget.New(1 << 30)
		m, refused := readMessage(t.Context(), strings.NewReader(head+multi("mixed", "\nYes.", encoded("Content-Type: a/b\n", 1), encoded("Content-Type: a/b\n", bytes-1), encoded("Content-Type: a/b\n", 1))), "ann@example.org", commentBytes, memory.Open(nil))
		if refused != nil || len(m.files) != 3 || len(m.files[0].Content) != 1 || string(m.files[1].Content) != strings.Repeat("x", bytes-1) || string(m.files[2].Content) != "x" {
			t.Errorf("%d bytes: %+v, %d files", bytes, refused, len(m.files))
		}
		if n, _ := memory.Held(); n < held || n > held+100 {
			t.Errorf("%d bytes hold %d, want %d", bytes, n, held)
		}
	}
}
