package predicate

// Pattern is the form of a whole string (LIKE): a sequence of parts.
type Pattern struct{ Parts []Part }

// Part is one part of a Pattern: a run of any characters, any one character, or a
// literal text.
type Part struct {
	Any  bool   // any run of characters, even an empty one
	One  bool   // any one code point
	Text string // the literal text of other parts
}
