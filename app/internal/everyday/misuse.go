package everyday

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/domain/text"
)

// misuse is a fault of the command line that a command finds.
type misuse struct{ error }

func (m *misuse) Unwrap() error { return m.error }

func misused(format string, args ...any) error { return &misuse{fmt.Errorf(format, args...)} }

// missing says that there is no such thing.
type missing struct{ error }

// CheckArguments refuses arguments that would lose characters on their way to the server.
func CheckArguments(args []string) error {
	for _, arg := range args {
		if !utf8.ValidString(arg) {
			return misused("%q is not UTF-8: the server takes no other encoding", arg)
		}
	}
	return nil
}

// checkKeyword refuses the name of a keyword as the server does (D4). Some names would also
// be paths of something else.
func checkKeyword(name string) error {
	if _, err := text.KeywordName.Apply(name); err != nil {
		return misused("the name of the keyword %q %w: write NAME or NAME=VALUE", name, err)
	}
	return nil
}

// keywords reads keywords such as floor=kitchen and flaky.
func keywords(texts []string) (all []client.Keyword, err error) {
	for _, given := range texts {
		var k client.Keyword
		name, value, valued := strings.Cut(given, "=")
		k.Name = name
		if valued {
			k.Value = &value
		}
		if err := checkKeyword(name); err != nil {
			return nil, err
		}
		all = append(all, k)
	}
	return all, nil
}

// key returns the options for an Idempotency-Key: none for an empty one.
func key(text string) ([]client.Option, error) {
	switch invisible := func(r rune) bool { return r <= ' ' || r > '~' }; {
	case text == "":
		return nil, nil
	case len(text) > 255 || strings.ContainsFunc(text, invisible):
		return nil, misused("--key takes up to 255 visible ASCII characters without spaces, not %.60q", text)
	}
	return []client.Option{client.Key(text)}, nil
}
