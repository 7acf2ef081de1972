// Package finding has the cases of searching, and the problems for them to find.
package finding
