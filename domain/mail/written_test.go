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
    It is dark.

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
		"format characters alone":              {"\u200b", ""},
		"format characters around a quote":     {"\ufeff\u200e \n" + quotedMail + "\n\u200b\n\u00ad", ""},
		"lines of format characters":           {"\u200b\nIt was the fuse.\n\u200b\n\u200b", "It was the fuse."},
		"format characters in a line":          {"a\u200db\u200f\n\nc", "a\u200db\u200f\n\nc"},
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
		if got := Written(c.text, ""); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The sentence with the address of this mail goes in any language, just above the quote.
func TestOwnAttributions(t *testing.T) {
	t.Parallel()
	const token = "kq3mfx7b2ckq3mfx7b2ckq3mfx7b2ckq3mfx7b2ckq3m"
	for _, sentence := range []string{
		"2026年3月14日(土) 12:05 Problems <reply+" + token + "@example.org>:",
		"2026년 3월 14일 (토) 오후 12:05, Problems <reply+" + token + "@example.org>님이 작성:",
		"14 Mar 2026 Cmt 12:05 tarihinde Problems <reply+" + token + "@example.org> şunu yazdı:",
		"ב-שבת, 14 במרץ 2026 ב-12:05 מאת Problems <reply+" + token + "@example.org>:",
		"في السبت، 14 مارس 2026 في 12:05 م تمت كتابة ما يلي بواسطة Problems <reply+" + token + "@example.org>:",
		"Στις Σάβ 14 Μαρ 2026 στις 12:05 μ.μ., ο χρήστης Problems <\nreply+" + token + "@example.org> έγραψε:",
		"Vào Th 7, 14 thg 3, 2026 vào lúc 12:05 Problems <reply+" + token + "@example.org>\nđã viết:",
		"Pe sâm., 14 mar. 2026 la 12:05, Problem Tracking of the Northern Power\n<reply+" + token + "@example.org> a scris:",
		"reply+" + strings.ToUpper(token) + "@example.org napisao:",
		"Problems <reply+" + token[:20] + "\n" + token[20:] + "@example.org> kirjutas:",
	} {
		for _, quote := range []string{"> It is dark.", "\n> It is dark."} {
			if got := Written("It is new now.\n\nDo NOT switch it on.\n"+sentence+"\n"+quote, token); got != "It is new now.\n\nDo NOT switch it on." {
				t.Errorf("%q leaves %q", sentence, got)
			}
			if got := Written(sentence+"\n"+quote+"\n\nIt is new now.", token); got != "It is new now." {
				t.Errorf("below the quote, %q leaves %q", sentence, got)
			}
		}
		if text := sentence + "\n\nNobody quotes."; Written(text, token) != text {
			t.Errorf("without a quote, %q becomes %q", text, Written(text, token))
		}
	}
}

// Lines that begin with ">" are the author's own, unless a program quotes the answered mail.
func TestOwnLinesLikeQuotes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The shell says:\n\n> ls\n> no such file",
		"> ls\n> no such file\n\nWhat now?",
		"> 5 V is too much.\n\nAnd\n\n>> y",
		">:-(\nIt is dark again.",
	} {
		if got := Written(text, ""); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if got := Written(text+"\n\nEnd.\n\nOn Sat, 14 Mar 2026, Problems wrote:\n> It is dark.\n", ""); got != text+"\n\nEnd." {
			t.Errorf("above a quote, %q becomes %q", text, got)
		}
	}
}

// A ruler is no line above which an answer stands, and a broken line is one.
func TestRulersDoNotDivide(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\n-=-=-=-=-=-\nb", "a\n-=-=- -=-=-\nb", "a\n-=-=-\nb", "a\n-=-=- the log\nb\n\n-=-=-\nc", "a\n-=-=- 1"} {
		if got := Written(text, ""); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	if got := Written("a\n-=-=- Antworte über dieser Zeile. Deine Antwort wird ein\nKommentar. -=-=-\nb", ""); got != "a" {
		t.Errorf("a broken line leaves %q", got)
	}
}

