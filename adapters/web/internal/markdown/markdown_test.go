package markdown

import (
	"cmp"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"sort"
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

// Picture knows one, and one with the address of another site.
func (directory) Picture(id string) (Link, bool) {
	switch id {
	case "lamp":
		return Link{URL: "/problems/12/attachments/01900000-0000-7000-8000-000000000001/a%20b.png"}, true
	case "foreign":
		return Link{URL: "https://example.org/problems/12/attachments/01900000-0000-7000-8000-000000000001/a.png"}, true
	}
	return Link{}, false
}

// D48: an image of an attachment is shown, and no other one.
func TestPictures(t *testing.T) {
	t.Parallel()
	r := New()
	const shown = `<img src="/problems/12/attachments/01900000-0000-7000-8000-000000000001/a%20b.png" alt="a &#34;lamp&#34;"`
	if got := markdown(r, `![a "lamp"](attachment:lamp)`); strings.Count(got, shown) != 1 {
		t.Errorf("the picture is %s, want %s", got, shown)
	}
	for _, source := range []string{
		"![a](attachment:other)", "![a](attachment:foreign)", "![a](https://example.org/a.png)", "![a](/problems/12/attachments/01900000-0000-7000-8000-000000000001/a.png)",
		"![a](data:image/png;base64,AAAA)", `<img src="/problems/12/attachments/01900000-0000-7000-8000-000000000001/a.png">`,
	} {
		if got := markdown(r, source); strings.Contains(got, "<img") && strings.Contains(got, "src=") {
			t.Errorf("%s is shown as %s", source, got)
		}
	}
	if html, _ := r.RenderHTML(`<p><img src="/problems/12/attachments/01900000-0000-7000-8000-000000000001/a.png" alt="a">b</p>`); strings.Contains(string(html), "<img") {
		t.Errorf("stored HTML shows %s", html)
	}
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

// An address becomes a link. The part in angle quotes is its text, and a target is given where it
// differs.
func TestAddresses(t *testing.T) {
	t.Parallel()
	r := New()
	for _, c := range []struct{ source, target string }{
		{"see «https://de.wikipedia.org/wiki/Köln».", "https://de.wikipedia.org/wiki/K%C3%B6ln"},
		{"«https://ja.wikipedia.org/wiki/東京»。", "https://ja.wikipedia.org/wiki/%E6%9D%B1%E4%BA%AC"},
		{"(«https://de.wikipedia.org/wiki/Köln_(Stadt)»)", "https://de.wikipedia.org/wiki/K%C3%B6ln_(Stadt)"},
		{"«https://example.org/a_(b)_c»), so", ""}, {"«https://example.org/a/»!?", ""}, {"*«https://example.org/a»*", ""},
		{"«http://localhost:8080/x»", ""}, {"«http://localhost»", ""}, {"«http://build-7/job/1»,", ""}, {"«http://a_b.example/»", ""},
		{"«http://192.0.2.7/x»", ""}, {"«http://192.0.2.7:80»: it", ""}, {"«http://[2001:db8::1]/x»", ""}, {"«http://[::1]:8080/x[1]»", "http://[::1]:8080/x%5B1%5D"},
		{"«https://bücher.example/a»", "https://b%C3%BCcher.example/a"}, {"«https://xn--bcher-kva.example»", ""},
		{"«HTTPS://EXAMPLE.ORG/A»", "https://EXAMPLE.ORG/A"}, {"«Http://example.org»", "http://example.org"},
		{"«mailto:me@example.org»", ""}, {"«mailto:me@localhost», now", ""}, {"«mailto:me@example.org?subject=x»", ""}, {"«me@example.org».", "mailto:me@example.org"},
		{"«www.example.org/a».", "http://www.example.org/a"}, {"«https://example.org:8443?a=b#c»", ""}, {"«https://me:secret@example.org/»", ""},
		{"«https://example.org/?a='b'&c»&lt;", ""}, {"«https://example.org/it's»'", ""}, {"(«https://example.org/a%20b»\")", ""},
		{"\"«https://example.org/a»\"", ""}, {"'«https://example.org/a»'", ""}, {"“«https://example.org/a»”", ""}, {"url=«http://localhost/»,", ""}, {"[«https://example.org»]", ""},
		{"{\"url\":\"«HTTP://192.0.2.7/x»\"}", "http://192.0.2.7/x"}, {"「«https://example.org/a»」", ""}, {"詳細は«https://example.org/a»。", ""}, {"\"«www.example.org»\"", "http://www.example.org"},
		{"«www.example.org/ä».", "http://www.example.org/%C3%A4"}, {"«www.bücher.example»", "http://www.b%C3%BCcher.example"}, {"'«mailto:me@example.org»'", ""}, {"'«http://me@example.org»'", ""},
		{"'«https://example.org/a#b»'", ""}, {"'https://example.org/#12'", ""},
		{"git+https://example.org ftp://www.example.org x.www.example.org www.x", ""},
		{"https:// and http://. or mailto: x", ""}, {"ahttps://example.org `https://example.org`", ""}, {"ftp://example.org javascript://example.org", ""},
	} {
		before, rest, found := strings.Cut(c.source, "«")
		label, after, _ := strings.Cut(rest, "»")
		link := regexp.MustCompile(`<a href="([^"]*)" rel="nofollow noreferrer">([^<]*)</a>`).FindStringSubmatch(markdown(r, before+label+after))
		switch {
		case link == nil && found:
			t.Errorf("%s: there is no link in %s", c.source, markdown(r, before+label+after))
		case link != nil && (!found || html.UnescapeString(link[2]) != label || html.UnescapeString(link[1]) != cmp.Or(c.target, label)):
			t.Errorf("%s: the link is %q", c.source, link)
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

// Texts beyond a limit are shown as they are. Each limit is tried at its edge.
func TestLimits(t *testing.T) {
	t.Parallel()
	r := New()
	rows := func(columns, n int) string {
		return strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n" + strings.Repeat("x\n", n)
	}
	square := func(mark string) func(int) string { // a paragraph of 16 KB with n marks
		return func(n int) string {
			text := strings.Repeat(mark+"x ", n)
			return text + strings.Repeat("x", longest/2-len(text))
		}
	}
	definition := func(n int) string { return "[a]: /" + strings.Repeat("u", 1000) + "\n\n" + strings.Repeat("[a] ", n) }
	for name, c := range map[string]struct {
		most int // the largest number within the limit
		text func(int) string
	}{
		"length":               {longest, func(n int) string { return strings.Repeat("x", n) }},
		"length, damaged":      {longest / 4, func(n int) string { return strings.Repeat("\xffx", n) }},
		"quotations":           {deepest, func(n int) string { return strings.Repeat(">", n) + " x" }},
		"lists":                {deepest, func(n int) string { return strings.Repeat("- ", n) + "x" }},
		"numbers":              {deepest, func(n int) string { return strings.Repeat("0) ", n) + "x" }},
		"definitions":          {mostDefinitions, func(n int) string { return strings.Repeat("[a]:b\n", n) }},
		"emphasis":             {mostSteps/(longest/2) - 1, square("*")},
		"brackets":             {mostSteps/(longest/2) - 1, square("[")},
		"brackets, closed":     {mostSteps/(longest/2) - 1, square("]")},
		"tags":                 {mostSteps/(longest/2) - 1, square("<")},
		"backquotes":           {mostSteps/(longest/2) - 1, square("`")},
		"tildes":               {mostSteps/(longest/2) - 1, square("~")},
		"underlines, heading":  {mostSteps/(longest/2) - 1, func(n int) string { return "# " + square("_")(n) }},
		"underlines, listed":   {mostSteps/(longest/2) - 1, func(n int) string { return "- " + square("_")(n) }},
		"rows of ten cells":    {16, func(n int) string { return rows(10, n) }},
		"rows, in a quotation": {22, func(n int) string { return "> " + strings.ReplaceAll(strings.TrimSpace(rows(10, n)), "\n", "\n> ") }},
		"repeated links":       {8, definition},
		"repeated images":      {8, func(n int) string { return strings.ReplaceAll(definition(n), "[a] ", "![a] ") }},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			source := c.text(n)
			got, ok := r.Render(source, known)
			if ok != (n == c.most) || !ok && got != Plain(source) {
				t.Errorf("%s: %d of at most %d are read: %t", name, n, c.most, ok)
			}
		}
	}
}

// pathological are the texts of CommonMark's test/pathological_tests.py, and further ones: a part
// that is repeated, with the texts before and behind.
var pathological = [][3]string{
	{"", "*a **a ", ""}, {"", " a**", ""}, {"", "a**", ""}, {"", "**a ", ""}, {"", "a**bc* ", ""}, {"", "a_ ", ""}, {"", "_a ", ""}, {"", "*a_ ", ""},
	{"", "[a", ""}, {"", "a]", ""}, {"[[", "[a]", ""}, {"", "a **b c* ", ""}, {"", "**x [a*b**c*](d)", ""}, {"", "[a](", ""}, {"", "![[]()", ""},
	{"", "[a](b", ""}, {"", "](", ""}, {"*", "[a](b) ", "*"}, {"", "> ", "a"}, {"", "- ", "a"}, {"* - ", "x", ""}, {"a\n> ", "", ""}, {"", "[a]: u\n", ""},
	{"[a]: /u\n\n", "[a]", ""}, {"", "[\\]", ""}, {"", "e`a``", ""}, {"", "`", ""}, {"``", "`", ""}, {"", "`\n``\n", ""}, {"", "<?", ""}, {"", "<!A ", ""},
	{"", "<!--", ""}, {"", "<![CDATA[", ""}, {"", "<a ", ""}, {"<a", " b='<a b=\"' c=\"", ""}, {"", "<a b='", ""}, {"", "</a ", ""}, {"", "a@b.", ""},
	{" ", "~a", ""}, {" ", "_a", ""}, {"", "(a", ""}, {"", "&#1", ""}, {"|a|b|\n|-|-|\n", "x\n", ""}, {"|a|\n|-|\n", "|", ""}, {"", "|a|\n|-|\n", ""},
	{"", "a|b\n-|-\n", ""}, {"", "|`\\|`", "|\n|-|-|\n"}, {"", "#1 ", ""}, {"", "@anna ", ""}, {"", "@anna@example.org,", ""}, {"", "@-", ""}, {"", "#", ""},
	{"", "- \n", ""}, {"", "1.\n", ""}, {"", "> \n", ""}, {"", "a\n=\n", ""}, {"", "- [ ] a\n", ""}, {"", "***\n", ""}, {"", "- a\n  - b\n", ""},
	{"", "\t- ", ""}, {"", "<div>\n", ""}, {"", "\\", ""}, {"", "a  \n", ""}, {"", "\x00", ""}, {"", "\xff", ""}, {"", "é", ""}, {"", "~~a", ""},
	{"", "~~a~~ ", ""}, {"", "https://a.", ""}, {"", "http://a/(", ""}, {"", "www.a.b/&a;", ""}, {"", "<http:a", ""}, {"", "[a]:", ""}, {"", "[a][b]", ""},
	{"[a: /u 'title'\n", "[a] ![a]", ""}, {"[a]: b '", "\n'", ""}, {"", "\"", ""}, {"", "[a]: b 'c\n", ""}, {"", "*a\n", ""}, {"", "===\na\n", ""}, {"", "+ ", ""},
	{"", "    - ", ""}, {"- a\n  - a\n    - a\n      - a\n        - a\n", "\n", "a"},
}

// Output and work grow with a text and the titles that it refers to, not with their product. Work
// is counted in nodes of the parsed text, each as often as it is deep.
func TestGrowth(t *testing.T) {
	t.Parallel()
	r := New()
	title := titled(strings.Repeat(`"long`, 800))
	check := func(source string) {
		if len(source) == 0 {
			return
		}
		got, read := r.render(source, title)
		if most := 60*len(source) + 4000 + 8*len(title)*min(2, strings.Count(source, "#")+strings.Count(source, "@")); len(got) > most {
			t.Fatalf("%.60q… of %d bytes becomes %d bytes", source, len(source), len(got))
		}
		if !read {
			return
		}
		work, depth := 0, 0
		if err := ast.Walk(r.markdown.Parser().Parse(text.NewReader([]byte(source))), func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				depth++
				work += depth
			} else {
				depth--
			}
			return ast.WalkContinue, nil
		}); err != nil {
			t.Fatal(err)
		}
		if most := 16*len(source) + 500; work > most {
			t.Fatalf("%.60q… of %d bytes takes %d steps", source, len(source), work)
		}
	}
	random := rand.New(rand.NewPCG(34, 1))
	for _, p := range pathological {
		before, part, after := p[0], p[1], p[2]
		for _, size := range []int{50, 2000, longest / 2} {
			check(before + strings.Repeat(part, max(1, (size-len(before)-len(after))/max(1, len(part)))) + after)
		}
	}
	for range 200 {
		var source strings.Builder
		for range 1 + random.IntN(4) {
			before := pathological[random.IntN(len(pathological))]
			source.WriteString(before[0])
			parts := [2][3]string{before, pathological[random.IntN(len(pathological))]}
			for range 1 << random.IntN(9) {
				source.WriteString(parts[random.IntN(2)][1])
			}
			source.WriteString(before[2])
		}
		check(source.String()[:min(source.Len(), longest)])
	}
}

// Stored HTML grows no more than Markdown does.
func TestGrowthOfHTML(t *testing.T) {
	t.Parallel()
	r := New()
	link := `<a href="https://example.org/` + strings.Repeat("u", 2000) + `">`
	for _, part := range []string{"<b>", "<b><p>", "<b><i><s><code><em><strong><p>", "<table>", "<table><tr><td>", "<ul><li>", "<li>", "<blockquote>", "<b></p>", "<table><b>", "<ol><b>", "<svg>", "<a href=x><p>", "<p>x", "</b>", "x</p>", "<tr>x", "<td>x", "<h1>x", "<b><blockquote></b>", "<hr>x", "<a title=x>"} {
		for _, before := range []string{"", "<p>" + link, "<p><b><b><b><i><i><i><code><code><code><strong><strong><strong>", link + strings.Repeat("<blockquote>", 100), link + "<table>", link + "<table><tr><td>" + link} {
			source := before + strings.Repeat(part, (longestHTML/4-len(before))/len(part))
			if out, ok := r.RenderHTML(source); len(out) > (growthHTML+6)*len(source) || !ok && out != "" {
				t.Errorf("%.60q… and %q: the result has %d bytes", before, part, len(out))
			}
		}
	}
	growing := func(n int) string { return "<p>" + link + strings.Repeat("<p>x", n) }
	most := sort.Search(longestHTML, func(n int) bool { return added(growing(n)) > growthHTML*len(growing(n)) }) - 1
	for n, want := range map[int]bool{most: true, most + 1: false} {
		if _, ok := r.RenderHTML(growing(n)); ok != want {
			t.Errorf("with %d blocks in a link, HTML is shown: %t", n, ok)
		}
	}
	for n, want := range map[int]bool{longestHTML: true, longestHTML + 1: false} {
		if _, ok := r.RenderHTML(strings.Repeat("x", n)); ok != want {
			t.Errorf("HTML of %d bytes is shown: %t", n, ok)
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
