package web

import (
	"unicode"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// sentence returns a text with a capital letter and a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if last := text[len(text)-1]; last != '.' && last != '?' && last != '!' {
		text += "."
	}
	return text
}

// typeName returns the type of a key for authors of predicates.
func typeName(t predicate.Type) string {
	name := string(t.Kind)
	if t.Entity != "" {
		name = string(t.Entity)
	}
	if t.Many {
		name += "*"
	}
	return name
}

// keywordText returns a keyword as people read it.
func keywordText(k problem.Keyword) string {
	if !k.Value.Valid {
		return k.Name
	}
	return k.Name + ": " + k.Value.String
}

func userText(u user.User) string { return u.Name }

// relatedText returns a relationship as people read it.
func (q *request) relatedText(r store.Related) string {
	return q.say("relationship."+string(r.Type)) + " #" + formatID(r.Other)
}
