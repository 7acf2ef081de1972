// Package samples has the records of the examples in the OpenAPI document.
//
// The encoder of real answers writes them, so both have the same form.
package samples
