package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/problemtracking/problems/adapters/httpframe/xsstest"
)

// known is a Resolver.
type directory struct{}

var known directory

// Problem knows 12, and 13 as resolved.
func (directory) Problem(n int64) (Link, bool) {
	return Link{URL: "/problems/12", Title: `The "door" <is> open`, Done: n == 13}, n == 12 || n == 13
}

// Person knows Anna, and Émile as inactive.
func (directory) Person(address string) (Link, bool) {
	switch address {
	case "anna", "anna@example.org":
		return Link{URL: "/anna", Title: "Anna <A>"}, true
	case "émile.z":
		return Link{URL: "/emile", Title: "Émile", Done: true}, true
	}
	return Link{}, false
}

// markdown returns the HTML of a text.
func markdown(r *Renderer, source string) string {
	out, _ := r.Render(source, known)
	return string(out)
}

// stored returns the safe form of HTML.
func stored(r *Renderer, source string) string {
	out, _ := r.RenderHTML(source)
	return string(out)
}

func TestRender(t *testing.T) {
	t.Parallel()
	r := New()
	const follow = ` rel="nofollow noreferrer"`
	for source, want := range map[string]string{
		"one\ntwo":                    "<p>one<br>\ntwo</p>\n",
		"# Title":                     "<h3>Title</h3>\n",
		"##### Deep":                  "<h3>Deep</h3>\n",
		"# A\n### B\n###### C\n## D":  "<h3>A</h3>\n<h4>B</h4>\n<h5>C</h5>\n<h4>D</h4>\n",
		"## A\n# B\n## C":             "<h3>A</h3>\n<h3>B</h3>\n<h4>C</h4>\n",
		"1\n=\n2\n-\n> ### 3":         "<h3>1</h3>\n<h4>2</h4>\n<blockquote>\n<h5>3</h5>\n</blockquote>\n",
		"**bold** *it* `code`":        "<p><strong>bold</strong> <em>it</em> <code>code</code></p>\n",
		"~~gone~~":                    "<p><del>gone</del></p>\n",
		"- one\n- two":                "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n",
		"3. three":                    "<ol start=\"3\">\n<li>three</li>\n</ol>\n",
		"```go\na < b\n```":           "<pre><code>a &lt; b\n</code></pre>\n",
		"https://example.org/x?a=1&b": `<p><a href="https://example.org/x?a=1&amp;b"` + follow + `>https://example.org/x?a=1&amp;b</a></p>` + "\n",
		"[here](https://example.org)": `<p><a href="https://example.org"` + follow + `>here</a></p>` + "\n",
		"![a picture](https://example.org/x.png)": `<p><a href="https://example.org/x.png"` + follow + `>a picture</a></p>` + "\n",
		"see #12.":                     `<p>see <a class="reference" href="/problems/12" title="The &#34;door&#34; &lt;is&gt; open"` + follow + `>#12</a>.</p>` + "\n",
		"(#13)":                        `<p>(<a class="reference done" href="/problems/12" title="The &#34;door&#34; &lt;is&gt; open"` + follow + `>#13</a>)</p>` + "\n",
		"ask @anna.":                   `<p>ask <a class="mention" href="/anna" title="Anna &lt;A&gt;"` + follow + `>@anna</a>.</p>` + "\n",
		"(@anna@example.org)":          `<p>(<a class="mention" href="/anna" title="Anna &lt;A&gt;"` + follow + `>@anna@example.org</a>)</p>` + "\n",
		"@émile.z, too":                `<p><a class="mention done" href="/emile" title="Émile"` + follow + `>@émile.z</a>, too</p>` + "\n",
		"@bob x@anna `@anna` @":        "<p>@bob x@anna <code>@anna</code> @</p>\n",
		"me@example.org":               `<p><a href="mailto:me@example.org"` + follow + `>me@example.org</a></p>` + "\n",
		"[#12](/x) ![@anna](y.png)":    `<p><a href="/x"` + follow + `>#12</a> <a href="y.png"` + follow + `>@anna</a></p>` + "\n",
		`[a](/b "c &amp; \"d\"")`:      `<p><a href="/b" title="c &amp; &#34;d&#34;"` + follow + `>a</a></p>` + "\n",
		"[a](javascript&colon;x)":      "<p>a</p>\n",
		"#99 #0 a#12 #12x `#12` &#12;": "<p>#99 #0 a#12 #12x <code>#12</code> &amp;#12;</p>\n",
		"<b>x</b> vector<int>":         "<p>&lt;b&gt;x&lt;/b&gt; vector&lt;int&gt;</p>\n",
		"<div>\nx\n</div>":             "<p>&lt;div&gt;\nx\n&lt;/div&gt;</p>\n",
		"a & b < c":                    "<p>a &amp; b &lt; c</p>\n",
		"- [x] done":                   "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> done</li>\n</ul>\n",
		"| a |\n|:-:|\n| b |":          "<table>\n<thead>\n<tr>\n<th align=\"center\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"center\">b</td>\n</tr>\n</tbody>\n</table>\n",
	} {
		if got := markdown(r, source); got != want {
			t.Errorf("%q becomes\n%s, want\n%s", source, got, want)
		}
	}
}

