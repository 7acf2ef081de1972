// Package pages makes the pages about the API: the reference, the predicate language, the
// errors and the index.
//
// A page is HTML without scripts. It needs one style sheet and one icon, both of this
// package, and nothing of another server.
package pages
