// Package webtest has what tests of the client application share, also those in a browser.
package webtest

import (
	_ "embed"
	"strings"
)

//go:embed xss.txt
var attempts string

// XSS returns attempts to run a script in the browser of somebody who reads a text. Each
// would set the title of the page to "broken", or ask another origin for something.
func XSS() []string {
	return strings.Split(strings.TrimSuffix(attempts, "\n%%\n"), "\n%%\n")
}
