package pages

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"

	"github.com/problemtracking/problems/adapters/httpframe/look"
)

// Policy is the Content-Security-Policy of all pages.
const Policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// The paths of the pages and of their files, below the base path.
const (
	ReferencePath = "/docs"
	LanguagePath  = "/docs/predicates"
	ErrorsPath    = "/errors"
	DocumentPath  = "/openapi.json"
	StylePath     = "/docs/style.css"
	IconPath      = "/docs/icon.svg"
)

//go:embed style.css
var style string

// Style returns the style sheet of all pages.
func Style() string { return look.Style() + style }

// Icon returns the icon of all pages, as SVG.
func Icon() string { return look.Icon() }

// Site renders pages. Base is the path before all their links, such as "/tracker".
type Site struct{ Base string }

//go:embed templates
var files embed.FS

// templates has a template for each page, by name.
var templates = func() map[string]*template.Template {
	all := map[string]*template.Template{}
	for _, name := range []string{"index", "errors", "language", "reference"} {
		all[name] = template.Must(template.New("page.html").ParseFS(files, "templates/page.html", "templates/"+name+".html"))
	}
	return all
}()

// page is the view of a page.
type page struct {
	Site
	Title string
	// At is the path of the page below the base path, for the navigation.
	At      string
	Content any
}

// Sections are the entries of the navigation.
func (page) Sections() []section {
	return []section{{ReferencePath, "API"}, {LanguagePath, "Predicates"}, {ErrorsPath, "Errors"}, {DocumentPath, "OpenAPI"}}
}

type section struct{ Path, Name string }

// render returns a page as HTML.
func (s Site) render(name, title, at string, content any) ([]byte, error) {
	var b bytes.Buffer
	if err := templates[name].Execute(&b, page{Site: s, Title: title, At: at, Content: content}); err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	return b.Bytes(), nil
}