func TestRenderHTML(t *testing.T) {
	t.Parallel()
	r := New()
	for source, want := range map[string]string{
		"<p>one <b>two</b></p>":                             "<p>one <b>two</b></p>",
		`<a href="https://example.org" onclick="x()">x</a>`: `<a href="https://example.org" rel="nofollow noreferrer">x</a>`,
		`<a href="javascript:x()">x</a>`:                    "x",
		`<h1>big</h1><p style="color:red" id="main">p</p>`:  "<h3>big</h3><p>p</p>",
		`<img src="https://example.org/x.png">`:             `<a href="https://example.org/x.png" rel="nofollow noreferrer">https://example.org/x.png</a>`,
		`<img alt="a <b>" src="/x.png">`:                    `<a href="/x.png" rel="nofollow noreferrer">a &lt;b&gt;</a>`,
		`<img src="data:image/png;base64,AAAA" alt="dot">`:  "dot",
		`<h5>five</h5><H2 id=x>two</H2>`:                    "<h6>five</h6><h4>two</h4>",
		`one<br/>two`:                                       "one<br/>two",
		`<ul><li>one<li>two`:                                "<ul><li>one</li><li>two</li></ul>",
		`a &amp; b &lt; c &nbsp;`:                           "a &amp; b &lt; c \u00a0",
	} {
		if got := stored(r, source); got != want {
			t.Errorf("%q becomes %q, want %q", source, got, want)
		}
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	r := New()
	attempts := xsstest.Attempts()
	if len(attempts) < 100 {
		t.Fatalf("there are %d attempts", len(attempts))
	}
	for _, attempt := range attempts {
		for kind, safe := range map[string]string{"Markdown": markdown(r, attempt), "HTML": stored(r, attempt), "plain": string(Plain(attempt))} {
			if found := dangers(t, safe); len(found) > 0 {
				t.Errorf("as %s, %q has %q:\n%s", kind, attempt, found, safe)
			}
		}
	}
}

// Long and deeply nested texts are shown as they are. Below the limits, the work is
// bounded: it is counted in bytes of output.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	r := New()
	for name, source := range map[string]string{
		"long":       strings.Repeat("x", longest+1),
		"quotations": strings.Repeat(">", 5000) + " x",
		"lists":      strings.Repeat("- ", 5000) + "x",
		"numbers":    strings.Repeat("0) ", longest/3),
		"dots":       strings.Repeat("1. ", deepest+1) + "x",
		"brackets":   strings.Repeat("[", mostMarks+1),
		"stars":      strings.Repeat("*a_", mostMarks/2+1),
		"links":      strings.Repeat("[a](", mostMarks+1),
	} {
		if got, ok := r.Render(source, known); ok || got != Plain(source) {
			t.Errorf("%s: it is not shown as it is", name)
		}
	}
	for name, source := range map[string]string{
		"brackets":   strings.Repeat("[", mostMarks),
		"stars":      strings.Repeat("*a_", mostMarks/2),
		"backquotes": strings.Repeat("`a``", longest/4),
		"references": strings.Repeat("#1 ", longest/3),
		"images":     strings.Repeat("![", mostMarks),
		"pipes":      "|a|\n|-|\n" + strings.Repeat("|", longest/2),
		"tags":       strings.Repeat("<a ", longest/3),
		"entities":   strings.Repeat("&#1", longest/3),
		"links":      strings.Repeat("[a](", mostMarks),
		"rule":       strings.Repeat("-", 100),
	} {
		if got := markdown(r, source); len(got) > 20*longest || len(dangers(t, got)) > 0 {
			t.Errorf("%s: the result has %d bytes and %q", name, len(got), dangers(t, got))
		}
	}
}

