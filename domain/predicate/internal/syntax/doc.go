// Package syntax parses predicates and sorts into trees, and prints trees. It knows the
// form of the language, but no keys and no types.
package syntax
