// Package webtest has inputs for tests of the client application, also in a browser.
package webtest

import (
	_ "embed"
	"strings"
)

//go:embed xss.txt
var attempts string

// XSS returns attempts to run a script in the browser of a reader. Each
// would set the title of the page to "broken", ask another origin for something, or change
// the page around the text.
//
// The file xss.txt has them in UTF-8: after each attempt stands a line with "%%". An attempt
// may have several lines, and no line of an attempt is "%%".
func XSS() []string {
	return strings.Split(strings.TrimSuffix(attempts, "\n%%\n"), "\n%%\n")
}
