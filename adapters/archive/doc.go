// Package archive writes and reads all that a store holds as JSON Lines: one
// canonical JSON object (RFC 8785) a line, from a header to a manifest with which
// every other line is accounted for. The guide for authors of adapters,
// adapters/README.md, has the format in full, so that others can produce it.
//
// What the lines say is package transfer's to judge; this package sees to how
// they say it.
package archive
