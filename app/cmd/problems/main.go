// Problems is an issue tracker with an HTTP API. See "problems --help".
package main

import "github.com/problemtracking/problems/app/problems"

// version is set by the linker; see the Makefile.
var version string

func main() { problems.Main(version, problems.BuiltIn()...) }
