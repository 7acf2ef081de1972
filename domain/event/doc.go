// Package event holds the entries of the feed: the one ordered series of everything that
// happened to problems and metadata (D39).
package event
