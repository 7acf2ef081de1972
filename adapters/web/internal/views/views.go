// Package views makes the pages from their templates, in all languages.
package views

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/problemtracking/problems/adapters/web/internal/keys"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/problem"
)

//go:embed templates
var templateFiles embed.FS

// Views are the templates of all pages in all languages.
type Views struct {
	base  string
	asset func(name string) string
	now   func() time.Time
	// pages makes the template of each page, by language and name.
	pages map[string]map[string]func() *template.Template
}

// New returns the views. A template is parsed when its page is shown for the first time:
// to parse all of them would take a fifth of the start of a service. They are constant, so
// a fault in one is a panic. Links are below the base path, and asset returns the address of
// an asset.
func New(base string, asset func(name string) string, now func() time.Time) *Views {
	v := &Views{base: base, asset: asset, now: now, pages: map[string]map[string]func() *template.Template{}}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err)
	}
	for _, language := range texts.Languages() {
		common := sync.OnceValue(func() *template.Template {
			return template.Must(template.New("").Funcs(v.functions(language)).ParseFS(templateFiles, "templates/parts/*.html"))
		})
		pages := map[string]func() *template.Template{}
		for _, file := range files {
			name := strings.TrimSuffix(path.Base(file), ".html")
			pages[name] = sync.OnceValue(func() *template.Template {
				return template.Must(template.Must(common().Clone()).ParseFS(templateFiles, file))
			})
		}
		v.pages[language.Tag] = pages
	}
	return v
}

// functions returns the functions of the templates.
func (v *Views) functions(language *texts.Language) template.FuncMap {
	return template.FuncMap{
		"t":        language.Say,
		"lang":     func() string { return language.Tag },
		"date":     func(t time.Time) string { return language.Date(t.UTC()) },
		"ago":      func(t time.Time) string { return language.Ago(v.now(), t) },
		"moment":   func(t time.Time) string { return language.Moment(t.UTC()) },
		"number":   func(n int) string { return language.Number(int64(n)) },
		"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"asset":    v.asset,
		"path":     func(parts ...any) string { return v.base + fmt.Sprint(parts...) },
		"query":    links.Suffix,
		"set":      func(q url.Values, pairs ...string) url.Values { return links.With(q, pairs...) },
		"initials": initials,
		"brief":    brief,
		"broken":   broken,
		"bytes":    func(n int64) string { return problem.ShownBytes(n, language.Tag) },
		"sentence": texts.Sentence,
		"key":      keys.Attribute,
		"moves":    keys.Moves,
		"inc":      func(n int) int { return n + 1 },
	}
}

// lettersAtOnce is the length of the shown part of a text, in code points.
const lettersAtOnce = 200

// brief returns the beginning of a long text; "" for a short text, shown as a whole.
func brief(text string) string {
	if utf8.RuneCountInString(text) <= lettersAtOnce {
		return ""
	}
	return string([]rune(text)[:lettersAtOnce]) + "…"
}

var breaks = strings.NewReplacer("/", "/<wbr>", "@", "<wbr>@", "_", "_<wbr>")

// broken returns a text that breaks into lines at its joints: the parts of a component's name,
// and of an address.
func broken(text string) template.HTML {
	return template.HTML(breaks.Replace(template.HTMLEscapeString(text))) // all of it is escaped
}

// initials returns up to two letters for a person.
func initials(name string) string {
	var letters []rune
	for word := range strings.FieldsSeq(name) {
		letters = append(letters, []rune(word)[0])
	}
	if len(letters) > 2 {
		letters = []rune{letters[0], letters[len(letters)-1]}
	}
	return strings.ToUpper(string(letters))
}

// Render returns a page as HTML. Times are in the zone, or without one in UTC. Before it takes memory
// for a large page, it asks room for so many bytes more; it ends with the error of room.
func (v *Views) Render(language *texts.Language, zone *time.Location, name string, view any, room func(bytes int64) error) ([]byte, error) {
	page, ok := v.pages[language.Tag][name]
	if !ok {
		return nil, fmt.Errorf("there is no template %q", name)
	}
	out := sheet{room: room}
	if err := page().ExecuteTemplate(&out, "page", view); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	if zone == nil {
		return out.written, nil
	}
	if size := len(out.written); size > free {
		if err := room(int64(size)); err != nil {
			return nil, err
		}
	}
	return inZone(out.written, language, zone), nil
}

// shownTime is a time as the templates "time", "day-time" and "exact-time" write it. Their functions
// are those of a language, and know no zone.
var shownTime = regexp.MustCompile(`<time datetime="([^"]+)" title="[^"]*"(?: data-as="(day|moment)")?>([^<]*)</time>`)

// inZone returns a page with its times in a zone.
func inZone(page []byte, language *texts.Language, zone *time.Location) []byte {
	return shownTime.ReplaceAllFunc(page, func(found []byte) []byte {
		part := shownTime.FindSubmatch(found)
		at, err := time.Parse(time.RFC3339, string(part[1]))
		if err != nil {
			return found
		}
		moment := template.HTMLEscapeString(language.Moment(at.In(zone)))
		as, text := "", string(part[3])
		switch string(part[2]) {
		case "day":
			as, text = ` data-as="day"`, template.HTMLEscapeString(language.Date(at.In(zone)))
		case "moment":
			as, text = ` data-as="moment"`, moment
		}
		return fmt.Appendf(nil, `<time datetime="%s" title="%s"%s>%s</time>`, part[1], moment, as, text)
	})
}

// free is the length of a page, in bytes, without memory of its own.
const free = 64 << 10

// sheet is a page being written.
type sheet struct {
	written []byte
	room    func(bytes int64) error
}

// Write is of io.Writer.
func (s *sheet) Write(p []byte) (int, error) {
	if need := len(s.written) + len(p); need > cap(s.written) {
		size := max(2*cap(s.written), need, 4<<10)
		if size > free {
			if err := s.room(int64(size)); err != nil { // while it is copied, the old part is there, too
				return 0, err
			}
		}
		s.written = append(make([]byte, 0, size), s.written...)
	}
	s.written = append(s.written, p...)
	return len(p), nil
}
