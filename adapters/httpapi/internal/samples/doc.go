// Package samples has the records of the examples in the OpenAPI document.
//
// The encoder of real answers writes them, so that they cannot differ in form.
package samples
