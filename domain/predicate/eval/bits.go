package eval

import (
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

const (
	// maxTried is the number of parts to compare one by one. After it, a search prepares
	// bits, and the preparation takes some time.
	maxTried = 4096
	// maxBits bounds the code points in a search by bits, and so its memory. Each
	// different code point has a mask of so many bits.
	maxBits = 1024
)

// bits are the parts between two runs of a Pattern, prepared for the Shift-And
// algorithm. It looks at each code point of a text once. Comparing the parts at each
// position would take the product of both lengths.
type bits struct {
	size  int               // code points in the parts
	any   []uint64          // the parts for any code point
	masks map[rune][]uint64 // the parts for this code point
}

// bitsOf prepares parts. None of them is Any. It returns nil for more than maxBits
// code points.
func bitsOf(parts []predicate.Part) *bits {
	b := &bits{masks: map[rune][]uint64{}}
	for _, part := range parts {
		if part.One {
			b.size++
		}
		b.size += utf8.RuneCountInString(part.Text)
		if b.size > maxBits {
			return nil
		}
	}
	words := (b.size + 63) / 64
	b.any = make([]uint64, words)
	for _, part := range parts {
		for _, r := range part.Text {
			b.masks[r] = make([]uint64, words)
		}
	}
	position := 0
	for _, part := range parts {
		if part.One {
			b.any[position/64] |= 1 << (position % 64)
			position++
		}
		for _, r := range part.Text {
			b.masks[r][position/64] |= 1 << (position % 64)
			position++
		}
	}
	for _, mask := range b.masks {
		for i := range mask {
			mask[i] |= b.any[i]
		}
	}
	return b
}

// cut finds the first match of the parts in s and returns the rest of s behind it,
// like cutFirst.
func (b *bits) cut(s string, spend func(work int) error) (rest string, ok bool, err error) {
	// A bit of the state is set when the parts up to it match the last code points.
	state := make([]uint64, len(b.any))
	last, bit := len(state)-1, uint64(1)<<((b.size-1)%64)
	const often = 256
	for n := 0; s != ""; n++ {
		if n%often == 0 {
			if err := spend(often * len(state) / bytesPerWork); err != nil {
				return "", false, err
			}
		}
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		mask, known := b.masks[r]
		if !known {
			mask = b.any
		}
		carry := uint64(1)
		for i, word := range state {
			state[i] = (word<<1 | carry) & mask[i]
			carry = word >> 63
		}
		if state[last]&bit != 0 {
			return s, true, nil
		}
	}
	return "", false, nil
}
