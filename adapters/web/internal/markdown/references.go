package markdown

import (
	"html"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var (
	number = regexp.MustCompile(`#([1-9][0-9]{0,15})\b`)
	// mention is "@anna" or "@anna@example.org". A dot at its end ends the sentence.
	mention = regexp.MustCompile(`^@([\pL\pN_+-](?:[\pL\pN._+-]*[\pL\pN_+-])?(?:@[\pL\pN-]+(?:\.[\pL\pN-]+)*)?)`)
)

const (
	longestNumber  = 20  // bytes, with the mark and the character behind
	longestMention = 320 // bytes: 64 before the "@" and 255 behind, as in e-mail
)

// Numbers returns the problems named in texts, each once, up to a limit. So one
// request to the store resolves all references of a page.
func Numbers(limit int, texts ...string) (numbers []int64) {
	seen := map[int64]bool{}
	for _, t := range texts {
		if len(t) > longest {
			continue
		}
		for _, match := range number.FindAllStringSubmatch(t, -1) {
			n, err := strconv.ParseInt(match[1], 10, 64)
			if err != nil || seen[n] || len(numbers) == limit {
				continue
			}
			seen[n] = true
			numbers = append(numbers, n)
		}
	}
	return numbers
}

var targetsKey = parser.NewContextKey()

// targets are the links of references within a text. A target may be named often, and be long:
// so only the first reference to it is free. Beyond the allowance for further ones, they have no
// title, and then they are text.
type targets struct {
	resolve Resolver
	named   map[Link]bool
	left    int // bytes of the allowance
}

func newTargets(resolve Resolver, allowance int) *targets {
	return &targets{resolve, map[Link]bool{}, allowance}
}

// take returns the link for one more reference to a target. It reports false if the reference is
// to be text.
func (t *targets) take(link Link) (Link, bool) {
	if !t.named[link] {
		t.named[link] = true
		return link, true
	}
	if len(link.URL)+len(link.Title) > t.left {
		link.Title = ""
	}
	size := len(link.URL) + len(link.Title)
	if size > t.left {
		return link, false
	}
	t.left -= size
	return link, true
}

// reference is "#12" or "@anna" with the target.
type reference struct {
	ast.BaseInline
	text  string
	class string
	link  Link
}

var kindReference = ast.NewNodeKind("Reference")

func (*reference) Kind() ast.NodeKind { return kindReference }

func (n *reference) Dump(source []byte, level int) { ast.DumpHelper(n, source, level, nil, nil) }

// references finds and writes them.
type references struct{}

func (references) Trigger() []byte { return []byte("#@") }

func (references) Parse(_ ast.Node, block text.Reader, ctx parser.Context) ast.Node {
	named, _ := ctx.Get(targetsKey).(*targets)
	if named == nil || isWord(block.PrecendingCharacter()) {
		return nil
	}
	line, _ := block.PeekLine()
	found := problemAt(line, named.resolve)
	if line[0] == '@' {
		found = personAt(line, named.resolve)
	}
	if found == nil {
		return nil
	}
	var ok bool
	if found.link, ok = named.take(found.link); !ok {
		return nil
	}
	block.Advance(len(found.text))
	return found
}

// problemAt returns the reference to a problem at the start of a line; nil if there is none.
func problemAt(line []byte, resolve Resolver) *reference {
	match := number.FindSubmatchIndex(line[:min(len(line), longestNumber)])
	if match == nil || match[0] != 0 {
		return nil
	}
	n, err := strconv.ParseInt(string(line[match[2]:match[3]]), 10, 64)
	if err != nil {
		return nil
	}
	link, ok := resolve.Problem(n)
	if !ok {
		return nil
	}
	return &reference{text: string(line[:match[1]]), class: "reference", link: link}
}

// personAt returns the mention at the start of a line; nil if there is none.
func personAt(line []byte, resolve Resolver) *reference {
	match := mention.FindSubmatch(line[:min(len(line), longestMention)])
	if match == nil {
		return nil
	}
	link, ok := resolve.Person(string(match[1]))
	if !ok {
		return nil
	}
	return &reference{text: string(match[0]), class: "mention", link: link}
}

func isWord(c rune) bool {
	return c == '_' || c == '&' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

func (references) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindReference, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		ref := n.(*reference)
		text := html.EscapeString(ref.text)
		if linked(n) {
			_, _ = w.WriteString(text)
			return ast.WalkContinue, nil
		}
		class := ref.class
		if ref.link.Done {
			class += " done"
		}
		_, _ = w.WriteString(`<a class="` + class + `" href="` + html.EscapeString(ref.link.URL) + `" title="` + html.EscapeString(ref.link.Title) + `">` + text + `</a>`)
		return ast.WalkContinue, nil
	})
}
