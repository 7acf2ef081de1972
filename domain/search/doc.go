// Package search finds problems and metadata objects that satisfy a predicate, by
// looking at one after the other. It makes predicate.Entries of what is stored, and
// has what every search has in common whoever does it: which problems count as
// candidates, the order of the results, the place after which they go on.
//
// [Scan] is a whole Reader.Search for stores that can only iterate. Stores that
// know more build on [Select], and on [Fields] when they have problems at hand; those
// that try conditions by themselves build on [Residual].
package search
