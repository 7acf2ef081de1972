// Problems is an issue tracker with an HTTP API. See "problems --help".
package main

import (
	// Roots of certificates for systems without any, such as an image from scratch.
	_ "golang.org/x/crypto/x509roots/fallback"

	"github.com/problemtracking/problems/app/problems"
)

// version is set by the linker; see the Makefile.
var version string

func main() { problems.Main(version, problems.BuiltIn()...) }