// Work grows with the length of a text, not with its square. It is counted in nodes of the
// parsed text, each as often as it is deep.
func TestWork(t *testing.T) {
	t.Parallel()
	r := New()
	for _, part := range []string{
		"`", "`a``", "<", "<a ", "<!--", "<?", "&#1", "|", "~~a", "!", "![", "[", "[a](", "[a][b]", "](", "\\", "#1 ", "@anna ", "@", "#", "https://a.", "a@b.",
		"- \n", "1.\n", "> \n", ">\n", "# \n", "a\n=\n", "[a]: b\n", "|a|\n|-|\n", "a|b\n-|-\n", "- [ ] a\n", "***\n", "*a\n", "_a ", "*a_", "**a ",
		"- a\n  - b\n", "0) ", "1. ", "> ", ">", "- ", "+ ", "* ", "> - ", " >", "\t- ", "<div>\n", "<b>", "[[](", "~", "a  \n", "\x00", "\xff",
	} {
		work := func(size int) (total int) {
			source := strings.Repeat(part, size/len(part))
			if _, read := r.Render(source, known); !read {
				return 0
			}
			depth := 0
			if err := ast.Walk(r.markdown.Parser().Parse(text.NewReader([]byte(source))), func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
				if entering {
					depth++
					total += depth
				} else {
					depth--
				}
				return ast.WalkContinue, nil
			}); err != nil {
				t.Fatal(err)
			}
			return total
		}
		half, whole := work(longest/2), work(longest)
		if whole > 8*longest || half > 0 && whole > 2*half+1000 {
			t.Errorf("%q: the work grows from %d to %d", part, half, whole)
		}
	}
	for _, tag := range []string{"<b>", "<b><p>", "<b><i><s><code><em><strong><p>", "<table>", "<table><tr><td>", "<ul><li>", "<li>", "<blockquote>", "<b></p>", "<table><b>", "<ol><b>", "<svg>", "<a href=x><p>"} {
		out, ok := r.RenderHTML(strings.Repeat(tag, longestHTML/len(tag)))
		if len(out) > 12*longestHTML || !ok && out != "" {
			t.Errorf("%q: the result has %d bytes", tag, len(out))
		}
	}
	if _, ok := r.RenderHTML(strings.Repeat("x", longestHTML+1)); ok {
		t.Error("long HTML is shown")
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	if got := Numbers(3, "#12 and #7, #12", "#0 #x #999999999999999999 #5 #6"); !slices.Equal(got, []int64{12, 7, 5}) {
		t.Errorf("the numbers are %v", got)
	}
}

func FuzzRender(f *testing.F) {
	r := New()
	for _, attempt := range xsstest.Attempts() {
		f.Add(attempt)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, safe := range []string{markdown(r, source), stored(r, source)} {
			if found := dangers(t, safe); len(found) > 0 {
				t.Fatalf("%q has %q:\n%s", source, found, safe)
			}
			if fault := escapes(t, safe); fault != "" {
				t.Fatalf("%q: %s:\n%s", source, fault, safe)
			}
		}
	})
}

// A page of 100 comments with 500 characters each, as people write them: read for the first
// time, and again.
func BenchmarkRender(b *testing.B) {
	r := New()
	comment := "The *door* of #12 does not close: see https://example.org/x and ask @anna.\n\n- `lock` is **broken**\n- key is lost\n\n" +
		strings.Repeat("It was opened in the night, and nobody has seen who did it. ", 7)
	comment = comment[:500]
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			for range 100 {
				r.render(comment, known)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			for range 100 {
				r.Render(comment, known)
			}
		}
	})
}

func BenchmarkRenderHTML(b *testing.B) {
	r := New()
	comment := `<p>The <em>door</em> of <a href="https://example.org/x">this</a></p><ul><li>lock<li>key</ul>` + strings.Repeat("<p>It was opened in the night, and nobody has seen it.</p>", 8)
	for b.Loop() {
		for range 100 {
			contained(r.policy.Sanitize(adapted(comment[:500])))
		}
	}
}
