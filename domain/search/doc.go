// Package search finds problems and metadata objects by a predicate, looking at one
// after the other. It turns stored records into predicate.Entries. It holds the rules
// common to the searches of all stores: the candidates, the order of the results, and
// the continuation after a hit.
//
// [Scan] is a whole Reader.Search for stores with nothing but iteration. Other stores
// build on [Select], and on [Fields] if they have problems at hand. Stores with an
// evaluation of their own for compiled conditions build on [Residual].
package search