// Each program names the author and the time of the quoted mail in its own way.
func TestAttributions(t *testing.T) {
	t.Parallel()
	for _, sentence := range []string{
		"On Sat, Mar 14, 2026 at 12:05 PM Problems <reply+abc@example.org> wrote:",
		"On Sat, 14 Mar 2026, Problems wrote:",
		"On March 14, 2026 12:05:00 PM GMT+01:00, Problems <reply+abc@example.org> wrote:",
		"On 3/14/26 12:05, Problems wrote:",
		"On Sat, Mar 14, 2026 at 12:05 PM Problem Tracking Service <\nreply+kq3mfx7b2c@example.org> wrote:",
		"On Sat, Mar 14, 2026 at 12:05 PM The Problem Tracking Service\nof the Northern Power Stations and of all of their Lamps\n<reply+kq3mfx7b2c@example.org> wrote:",
		"On Saturday at 12:05, Problems wrote:",
		"Am 14.03.26 um 12:05 schrieb Problems:",
		"Am 14. März 2026 12:05:00 MEZ schrieb Problems <reply+abc@example.org>:",
		"Am Sa., 14. März 2026 um 12:05 Uhr schrieb Problem Tracking <\nreply+kq3mfx7b2c@example.org>:",
		"On Saturday, March 14, 2026 at 12:05:33 PM GMT+1, Problems <reply+abc@example.org> wrote:",
		"Am Samstag, 14. März 2026 um 12:05:33 MEZ hat Problems <reply+abc@example.org> Folgendes geschrieben:",
		"Am Samstag, 14. März 2026 um 12:05:33 MEZ hat Problem Tracking\n<reply+kq3mfx7b2c@example.org> Folgendes geschrieben:",
		"Le sam. 14 mars 2026 à 12:05, Problems <reply+abc@example.org> a écrit :",
		"Le 14/03/2026 à 12:05, Problems a écrit :",
		"El sáb, 14 mar 2026 a las 12:05, Problems (<reply+abc@example.org>) escribió:",
		"Il giorno sab 14 mar 2026 alle ore 12:05 Problems <reply+abc@example.org> ha scritto:",
		"Op za 14 mrt 2026 om 12:05 schreef Problems <reply+abc@example.org>:",
		"El 14/3/26 a las 12:05 p. m., Problems escribió:",
		"Em sáb., 14 de mar. de 2026 às 12:05, Problems <reply+abc@example.org> escreveu:",
		"Den 2026-03-14 kl. 12:05, skrev Problems:",
		"Den lør. 14. mar. 2026 kl. 12.05 skrev Problems <reply+abc@example.org>:",
		"lør. 14. mars 2026 kl. 12:05 skrev Problems <reply+abc@example.org>:",
		"lør. 14. mars 2026 kl. 12:05 skrev Problem Tracking <\nreply+kq3mfx7b2c@example.org>:",
		"*On 3/14/26 12:05, Problems wrote:*",
		"сб, 14 мар. 2026 г. в 12:05, Problems <reply+abc@example.org>:",
		"Problems <reply+abc@example.org> 于2026年3月14日周六 12:05写道：",
		"Problems <reply+abc@example.org> writes:",
	} {
		for _, quote := range []string{"> It is dark.", "\n> It is dark.", "\n" + toldMail} {
			if got := Written("It is\nnew now.\n\nDo NOT switch it on.\n"+sentence+"\n"+quote, ""); got != "It is\nnew now.\n\nDo NOT switch it on." {
				t.Errorf("%q leaves %q", sentence, got)
			}
		}
	}
}

// The lines of an author above a quote stay, whatever they look like.
func TestAuthorsLinesAboveQuotes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Intro.\n\nI restarted it.\nAt 10:04 the log says:\n> error\n\nSo it is not the fuse.",
		"Since version 1.25 I see this:\n> panic\n\nCan you look?",
		"On version 1.25, the log of 2026 says:\n> panic\n\nCan you look?",
		"On Monday at 10:04 the server wrote:\n> panic\n\nCan you look?",
		"On 14 Mar 2026 the server wrote:\n> panic\n\nCan you look?",
		"On Monday at 10:04 I restarted it, and the log wrote:\n> panic\n\nCan you look?",
		"Am 14.03.2026 um 12:05 startete ich ihn neu, und Bob schrieb mir:\n> Ende\n\nWas nun?",
		"On version 1.25, Bob wrote:\n> panic\n\nCan you look?",
		"I sent this on 14.03.2026 at 10:04 to Bob <bob@example.org>:\n> It is dark.\n\nIs it?",
		"On the panel, somebody wrote:\n> Do not touch!\n\nWhat now?",
		"Am 14.03.2026 um 12:05 hat Bob mir Folgendes geschrieben:\n> Ende\n\nWas nun?",
		"Am Montag um 12:05 hat Bob <bob@example.org> Folgendes geschrieben:\n> Ende\n\nWas nun?",
		"Am Montag schrieb der Server:\n> Ende\n\nWas nun?",
		"At 10:04 I asked <bob@example.org> and he said:\n> It is dark.\n\nIs it?",
		"I sent this to Bob <bob@example.org>:\n> It is dark.\n\nIs it?",
		"I sent this at 10:04 to Bob <bob@example.org>:\n> It is dark.\n\nIs it?",
		"Fixed.\n\nHere is what I did at 10:04:",
		"Todo:\n- a\n- at 10:04 do this:",
		"On Monday at 10:04 I restarted it.\nSo Bob, Eve wrote:",
	} {
		if got := Written(text, ""); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
		if got := Written(text+"\n\n"+toldMail, ""); got != text {
			t.Errorf("above a mail, %q becomes %q", text, got)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"directly above a sentence": {"First paragraph.\n\nI have replaced the fuse, do NOT switch it on before Friday.\nOn Sat, 14 Mar 2026 at 12:05, Problems <r@e.org> wrote:\n> dark",
			"First paragraph.\n\nI have replaced the fuse, do NOT switch it on before Friday."},
		"as the first words of a sentence": {"On Monday at 10:04 I restarted it\nOn Sat, 14 Mar 2026 at 12:05, Problems <r@e.org> wrote:\n> dark",
			"On Monday at 10:04 I restarted it"},
		"above a sentence of an author": {"On Monday at 10:04 I restarted it\nProblems <r@e.org> writes:\n> dark", "On Monday at 10:04 I restarted it"},
		"a long line above it": {"On Monday at 10:04 I replaced the fuse, and I have not done anything else.\nProblems <r@e.org> writes:\n> dark",
			"On Monday at 10:04 I replaced the fuse, and I have not done anything else."},
	} {
		if got := Written(c.text, ""); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestDividerLineDivides(t *testing.T) {
	t.Parallel()
	for _, form := range []string{DividerLine("Antworte über dieser Zeile"), "  " + DividerLine("x"), "*" + DividerLine("x") + "*"} {
		if got := Written("a\n"+form+"\nb", ""); got != "a" {
			t.Errorf("with %q: %q", form, got)
		}
	}
}

// Whatever a mail says, its text stays a text, and cutting it again cuts no less.
func FuzzWritten(f *testing.F) {
	for _, seed := range []string{"", ">", "a\n> b\nc", "From: a@b\nTo: c\nSubject: d\n" + toldMail, "a@b:\n>\n\n:\n>b", "\x00\xff\r-- \n", "\u200b\n> a\n\u200b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Written(text, "")
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r") || len(got) > 3*len(text) || blank(got) && got != "" {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
