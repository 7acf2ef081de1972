package sqlsearch

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	texts "github.com/problemtracking/problems/domain/text"
)

func TestSeek(t *testing.T) {
	t.Parallel()
	for where, want := range map[string]string{
		`title CONTAINS[c] 'Crème'`:                                                                               "[[{Problem creme}]]",
		`title =[cd] 'Abc' AND watching = YES AND title ENDSWITH 'xyz'`:                                           "[[{Problem abc}] [{Problem xyz}]]",
		`title CONTAINS[cd] 'Új x' OR ANY comments.text CONTAINS[cd] 'Új x'`:                                      "[[{Problem uj x} {Comment uj x}]]",
		`SUBQUERY(comments, $c, $c.author = nil AND $c.text BEGINSWITH 'abc').@count > 0 OR title CONTAINS 'def'`: "[[{Comment abc} {Problem def}]]",
		`title LIKE[c] 'the Cache*\\*ab?cdé'`:                                                                     "[[{Problem the cache}] [{Problem *ab}] [{Problem cde}]]",
		// Nothing has to contain any text.
		`NOT title LIKE 'abc*'`:                                 "[]",
		`NOT title CONTAINS 'abc'`:                              "[]",
		`NONE comments.text CONTAINS 'abc'`:                     "[]",
		`title CONTAINS 'abc' OR watching = YES`:                "[]",
		`title > 'abc' AND ANY history.title CONTAINS[c] 'abc'`: "[]",
		// Without its mark, it is too short.
		"title CONTAINS[c] 'ab\u0323'": "[]",
		// The tone mark changes places with a mark of another class behind it.
		"title CONTAINS[c] 'ab\u302e'":  "[]",
		"title CONTAINS[cd] 'ab\u302e'": "[[{Problem ab\u302e}]]",
		// The iota below is a mark, and without case the letter.
		"title CONTAINS[c] 'ab\u0345'": "[]",
		"title CONTAINS[c] 'abΙ'":      "[]",
		"title CONTAINS 'abι'":         "[[{Problem abι}]]",
		"title CONTAINS[cd] 'abι'":     "[[{Problem abι}]]",
	} {
		plan, err := check.Compile(where, predicate.Problem, predicate.Env{Now: noon, User: ann})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(Seek(plain(), plan)); got != want {
			t.Errorf("%s asks for %s, want %s", where, got, want)
		}
	}
}

// A title with any character that has a case or is a mark is found by what it is without case: the
// index has that, or is not asked.
func TestSeekEachCharacter(t *testing.T) {
	t.Parallel()
	for r := range rune(unicode.MaxRune) {
		title := "ab" + string(r)
		if !unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.M) || texts.NFC(title) != title {
			continue
		}
		sought := predicate.Fold(title, predicate.Case)
		for _, list := range soughtIn(nil, predicate.Path{Steps: []*predicate.Key{{Name: "title"}}}, sought, predicate.Case, nil) {
			if !strings.Contains(predicate.Fold(title, predicate.Both), list[0].Text) {
				t.Errorf("%q has %q, and its index does not have %q", title, sought, list[0].Text)
			}
		}
	}
}
