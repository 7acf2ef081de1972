package mail

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled at its first use. To compile all of them
// takes some 10 ms. Each command would spend that at its start, and most commands read no
// mail.
type pattern func() *regexp.Regexp

// matching returns the pattern of an expression.
func matching(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

func (p pattern) MatchString(text string) bool { return p().MatchString(text) }
