// Package text holds the rules of text for storing and comparing it (D9). Text is
// trimmed if it is a line, in Unicode Normalization Form C, free of control characters,
// and of a bounded length.
//
// [NFC] is the package's own. So the domain stays free of dependencies, and every
// adapter and driver gets the same text with no wiring to forget. The version of Unicode
// is pinned with the code. A character not yet assigned in [UnicodeVersion] stays as it
// is. Stored text with such a character may no longer be in NFC under newer tables. All
// other text stays in NFC, by the stability policy of Unicode.
//
// It is plain NFC, as defined in UAX #15. The package norm of golang.org/x/text differs:
// it inserts U+034F into runs of more than 30 combining marks (the stream-safe text
// process). This would change the client's text.
package text
