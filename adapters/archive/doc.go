// Package archive writes and reads the whole content of a store as JSON Lines: one
// canonical JSON object (RFC 8785) a line. The first line is a header; the last is a
// manifest that accounts for every other line. The guide for authors of adapters,
// adapters/README.md, has the format in full, so others can produce it.
//
// Package transfer judges the meaning of the lines; this package handles their form.
package archive
