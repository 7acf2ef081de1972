package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/web/internal/texts"
)

//go:embed templates
var templateFiles embed.FS

// views are the templates of all pages in all languages.
type views struct {
	base   string
	assets *assets
	now    func() time.Time
	// pages has a template for each page, by language and name.
	pages map[string]map[string]*template.Template
}

// newViews parses all templates. They are constant, so a fault in one is a panic.
func newViews(base string, a *assets, now func() time.Time) *views {
	v := &views{base: base, assets: a, now: now, pages: map[string]map[string]*template.Template{}}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		panic(err)
	}
	for _, language := range texts.Languages() {
		common := template.Must(template.New("").Funcs(v.functions(language)).ParseFS(templateFiles, "templates/parts/*.html"))
		pages := map[string]*template.Template{}
		for _, file := range files {
			name := strings.TrimSuffix(path.Base(file), ".html")
			pages[name] = template.Must(template.Must(common.Clone()).ParseFS(templateFiles, file))
		}
		v.pages[language.Tag] = pages
	}
	return v
}

// functions returns the functions of the templates.
func (v *views) functions(language *texts.Language) template.FuncMap {
	return template.FuncMap{
		"t":        language.Say,
		"lang":     func() string { return language.Tag },
		"date":     language.Date,
		"ago":      func(t time.Time) string { return language.Ago(v.now(), t) },
		"moment":   language.Moment,
		"number":   func(n int) string { return language.Number(int64(n)) },
		"iso":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"asset":    v.assets.url,
		"path":     func(parts ...any) string { return v.base + fmt.Sprint(parts...) },
		"query":    suffix,
		"set":      func(q url.Values, pairs ...string) url.Values { return with(q, pairs...) },
		"initials": initials,
		"brief":    brief,
		"broken":   broken,
		"sentence": sentence,
		"row":      func(label string, parts []pastPart) pastRow { return pastRow{label, parts} },
		"inc":      func(n int) int { return n + 1 },
	}
}

// suffix returns parameters as the end of a URL.
func suffix(q url.Values) string {
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// with returns a copy of the parameters with other values. An empty value removes one.
func with(q url.Values, pairs ...string) url.Values {
	changed := url.Values{}
	for name, values := range q {
		changed[name] = values
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if changed.Del(pairs[i]); pairs[i+1] != "" {
			changed.Set(pairs[i], pairs[i+1])
		}
	}
	return changed
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

// execute returns a page as HTML.
func (v *views) execute(language *texts.Language, name string, view any) ([]byte, error) {
	page, ok := v.pages[language.Tag][name]
	if !ok {
		return nil, fmt.Errorf("there is no template %q", name)
	}
	var out bytes.Buffer
	if err := page.ExecuteTemplate(&out, "page", view); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	return out.Bytes(), nil
}
