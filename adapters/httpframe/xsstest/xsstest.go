// Package xsstest has hostile texts for tests of pages, also in a browser.
package xsstest

import (
	_ "embed"
	"strings"
)

//go:embed attempts.txt
var attempts string

// Attempts returns attempts to run a script in the browser of a reader. Each
// would set the title of the page to "broken", ask another origin for something, or change
// the page around the text.
//
// The file attempts.txt has them in UTF-8: after each attempt stands a line with "%%". An
// attempt may have several lines, and no line of an attempt is "%%".
func Attempts() []string {
	return strings.Split(strings.TrimSuffix(attempts, "\n%%\n"), "\n%%\n")
}
