package mail

import "testing"

func TestUnflow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want string
		joined     bool
	}{
		"nothing":                    {"", "", false},
		"fixed lines":                {"a\nb\n", "a\nb\n", false},
		"a paragraph":                {"It is \r\ndark here. \r\nVery.\r\n\r\nBye", "It is dark here. Very.\n\nBye", false},
		"spaces that do not count":   {"Donau \ndampf \nschiff", "Donaudampfschiff", true},
		"stuffed":                    {"  a\n >b\n From c", " a\n>b\nFrom c", false},
		"quotes":                     {"> It is \n> dark.\n>> Where? \n>> There.\nHere.", "> It is dark.\n>> Where? There.\nHere.", false},
		"another depth ends a quote": {"> It is \nnot.", "> It is \nnot.", false},
		"a signature":                {"Hello \n-- \nAnn", "Hello \n-- \nAnn", false},
		"a flowed line at the end":   {"a \n", "a \n", false},
	} {
		if got := Unflow(c.text, c.joined); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
