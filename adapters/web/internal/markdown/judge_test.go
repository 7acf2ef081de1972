package markdown

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/net/html"

	"github.com/problemtracking/problems/adapters/httpframe/xsstest"
)

// harmless has the elements allowed in a text, each with its attributes. It is written apart
// from the policy, to show a slip in the policy.
var harmless = map[string][]string{
	"html": nil, "head": nil, "body": nil,
	"p": {"class"}, "br": nil, "hr": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
	"ul": nil, "ol": {"start"}, "li": nil, "blockquote": nil, "pre": nil, "code": nil,
	"em": nil, "strong": nil, "i": nil, "b": nil, "del": nil, "s": nil, "sub": nil, "sup": nil,
	"table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"align"}, "td": {"align"},
	"a": {"href", "title", "class", "rel"}, "input": {"type", "checked", "disabled"},
}

// values has the values of attributes with a closed list.
var values = map[string]*regexp.Regexp{
	"class": regexp.MustCompile(`^((reference|mention)( done)?|plain)$`),
	"rel":   regexp.MustCompile(`^nofollow noreferrer$`),
	"align": regexp.MustCompile(`^(left|center|right)$`),
	"start": regexp.MustCompile(`^[0-9]+$`),
	"type":  regexp.MustCompile(`^checkbox$`),
}

var scheme = regexp.MustCompile(`^([a-z][a-z0-9+.-]*):`)

// runs reports whether a browser would follow an address by a scheme other than those of
// links. It reads the address as browsers do: without control characters.
func runs(address string) bool {
	address = strings.TrimLeft(strings.ToLower(address), "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f \t\r\n")
	address = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
	match := scheme.FindStringSubmatch(address)
	return match != nil && match[1] != "http" && match[1] != "https" && match[1] != "mailto"
}

// dangers judges HTML as a browser reads it: it returns everything not known to be harmless.
func dangers(t testing.TB, safe string) (found []string) {
	root, err := html.Parse(strings.NewReader(safe))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode || n.Type == html.DoctypeNode {
			found = append(found, "a comment or a type")
		}
		if n.Type != html.ElementNode {
			continue
		}
		allowed, known := harmless[n.Data]
		if !known || n.Namespace != "" {
			found = append(found, "<"+n.Data+">")
		}
		for _, a := range n.Attr {
			want, closed := values[a.Key]
			if !slices.Contains(allowed, a.Key) || a.Namespace != "" || closed && !want.MatchString(a.Val) || a.Key == "href" && runs(a.Val) {
				found = append(found, n.Data+" "+a.Key+"="+a.Val)
			}
		}
		if n.Data == "a" && has(n, "href") && !has(n, "rel") {
			found = append(found, "a link without rel")
		}
		if n.Data == "input" && !has(n, "disabled") {
			found = append(found, "an input that takes input")
		}
	}
	return found
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// judged returns how many attempts the judge finds dangerous.
func judged(t *testing.T, safe func(attempt string) string) (found int) {
	for _, attempt := range xsstest.Attempts() {
		if len(dangers(t, safe(attempt))) > 0 {
			found++
		}
	}
	return found
}

// The judge notices each hole in a wall, once the other wall is off.
func TestJudge(t *testing.T) {
	t.Parallel()
	r := New()
	if n := judged(t, func(attempt string) string { return attempt }); n < 80 {
		t.Errorf("of the attempts as they are, %d are dangerous", n)
	}
	unsafe := goldmark.New(goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))
	if n := judged(t, func(attempt string) string {
		var out strings.Builder
		if err := unsafe.Convert([]byte(attempt), &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}); n < 80 {
		t.Errorf("after an open first wall, %d are dangerous", n)
	}
	for name, hole := range map[string]func(*bluemonday.Policy){
		"scripts":      func(p *bluemonday.Policy) { p.AllowUnsafe(true); p.AllowElements("script") },
		"style sheets": func(p *bluemonday.Policy) { p.AllowUnsafe(true); p.AllowElements("style") },
		"styles":       func(p *bluemonday.Policy) { p.AllowUnsafe(true); p.AllowAttrs("style").Globally() },
		"events":       func(p *bluemonday.Policy) { p.AllowElements("body", "svg"); p.AllowAttrs("onload").Globally() },
		"JavaScript":   func(p *bluemonday.Policy) { p.AllowURLSchemes("javascript") },
		"data":         func(p *bluemonday.Policy) { p.AllowURLSchemes("data") },
		"images": func(p *bluemonday.Policy) {
			p.AllowElements("image", "video")
			p.AllowAttrs("src", "poster").Globally()
		},
		"frames":      func(p *bluemonday.Policy) { p.AllowElements("iframe"); p.AllowAttrs("src").OnElements("iframe") },
		"forms":       func(p *bluemonday.Policy) { p.AllowAttrs("action").OnElements("form") },
		"SVG":         func(p *bluemonday.Policy) { p.AllowNoAttrs().OnElements("svg") },
		"MathML":      func(p *bluemonday.Policy) { p.AllowNoAttrs().OnElements("math") },
		"identifiers": func(p *bluemonday.Policy) { p.AllowAttrs("id").Globally() },
		"classes":     func(p *bluemonday.Policy) { p.AllowAttrs("class").Globally() },
		"comments":    func(p *bluemonday.Policy) { p.AllowComments() },
		"bases":       func(p *bluemonday.Policy) { p.AllowAttrs("href").OnElements("base") },
		"names":       func(p *bluemonday.Policy) { p.AllowAttrs("name").Globally() },
		"pings":       func(p *bluemonday.Policy) { p.AllowAttrs("ping").Globally() },
		"inputs":      func(p *bluemonday.Policy) { p.AllowAttrs("autofocus").Globally() },
		"meta":        func(p *bluemonday.Policy) { p.AllowAttrs("http-equiv", "content").OnElements("meta") },
	} {
		holed := newPolicy()
		hole(holed)
		if n := judged(t, holed.Sanitize); n == 0 {
			t.Errorf("no attempt passes a hole for %s", name)
		}
	}
	if n := judged(t, r.policy.Sanitize); n > 0 {
		t.Errorf("after the second wall alone, %d are dangerous", n)
	}
	if n := judged(t, func(attempt string) string {
		var out strings.Builder
		if err := r.markdown.Convert([]byte(attempt), &out); err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(out.String(), "<a ", `<a rel="nofollow noreferrer" `)
	}); n > 2 {
		t.Errorf("after the first wall alone, %d are dangerous", n)
	}
}
