// Package clients holds the OpenAPI document against generators of clients: its test
// generates clients of the served document, compiles them and uses them.
//
// The generator for Go is a tool of this module. That for TypeScript is in
// testdata/typescript, with the versions and checksums of all that it needs; to take
// newer versions, run "npm update" there.
package clients

// What generated clients import.
import _ "github.com/oapi-codegen/runtime"
