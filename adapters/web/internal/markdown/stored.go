package markdown

import (
	"html/template"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// longestHTML is the longest stored HTML, in bytes, to be shown. The cost of its parser grows
	// with the length, times the number of elements open at once.
	longestHTML = 64 << 10
	// growthHTML is how many bytes the parser may add for each byte of stored HTML.
	growthHTML = 16
)

// RenderHTML returns stored HTML in its safe form. It reports false if the HTML is too long,
// nested too deeply, or would grow too much; the caller then shows the text of the comment instead.
func (r *Renderer) RenderHTML(stored string) (template.HTML, bool) {
	if len(stored) > longestHTML {
		return "", false
	}
	return r.cache.get(storedHTML, stored, nil, func(Resolver) (template.HTML, bool) {
		harmless := r.policy.Sanitize(adapted(stored))
		if added(harmless) > growthHTML*len(stored) {
			return "", false
		}
		return contained(harmless)
	})
}

// atOnce is how many elements of a name a parser starts again. A link is never within another.
var atOnce = map[atom.Atom]int{atom.A: 1, atom.B: 3, atom.Code: 3, atom.Em: 3, atom.I: 3, atom.S: 3, atom.Strong: 3}

// added returns how many bytes a parser adds to harmless HTML at most. When a block ends within
// elements such as <b>, it starts them again in the next one.
func added(harmless string) (n int) {
	open := map[atom.Atom][]string{} // the start tags of elements that can start again
	size := func() (all int) {
		for name, tags := range open {
			largest := 0
			for _, tag := range tags {
				largest = max(largest, 2*len(tag))
			}
			all += largest * min(len(tags), atOnce[name])
		}
		return all
	}
	z := html.NewTokenizer(strings.NewReader(harmless))
	across := map[atom.Atom]bool{} // whether a block began or ended within an element of a name
	again := 0                     // the size of all open elements
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return n
		}
		if kind != html.StartTagToken && kind != html.EndTagToken {
			continue
		}
		tag := string(z.Raw())
		name, _ := z.TagName()
		is := atom.Lookup(name)
		switch most := atOnce[is]; {
		case most == 0 && is != atom.Br && is != atom.Input:
			n += again
			for name, tags := range open {
				across[name] = across[name] || len(tags) > 0
			}
		case most == 0:
		case kind == html.StartTagToken:
			// An element open across blocks stays: the parser can give up closing it.
			if len(open[is]) < 2*most {
				open[is] = append(open[is], tag)
			} else if i := smallest(open[is]); len(open[is][i]) < len(tag) {
				open[is][i] = tag
			}
			again = size()
		case across[is]:
			n += 8 * again // the parser moves the end out of as many blocks
		case len(open[is]) > 0:
			open[is] = open[is][:len(open[is])-1]
			again = size()
		}
	}
}

// smallest returns the index of the shortest tag.
func smallest(tags []string) (at int) {
	for i := range tags {
		if len(tags[i]) < len(tags[at]) {
			at = i
		}
	}
	return at
}

// adapted returns stored HTML with headings moved below those of the page, and with links in
// place of images.
func adapted(stored string) string {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(stored))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return out.String()
		}
		raw := string(z.Raw()) // reading the name changes the buffer
		if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
			out.WriteString(raw)
			continue
		}
		name, _ := z.TagName()
		switch tag := atom.Lookup(name); {
		case tag == atom.Img:
			link(&out, z)
		case tag == atom.H1 || tag == atom.H2 || tag == atom.H3 || tag == atom.H4 || tag == atom.H5 || tag == atom.H6:
			out.WriteByte('<')
			if kind == html.EndTagToken {
				out.WriteByte('/')
			}
			out.WriteString(heading(int(name[1] - '0')))
			out.WriteByte('>')
		default:
			out.WriteString(raw)
		}
	}
}

// link writes a link in place of an image, with its alternative text or address.
func link(out *strings.Builder, z *html.Tokenizer) {
	var source, text string
	for {
		key, value, more := z.TagAttr()
		switch string(key) {
		case "src":
			source = strings.TrimSpace(string(value))
		case "alt":
			text = string(value)
		}
		if !more {
			break
		}
	}
	if text == "" && !strings.HasPrefix(source, "data:") {
		text = source
	}
	out.WriteString(`<a href="` + html.EscapeString(source) + `">` + html.EscapeString(text) + `</a>`)
}

// heading returns the element for a heading of the author's level, below those of the page.
func heading(level int) string { return "h" + string(rune('0'+min(6, level+2))) }

// contained closes the elements left open in harmless HTML, and drops ends without a start.
// So the HTML cannot change the page around it. It reports false if a parser refuses the
// HTML, or reads the result in another way.
func contained(harmless string) (template.HTML, bool) {
	once, ok := reparsed(harmless)
	if !ok {
		return "", false
	}
	twice, ok := reparsed(once)
	if !ok || once != twice {
		return "", false
	}
	return template.HTML(once), true
}

func reparsed(source string) (string, bool) {
	nodes, err := html.ParseFragment(strings.NewReader(source), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return "", false
	}
	box := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	for _, n := range nodes {
		box.AppendChild(n)
	}
	listed(box)
	labelled(box)
	var out strings.Builder
	for n := range box.ChildNodes() {
		if html.Render(&out, n) != nil {
			return "", false
		}
	}
	return out.String(), true
}

// listed puts items without a list into one. Outside a list of its own, an item ends the
// item of the page around it.
func listed(box *html.Node) {
	var strays []*html.Node
	for n := range box.Descendants() {
		if n.DataAtom == atom.Li && n.Parent.DataAtom != atom.Ul && n.Parent.DataAtom != atom.Ol {
			strays = append(strays, n)
		}
	}
	for _, item := range strays {
		list := item.PrevSibling
		if list == nil || list.DataAtom != atom.Ul {
			list = &html.Node{Type: html.ElementNode, Data: "ul", DataAtom: atom.Ul}
			item.Parent.InsertBefore(list, item)
		}
		item.Parent.RemoveChild(item)
		list.AppendChild(item)
	}
}
