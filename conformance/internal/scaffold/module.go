package scaffold

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
)

// An element of a module's path, and the first one, a domain.
const (
	elementForm = `^[A-Za-z0-9_~-]+(\.+[A-Za-z0-9_~-]+)*$`
	domainForm  = `^[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)+$`
)

// majorForm is the last element of a module's path, with a major version.
const majorForm = `^v[0-9]+$`

// checkModule returns the fault of a module's path, by the rules of
// https://go.dev/ref/mod#go-mod-file-ident, as far as people miss them.
func checkModule(path string) error {
	if path == "" {
		return fmt.Errorf("there is no module path: want --module and a path such as example.org/mystore")
	}
	elements := strings.Split(path, "/")
	if !matches(domainForm, elements[0]) {
		return fmt.Errorf("%q is no module path: it begins with %q where a domain in lower case was expected, as in example.org/mystore", path, elements[0])
	}
	for _, e := range elements[1:] {
		if !matches(elementForm, e) {
			return fmt.Errorf("%q is no module path: %q is none of its elements; letters, digits and -_~ are fine, and dots between them", path, e)
		}
	}
	last := elements[len(elements)-1]
	if len(elements) > 1 && matches(majorForm, last) && (last[1] == '0' || last == "v1") {
		return fmt.Errorf("%q is no module path: major versions are named from v2 on", path)
	}
	return nil
}

// suggestedName returns the expected package name of a path. It may be invalid.
func suggestedName(module string) string {
	elements := strings.Split(module, "/")
	last := elements[len(elements)-1]
	if len(elements) > 2 && matches(majorForm, last) {
		last = elements[len(elements)-2]
	}
	last = strings.TrimSuffix(strings.TrimPrefix(last, "go-"), "-go")
	return strings.ToLower(regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(last, ""))
}

// checkName returns the fault of a package's name.
func checkName(name string) error {
	if !matches(`^[a-z][a-z0-9]*$`, name) || token.IsKeyword(name) {
		return fmt.Errorf("%q is no name for a package: want lower-case letters and digits, as in --name mystore", name)
	}
	switch name {
	case "main", "store", "conformance", "testing", "open", "t", "s", "env", "err":
		return fmt.Errorf("%q is no name for this package: its test uses that name for something else; choose another with --name", name)
	}
	return nil
}

func matches(form, text string) bool { return regexp.MustCompile(form).MatchString(text) }
