// Package clients holds the OpenAPI document against generators of clients: its test
// generates clients of the served document, compiles them and uses them.
//
// The generator for Go is a tool of this module. That for TypeScript is in
// testdata/typescript, with the versions and checksums of all that it needs. To take
// newer ones, change package.json and run "npm install --package-lock-only" there.
package clients

// What generated clients import.
import _ "github.com/oapi-codegen/runtime"
