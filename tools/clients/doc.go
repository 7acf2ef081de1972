// Package clients holds the OpenAPI document against generators of clients: its test
// generates clients of the served document, compiles them and uses them.
//
// The generator for Go is a tool of this module. The one for TypeScript is in
// testdata/typescript, with the versions and checksums of its packages. For newer ones,
// change package.json and run "npm install --package-lock-only" there.
package clients

// The imports of generated clients.
import _ "github.com/oapi-codegen/runtime"
