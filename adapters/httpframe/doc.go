// Package httpframe holds the parts that every HTTP adapter of the service needs.
//
// They do not depend on the form of the answers: JSON, HTML or another one.
package httpframe
