package httpapi

import (
	"bytes"
	"html/template"
	"net/http"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/rules"
)

// errorPage is the page at the type URL of an error (D18). It also renders the list of
// all errors.
var errorPage = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{{.Title}}</title></head>
<body>
<h1>{{.Title}}</h1>
{{range .Kinds}}<h2 id="{{.Slug}}"><a href="{{$.Base}}/errors/{{.Slug}}">{{.Slug}}</a></h2>
<p>{{.Status}} {{.Name}}</p>
<p>{{.Description}}</p>
{{if .Help}}<p><a href="{{$.Base}}{{.Help}}">The language</a></p>
{{end}}{{with .Rules}}<p>Rules:{{range $i, $r := .}}{{if $i}},{{end}} <a href="{{$r.URL}}">{{$r.Tag}} {{$r.Title}}</a>{{end}}</p>
{{end}}{{end}}{{if .All}}<p><a href="{{.Base}}/errors">All errors</a></p>
{{end}}</body>
</html>
`))

type errorPageData struct {
	Title string
	Base  string
	All   bool // whether to link to the list
	Kinds []errorPageKind
}

type errorPageKind struct {
	Slug        string
	Status      int
	Name        string
	Description string
	Help        string // path of a page below the base path; empty: there is none
	Rules       []rules.Rule
}

// addErrorPages serves the pages about errors.
func (s *server) addErrorPages() {
	pages := map[string][]byte{}
	all := errorPageData{Title: "Errors", Base: s.BasePath}
	for _, k := range httpframe.Failures() {
		kind := errorPageKind{Slug: k.Slug, Status: k.Status, Name: http.StatusText(k.Status), Description: k.Description, Rules: rules.Naming(k.Slug)}
		if isOfSearch(k.Kind) {
			kind.Help = languagePath
		}
		all.Kinds = append(all.Kinds, kind)
		pages[k.Slug] = errorPageData{Title: k.Title, Base: s.BasePath, All: true, Kinds: []errorPageKind{kind}}.render()
	}
	index := all.render()
	s.mux.HandleFunc("GET "+s.BasePath+"/errors", s.public(func(w http.ResponseWriter, r *http.Request) {
		sendPage(w, r, index)
	}))
	s.mux.HandleFunc("GET "+s.BasePath+"/errors/{slug}", s.public(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.PathValue("slug")]
		if !ok {
			s.fail(w, r, fault.New(fault.NotFound, "there is no error of this name"))
			return
		}
		sendPage(w, r, page)
	}))
}

func (d errorPageData) render() []byte {
	var b bytes.Buffer
	if err := errorPage.Execute(&b, d); err != nil {
		panic(err) // template and data are constant
	}
	return b.Bytes()
}

func sendPage(w http.ResponseWriter, r *http.Request, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	httpframe.Send(w, r, http.StatusOK, page)
}
