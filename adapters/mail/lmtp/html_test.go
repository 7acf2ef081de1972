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
		"code":                     {"<pre>if a {\n\tb\n}</pre>after", "```\nif a {\n\tb\n}\n```\nafter"},
		"quotes":                   {"mine<blockquote>one<blockquote>two</blockquote></blockquote>more", "mine\n> one\n>> two\n\nmore"},
		"a numbered list":          {"<ol><li>one</li><li><p>two</p></li><li>three</ol>", "1. one\n2. two\n\n3. three\n\n"},
		"numbers of their own":     {"<ol start=4><li>four<li value=9>nine<li value=x>ten</ol>", "4. four\n9. nine\n10. ten\n\n"},
		"lists inside of lists":    {"<ol><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ol>e", "1. a\n   - b\n     1. c\n2. d\n\ne"},
		"items without a list":     {"<li>a<li>b</ol></ul>", "- a\n- b\n\n"},
		"a link":                   {"see <a href=\"https://example.org/a?b=1&amp;c=(2)\">the [old]\n page</a>, now", "see [the \\[old\\] page](<https://example.org/a?b=1&c=(2)>), now"},
		"a link without parens":    {"<a class=x href='HTTPS://example.org/a b'>it</a>", "[it](HTTPS://example.org/a%20b)"},
		"a link as it reads":       {"<a href=https://example.org/>https://example.org</a> and <a href=mailto:A@e.org>a@e.org</a>", "https://example.org and a@e.org"},
		"an address without words": {"<a href=mailto:a@e.org>Ann</a>", "Ann <a@e.org>"},
		"a link around a picture":  {"a<a href=https://example.org/><img src=x></a>b", "a <https://example.org/> b"},
		"a link around lines":      {"<a href=https://example.org/><div>a</div><div>b</div></a>c", "a\nb\n<https://example.org/> c"},
		"links to nowhere":         {"<a href='javascript:x()'>a</a> <a href=#b>b</a> <a href=/c>c</a> <a name=d>d</a>", "a b c d"},
		"links without an end":     {"<a href=https://a.example>a<a href=https://b.example>b", "[a](https://a.example)[b](https://b.example)"},
		"a quoted link":            {"<blockquote><a href=https://a.example>a</a></blockquote>", "> [a](https://a.example)\n\n"},
		"code in a line":           {"run <code>rm -r</code> or <tt>a`b</tt> or <code>`</code>", "run `rm -r` or ``a`b`` or `` ` ``"},
		"code in lines":            {"<p><code>a<br>b</code></p>", "```\na\nb\n```\n\n"},
		"code with code":           {"<pre>\n<code>a\n\n\n\n```\n  b</code>\n</pre>c", "\n````\na\n\n\n\n```\n  b\n````\nc"},
		"quoted code":              {"<blockquote><pre>a\nb</pre></blockquote>", "> ```\n> a\n> b\n> ```\n\n"},
		"code without an end":      {"a<pre>b", "a\n```\nb\n```\n"},
		"code in an item":          {"<ol><li><pre>a</pre></ol>", "1.  \n```\na\n```\n\n"},
		"a plain mail in a pre":    {"<pre>a\n\n&gt; b</pre>", "a\n\n> b\n"},
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
		"Gmail":                  "<div dir=\"ltr\">It was the fuse.</div><br><div class=\"gmail_quote\"><div>On Sat, Mar 14, 2026 at 12:05 PM Problems &lt;<a href=\"mailto:r@e.org\">r@e.org</a>&gt; wrote:<br></div><blockquote>" + mail + "</blockquote></div>",
		"Outlook":                "<div><p>It was the fuse.</p><div style=\"border-top:solid\"><p><b>From:</b> Problems &lt;r@e.org&gt;<br><b>Sent:</b> Saturday<br><b>To:</b> Ann<br><b>Subject:</b> #7</p></div>" + mail + "</div>",
		"a link in the sentence": "<div>It was the fuse.</div><div>On Sat, Mar 14, 2026 at 12:05 PM <a href=\"mailto:r@e.org\">Problems</a> wrote:</div><blockquote>" + mail + "</blockquote>",
		"a plain mail in a pre":  "<pre>It was the fuse.\n\nOn Sat, Mar 14, 2026 at 12:05 PM Problems &lt;r@e.org&gt; wrote:\n&gt; " + rules.DividerLine("Write your answer above this line.") + "\n&gt; It is dark.</pre>",
		"a quote in a pre":       "<p>It was the fuse.</p><div>On Sat, Mar 14, 2026 at 12:05 PM Problems &lt;r@e.org&gt; wrote:</div><blockquote><pre>" + rules.DividerLine("Write your answer above this line.") + "\nIt is dark.</pre></blockquote>",
		"a mobile":               "It was the fuse.<br><br>" + mail,
	} {
		text, err := plainOf(strings.NewReader(html))
		if got := rules.Written(text, ""); err != nil || got != "It was the fuse." {
			t.Errorf("%s: %q, %v, of\n%s", name, got, err, text)
		}
	}
}
