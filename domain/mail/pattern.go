package mail

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is used for the first time. All
// of them take some 10 ms, which each command would spend before its start: most of them
// read no mail.
type pattern func() *regexp.Regexp

// matching returns the pattern of an expression.
func matching(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func (p pattern) MatchString(text string) bool { return p().MatchString(text) }
