// Package text holds what the service demands of text before it stores or
// compares it (D9): trimmed where it is a line, in Unicode Normalization Form C,
// free of control characters, and of a bounded length.
//
// [NFC] is the package's own. So the domain stays free of dependencies, every
// adapter and driver gets the same text with no wiring to forget, and the version
// of Unicode is pinned with the code: a character that is not yet assigned in
// [UnicodeVersion] is left as it is. With newer tables, stored text that has such a
// character may no longer be in NFC; all other text still is, by the stability
// policy of Unicode.
//
// It is plain NFC, as UAX #15 defines it. The package norm of golang.org/x/text
// differs: it inserts U+034F into runs of more than 30 combining marks (the
// stream-safe text process), which would change what a client wrote.
package text
