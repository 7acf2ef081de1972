// Package handles has the cases of handles on a store: their calls with ended contexts,
// their end, and the agreement of several.
package handles
