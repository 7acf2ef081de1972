package markdown

import (
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/web/webtest"
)

// known resolves the problem 12, and 13, which is resolved.
func known(n int64) (Link, bool) {
	return Link{URL: "/problems/12", Title: `The "door" <is> open`, Done: n == 13}, n == 12 || n == 13
}

func TestRender(t *testing.T) {
	t.Parallel()
	r := New()
	const follow = ` rel="nofollow noreferrer"`
	for source, want := range map[string]string{
		"one\ntwo":                    "<p>one<br>\ntwo</p>\n",
		"# Title":                     "<h3>Title</h3>\n",
		"##### Deep":                  "<h6>Deep</h6>\n",
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
		"#99 #0 a#12 #12x `#12` &#12;": "<p>#99 #0 a#12 #12x <code>#12</code> &amp;#12;</p>\n",
		"<b>x</b> vector<int>":         "<p>&lt;b&gt;x&lt;/b&gt; vector&lt;int&gt;</p>\n",
		"<div>\nx\n</div>":             "<p>&lt;div&gt;\nx\n&lt;/div&gt;</p>\n",
		"a & b < c":                    "<p>a &amp; b &lt; c</p>\n",
		"- [x] done":                   "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> done</li>\n</ul>\n",
		"| a |\n|:-:|\n| b |":          "<table>\n<thead>\n<tr>\n<th align=\"center\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"center\">b</td>\n</tr>\n</tbody>\n</table>\n",
	} {
		if got := string(r.Render(source, known)); got != want {
			t.Errorf("%q becomes\n%s, want\n%s", source, got, want)
		}
	}
}

func TestRenderHTML(t *testing.T) {
	t.Parallel()
	r := New()
	for stored, want := range map[string]string{
		"<p>one <b>two</b></p>":                             "<p>one <b>two</b></p>",
		`<a href="https://example.org" onclick="x()">x</a>`: `<a href="https://example.org" rel="nofollow noreferrer">x</a>`,
		`<a href="javascript:x()">x</a>`:                    "x",
		`<h1>big</h1><p style="color:red" id="main">p</p>`:  "big<p>p</p>",
		`<img src="https://example.org/x.png">`:             "",
	} {
		if got := string(r.RenderHTML(stored)); got != want {
			t.Errorf("%q becomes %q, want %q", stored, got, want)
		}
	}
}

var (
	elements = []string{"html", "head", "body", "p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong",
		"i", "b", "del", "s", "sub", "sup", "table", "thead", "tbody", "tr", "th", "td", "a", "input"}
	attributes = []string{"href", "title", "class", "rel", "align", "start", "type", "checked", "disabled"}
	address    = regexp.MustCompile(`^(https?://|mailto:|/|[^:]*$)`)
)

// dangers judges HTML as a browser reads it: it returns everything that is not known to be
// harmless.
func dangers(t testing.TB, safe string) (found []string) {
	root, err := html.Parse(strings.NewReader(safe))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			found = append(found, "a comment")
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !slices.Contains(elements, n.Data) || n.Namespace != "" {
			found = append(found, "<"+n.Data+">")
		}
		for _, a := range n.Attr {
			switch {
			case !slices.Contains(attributes, a.Key) || a.Namespace != "":
				found = append(found, a.Key)
			case a.Key == "href" && !address.MatchString(strings.ToLower(strings.TrimSpace(a.Val))):
				found = append(found, a.Val)
			case a.Key == "class" && a.Val != "reference" && a.Val != "reference done" && a.Val != "plain":
				found = append(found, "class "+a.Val)
			case a.Key == "type" && a.Val != "checkbox":
				found = append(found, "type "+a.Val)
			}
		}
	}
	return found
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	r := New()
	attempts := webtest.XSS()
	if len(attempts) < 100 {
		t.Fatalf("there are %d attempts", len(attempts))
	}
	for _, attempt := range attempts {
		for kind, safe := range map[string]template.HTML{"Markdown": r.Render(attempt, known), "HTML": r.RenderHTML(attempt), "plain": Plain(attempt)} {
			if found := dangers(t, string(safe)); len(found) > 0 {
				t.Errorf("as %s, %q has %q:\n%s", kind, attempt, found, safe)
			}
		}
	}
}

// Either wall alone would stop nearly all attempts: with one of them broken, the other
// still holds.
func TestWalls(t *testing.T) {
	t.Parallel()
	r := New()
	var neither, first, second int
	for _, attempt := range webtest.XSS() {
		dangerous := func(safe string) int { return min(1, len(dangers(t, safe))) }
		var out strings.Builder
		if err := r.markdown.Convert([]byte(attempt), &out); err != nil {
			t.Fatal(err)
		}
		neither += dangerous(attempt)
		first += dangerous(out.String())
		second += dangerous(r.policy.Sanitize(attempt))
	}
	if neither < 80 || first > 2 || second > 0 {
		t.Errorf("of %d attempts, %d are dangerous as they are, %d after goldmark alone, and %d after bluemonday alone", len(webtest.XSS()), neither, first, second)
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
		"brackets":   strings.Repeat("[", mostMarks+1),
		"stars":      strings.Repeat("*a_", mostMarks/2+1),
		"links":      strings.Repeat("[a](", mostMarks+1),
	} {
		if got := r.Render(source, known); got != Plain(source) {
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
		if got := string(r.Render(source, known)); len(got) > 20*longest || len(dangers(t, got)) > 0 {
			t.Errorf("%s: the result has %d bytes and %q", name, len(got), dangers(t, got))
		}
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
	for _, attempt := range webtest.XSS() {
		f.Add(attempt)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, safe := range []template.HTML{r.Render(source, known), r.RenderHTML(source)} {
			if found := dangers(t, string(safe)); len(found) > 0 {
				t.Fatalf("%q has %q:\n%s", source, found, safe)
			}
		}
	})
}

func BenchmarkRender(b *testing.B) {
	r := New()
	comment := strings.Repeat("The *door* of #12 is open, see https://example.org/x. ", 9)
	for b.Loop() {
		for range 100 {
			r.Render(comment, known)
		}
	}
}
