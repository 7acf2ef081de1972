package httpapi

import (
	"bytes"
	"io/fs"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/problemtracking/problems/domain/rules"
)

// languagePath is the path of the page about predicates, below the base path.
const languagePath = "/docs/predicates"

// addLanguage serves the page about predicates, as HTML and as Markdown.
func (s *server) addLanguage() {
	s.addFile(languagePath, languagePage)
	s.addFile(languagePath+".md", languageSource)
}

// The page is the same for every handler.
var (
	languageSource = newFile("text/markdown; charset=utf-8", readLanguage)
	languagePage   = newFile("text/html; charset=utf-8", func() ([]byte, error) {
		source, err := readLanguage()
		if err != nil {
			return nil, err
		}
		page := bytes.NewBufferString(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The predicate language</title></head>
<body>
`)
		markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
		if err := markdown.Convert(source, page); err != nil {
			return nil, err
		}
		page.WriteString("</body>\n</html>\n")
		return page.Bytes(), nil
	})
)

func readLanguage() ([]byte, error) { return fs.ReadFile(rules.Pages(), "predicates.md") }
