package mail

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// told is a mail of the service, as the one that is answered.
const toldMail = `-=-=- Write your answer above this line -=-=-

#7 The lamp is broken
State: Open

Bob, 14 Mar 2026, 12:00 UTC
wrote:
> It is dark.

-- 
You get this mail because you watch the problem.`

func TestWritten(t *testing.T) {
	t.Parallel()
	quotedMail := "> " + strings.ReplaceAll(toldMail, "\n", "\n> ")
	for name, c := range map[string]struct{ text, want string }{
		"nothing":         {"", ""},
		"no quote":        {"It was the fuse.\n\nIt is new now.", "It was the fuse.\n\nIt is new now."},
		"blank lines":     {"\r\n \r\n  It was the fuse. \r\n\r\n", "  It was the fuse."},
		"a Markdown list": {"1. a\n   - b\n\n       code\n", "1. a\n   - b\n\n       code"},
		"Gmail": {"It was the fuse.\n\nOn Sat, Mar 14, 2026 at 12:05 PM Problems <\nreply+abc@example.org> wrote:\n\n" + quotedMail + "\n",
			"It was the fuse."},
		"Gmail in German":                      {"Die Sicherung.\n\nAm Sa., 14. März 2026 um 12:05 Uhr schrieb Problems <reply+abc@example.org>:\n\n" + quotedMail, "Die Sicherung."},
		"Apple Mail":                           {"It was the fuse.\n\n> On 14. Mar 2026, at 12:05, Problems <problems@example.org> wrote:\n> \n" + quotedMail, "It was the fuse."},
		"Thunderbird":                          {"Am 14.03.26 um 12:05 schrieb Problems:\n" + quotedMail + "\n\nDie Sicherung.\n", "Die Sicherung."},
		"Thunderbird, above, with a signature": {"It was the fuse.\n\n-- \nAnn\n\nOn 3/14/26 12:05, Problems wrote:\n" + quotedMail, "It was the fuse."},
		"Outlook": {"It was the fuse.\n\nAnn\n________________________________\nVon: Problems <problems@example.org>\nGesendet: Samstag, 14. März 2026 12:05\nAn: Ann <ann@example.org>\nBetreff: #7 The lamp is broken\n\n" + toldMail,
			"It was the fuse.\n\nAnn"},
		"Outlook, in bold":              {"It was the fuse.\n\n*From:* Problems <problems@example.org>\n*Sent:* Saturday\n*To:* Ann\n*Subject:* #7\n\n" + toldMail, "It was the fuse."},
		"an older Outlook":              {"It was the fuse.\n\n-----Original Message-----\nFrom: Problems\n\n" + toldMail, "It was the fuse."},
		"in German":                     {"Die Sicherung.\n\n-----Ursprüngliche Nachricht-----\nVon: Problems\n", "Die Sicherung."},
		"a program that marks no quote": {"It was the fuse.\n\nOn Saturday at 12:05, Problems wrote:\n\n" + toldMail, "It was the fuse."},
		"between the quotes": {"On Saturday at 12:05, Problems wrote:\n> It is dark.\n\nWhere?\n\n> It is broken.\n\nSince when?\n\n> -- \n> You get this mail\n",
			"Where?\n\n> It is broken.\n\nSince when?"},
		"between the quotes, after a greeting": {"Hello,\n\nOn Saturday at 12:05, Problems wrote:\n> It is dark.\n\nWhere?", "Hello,\n\nWhere?"},
		"a quote of one's own":                 {"He said:\n> It is dark.\nBut it is not.", "He said:\n> It is dark.\nBut it is not."},
		"a quote without more":                 {quotedMail + "\n\n", ""},
		"the mail without more":                {"\n\n" + toldMail, ""},
		"a signature without more":             {"-- \nAnn", ""},
		"white space alone":                    {" \r\n\t\u00a0\n", ""},
		"two dashes are no signature":          {"Fuse\n--\nIt is new.", "Fuse\n--\nIt is new."},
		"a colon is no attribution":            {"The log says:\n\n    at 12:05 it was dark", "The log says:\n\n    at 12:05 it was dark"},
		"a certificate":                        {"Renew this before Friday:\n\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n\nOtherwise all goes down.", "Renew this before Friday:\n\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n\nOtherwise all goes down."},
		"a title of one's own":                 {"It is dark.\n\n----- Steps to reproduce -----\nSwitch: on\nLamp: off", "It is dark.\n\n----- Steps to reproduce -----\nSwitch: on\nLamp: off"},
		"a title above one's own headers":      {"----- The way -----\nFrom: Berlin\nTo: Hamburg\n\nWhere is it?", "----- The way -----\nFrom: Berlin\nTo: Hamburg\n\nWhere is it?"},
		"a signed mail":                        {"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nIt was the fuse.", "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nIt was the fuse."},
		"in French":                            {"Le fusible.\n\n-----Message d’origine-----\nDe : Problems\n", "Le fusible."},
		"in Spanish":                           {"El fusible.\n\n----- Mensaje original -----\nel texto", "El fusible."},
		"in Dutch":                             {"De zekering.\n\n-----Oorspronkelijk bericht-----\nVan: Problems\n", "De zekering."},
		"a forwarded mail":                     {"See below.\n\n---------- Forwarded message ---------\nFrom: Bob <bob@example.org>\n\nold text", "See below."},
		"a title above headers, in Swedish":    {"Proppen.\n\n-----Ett annat meddelande-----\nFrån: Problems\nTill: Ann\nÄmne: #7\n\nmörkt", "Proppen."},
		"headers of one's own above the mail":  {"Mail: ann@example.org\nPhone: 12\nRoom: 3\n\n" + toldMail, "Mail: ann@example.org\nPhone: 12\nRoom: 3"},
		"headers in the text":                  {"From: here\nTo: there\nit is dark", "From: here\nTo: there\nit is dark"},
		"NUL and other control characters":     {"a\x00b\x1b[0mc\u0085d\te", "ab[0mcd\te"},
		"carriage returns":                     {"a\rb\r\nc", "a\nb\nc"},
		"wrong UTF-8":                          {"caf\xe9", "caf\uFFFD"},
	} {
		if got := Written(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestDividerLineDivides(t *testing.T) {
	t.Parallel()
	for _, form := range []string{DividerLine("Antworte über dieser Zeile"), "  " + DividerLine("x"), "*" + DividerLine("x") + "*"} {
		if got := Written("a\n" + form + "\nb"); got != "a" {
			t.Errorf("with %q: %q", form, got)
		}
	}
}

// Whatever a mail says, its text stays a text, and cutting it again cuts no less.
func FuzzWritten(f *testing.F) {
	for _, seed := range []string{"", ">", "a\n> b\nc", "From: a@b\nTo: c\nSubject: d\n" + toldMail, "a@b:\n>\n\n:\n>b", "\x00\xff\r-- \n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Written(text)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r") || len(got) > 3*len(text) || strings.TrimSpace(got) == "" && got != "" {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
