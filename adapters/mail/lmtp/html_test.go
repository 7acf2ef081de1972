package lmtp

import (
	"strings"
	"testing"

	rules "github.com/problemtracking/problems/domain/mail"
)

func TestPlainTextOfHTML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ html, want string }{
		"nothing":                  {"", ""},
		"text":                     {"  It was\n\tthe   fuse. ", "It was the fuse."},
		"paragraphs":               {"<p>one</p>\n\n<p>two</p>", "one\n\ntwo\n\n"},
		"lines":                    {"<div>one</div><div>two<br>three</div>", "one\ntwo\nthree\n"},
		"blank lines":              {"one<br><br><br><br>two", "one\n\ntwo"},
		"marks inside words":       {"a<b>b</b>c <i>d</i>, <u>e</u>", "abc d, e"},
		"fixed spaces":             {"Do&nbsp;<b>not</b>&nbsp;switch<i>&nbsp;it</i>\u2003on", "Do not switch it on"},
		"a list":                   {"<ul><li>one</li><li>two</li></ul>", "- one\n- two\n\n"},
		"a table":                  {"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc\n\n"},
		"heads of a table":         {"<table><tr><th>a</th><th>b</th></tr></table>", "a b\n\n"},
		"code":                     {"<pre>if a {\n\tb\n}</pre>after", "if a {\n\tb\n}\nafter"},
		"quotes":                   {"mine<blockquote>one<blockquote>two</blockquote></blockquote>more", "mine\n> one\n>> two\nmore"},
		"hidden":                   {"<head><title>a</title></head><style>b</style><script>c<p>d</script><!-- e -->f", "f"},
		"a head without end":       {"<head><title>a</title><body>b", "b"},
		"neither end nor body":     {"<html><head><meta charset=utf-8><title>a</title><p>b", "b"},
		"text right behind a head": {"<head><meta>b", "b"},
		"a title in a picture":     {"<svg><title>t</svg> after", "after"},
		"a title with its end":     {"a <svg><title>t</title><path/></svg>after <title>no</title>b", "a after b"},
		"a picture without end":    {"<svg><style>t<p>after", "after"},
		"an end without a picture": {"<script>no</svg>no</script>b</svg>", "b"},
		"what is not tags":         {"1 &lt; 2 & <3", "1 < 2 & <3"},
		"a signature":              {"a<div>-- <br>Bob</div>", "a\n-- \nBob\n"},
		"a signature in tags":      {"a<br><span>--&nbsp;</span><br><div>Bob</div>", "a\n-- \nBob\n"},
		"no signature":             {"a<p>\n--\n</p><p>-- b</p>c<div>a -- </div>d", "a\n--\n\n-- b\n\nc\na --\nd"},
		"dashes behind a mark":     {"<div>a <b>-- </b></div><div>-- <b>b</b><br>c", "a --\n-- b\nc"},
		"open tags":                {"<p><b>a<blockquote>b", "a\n> b"},
	} {
		got, err := plainOf(strings.NewReader(c.html))
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

// An answer that nobody sees is none.
func TestEmptyAnswersInHTML(t *testing.T) {
	t.Parallel()
	for _, html := range []string{"<p>&#8203;</p>", "<p>&nbsp;&ZeroWidthSpace;</p><div>&shy;<br></div><blockquote>It is dark.</blockquote>"} {
		text, err := plainOf(strings.NewReader(html))
		if got := rules.Written(text, ""); err != nil || got != "" {
			t.Errorf("%s: %q, %v", html, got, err)
		}
	}
}

// A signature is cut as in plain text.
func TestSignaturesInHTML(t *testing.T) {
	t.Parallel()
	for name, html := range map[string]string{
		"Thunderbird":                "<p>It was the fuse.</p>\n<div class=\"moz-signature\">-- <br>\nBob</div>",
		"Thunderbird, in plain text": "<p>It was the fuse.</p><pre class=\"moz-signature\" cols=\"72\">-- \nBob</pre>",
		"Gmail":                      "<div dir=\"ltr\">It was the fuse.<div><br clear=\"all\"></div><span class=\"gmail_signature_prefix\">-- </span><br><div class=\"gmail_signature\">Bob</div></div>",
	} {
		text, err := plainOf(strings.NewReader(html))
		if got := rules.Written(text, ""); err != nil || got != "It was the fuse." {
			t.Errorf("%s: %q, %v, of\n%s", name, got, err, text)
		}
	}
}

// The quoted mail is cut in HTML too, as several mail programs send it.
func TestAnswersInHTML(t *testing.T) {
	t.Parallel()
	mail := "<p style=\"color:#555\">" + rules.DividerLine("Write your answer above this line.") + "</p><h2>#7 The lamp</h2><p>It is dark.</p>"
	for name, html := range map[string]string{
		"Gmail":    "<div dir=\"ltr\">It was the fuse.</div><br><div class=\"gmail_quote\"><div>On Sat, Mar 14, 2026 at 12:05 PM Problems &lt;<a href=\"mailto:r@e.org\">r@e.org</a>&gt; wrote:<br></div><blockquote>" + mail + "</blockquote></div>",
		"Outlook":  "<div><p>It was the fuse.</p><div style=\"border-top:solid\"><p><b>From:</b> Problems &lt;r@e.org&gt;<br><b>Sent:</b> Saturday<br><b>To:</b> Ann<br><b>Subject:</b> #7</p></div>" + mail + "</div>",
		"a mobile": "It was the fuse.<br><br>" + mail,
	} {
		text, err := plainOf(strings.NewReader(html))
		if got := rules.Written(text, ""); err != nil || got != "It was the fuse." {
			t.Errorf("%s: %q, %v, of\n%s", name, got, err, text)
		}
	}
}
