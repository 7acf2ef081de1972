package text

// Arithmetic composes the Hangul syllables (Unicode, section 3.12): a leading consonant
// L, a vowel V and, except for the first of its numbers, a trailing consonant T.
const (
	hangulBase = 0xAC00
	lBase      = 0x1100
	vBase      = 0x1161
	tBase      = 0x11A7 // one before the first T: the number of "no T"

	lCount      = 19
	vCount      = 21
	tCount      = 28
	hangulCount = lCount * vCount * tCount
)

func isHangul(r rune) bool { return hangulBase <= r && r < hangulBase+hangulCount }

// appendJamo appends the two or three letters of a Hangul syllable.
func appendJamo(chars []char, r rune) []char {
	i := r - hangulBase
	l, v, t := i/tCount/vCount, i/tCount%vCount, i%tCount
	chars = append(chars, char{r: lBase + l}, char{r: vBase + v})
	if t > 0 {
		chars = append(chars, char{r: tBase + t})
	}
	return chars
}

// syllable returns the syllable of an L and a V, or of a syllable without T and
// a T.
func syllable(a, b rune) (rune, bool) {
	l, v, t := a-lBase, b-vBase, b-tBase
	switch {
	case 0 <= l && l < lCount && 0 <= v && v < vCount:
		return hangulBase + (l*vCount+v)*tCount, true
	case isHangul(a) && (a-hangulBase)%tCount == 0 && 0 < t && t < tCount:
		return a + t, true
	}
	return 0, false
}
