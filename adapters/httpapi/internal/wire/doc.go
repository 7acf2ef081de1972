// Package wire reads and writes the JSON of the API.
//
// Its types describe the records to the OpenAPI document. An Encoder writes answers, and
// Decode reads bodies.
package wire
