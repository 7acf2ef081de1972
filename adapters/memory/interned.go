package memory

import (
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// interned lets equal values share memory: identifiers of users and metadata, names of
// keywords, and the contents of log entries. They come again in one problem after the
// other, each time in memory of their own. Texts lie in the memory of the request, and
// can keep much more alive than themselves.
type interned struct {
	ids      map[ident.ID]*ident.ID // of metadata and users
	authors  map[author]*author
	names    map[string]string
	contents map[content]*content
}

const (
	// mostKnown limits the known identifiers, authors, names and contents, each. Beyond
	// it, all are forgotten: frequent ones are soon known again.
	mostKnown = 4096
	// longest is the greatest length, in bytes, that is worth a lookup.
	longest = 200
)

func newInterned() interned {
	return interned{ids: map[ident.ID]*ident.ID{}, authors: map[author]*author{}, names: map[string]string{}, contents: map[content]*content{}}
}

// author is a user with the token of a change, or with None.
type author struct{ user, via ident.ID }

// id returns the identifier in memory shared with earlier ones.
func (i interned) id(id ident.ID) *ident.ID { return shared(i.ids, id) }

// author returns the author likewise.
func (i interned) author(user, via ident.ID) *author { return shared(i.authors, author{user, via}) }

func shared[T comparable](all map[T]*T, value T) *T {
	if known, ok := all[value]; ok {
		return known
	}
	if len(all) == mostKnown {
		clear(all)
	}
	all[value] = &value
	return &value
}

// name returns the text in memory of its own, shared with earlier ones.
func (i interned) name(text string) string {
	if known, ok := i.names[text]; ok {
		return known
	}
	if len(i.names) == mostKnown {
		clear(i.names)
	}
	text = strings.Clone(text)
	i.names[text] = text
	return text
}

// content returns the content likewise.
func (i interned) content(c content) *content {
	once := len(c.from)+len(c.to) > longest
	if !once {
		if known, ok := i.contents[c]; ok {
			return known
		}
		if len(i.contents) == mostKnown {
			clear(i.contents)
		}
	}
	c.kind, c.field = problem.LogType(i.name(string(c.kind))), i.name(c.field)
	if !once {
		i.contents[c] = &c
	}
	return &c
}
