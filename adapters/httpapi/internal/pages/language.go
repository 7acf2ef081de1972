package pages

import "html/template"

// Language returns the page about predicates, from its text in Markdown.
func (s Site) Language(source []byte) ([]byte, error) {
	text, headings, err := withHeadings(source)
	if err != nil {
		return nil, err
	}
	return s.render("language", "The predicate language", LanguagePath, struct {
		Text     template.HTML
		Headings []heading
	}{text, headings})
}
