package memory

import (
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// texts lets what is equal share memory: identifiers of users and metadata, names of
// keywords, and what logs say of these. They come again in one problem after the other,
// each time in memory of their own: texts in that of the request, of which they can keep
// more alive than they are.
type texts struct {
	ids      map[ident.ID]*ident.ID // of metadata and users
	names    map[string]string
	contents map[content]*content
}

const (
	// mostKnown is how many identifiers are known at a time, and how many names and
	// contents. When there are more, all are forgotten: what comes often is soon known
	// again.
	mostKnown = 4096
	// longest is the length, in bytes, of what is worth looking up.
	longest = 200
)

func newTexts() texts {
	return texts{ids: map[ident.ID]*ident.ID{}, names: map[string]string{}, contents: map[content]*content{}}
}

// id returns the identifier in memory that it shares with earlier ones.
func (t texts) id(id ident.ID) *ident.ID {
	if known, ok := t.ids[id]; ok {
		return known
	}
	if len(t.ids) == mostKnown {
		clear(t.ids)
	}
	t.ids[id] = &id
	return &id
}

// name returns the text in memory of its own that it shares with earlier ones.
func (t texts) name(text string) string {
	if known, ok := t.names[text]; ok {
		return known
	}
	if len(t.names) == mostKnown {
		clear(t.names)
	}
	text = strings.Clone(text)
	t.names[text] = text
	return text
}

// content returns the content likewise.
func (t texts) content(c content) *content {
	once := len(c.from)+len(c.to) > longest
	if !once {
		if known, ok := t.contents[c]; ok {
			return known
		}
		if len(t.contents) == mostKnown {
			clear(t.contents)
		}
	}
	c.kind, c.field = problem.LogType(t.name(string(c.kind))), t.name(c.field)
	if !once {
		t.contents[c] = &c
	}
	return &c
}
