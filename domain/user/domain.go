package user

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/text"
)

// asciiPrefix begins the ASCII form of a label.
const asciiPrefix = "xn--"

// storedDomain returns the stored form of the domain of an e-mail address (D2): each label in
// Unicode, lower case and NFC, out of its ASCII form. A domain without such a label stays as it
// is. The text of the error ends a sentence for the author of the address.
//
// It maps as UTS #46 does, but refuses the letters that UTS #46 maps to others: wide
// letters, ligatures, the dots of other scripts. The domain imports no library, so
// tools/gentext takes the table of these letters from golang.org/x/net/idna.
func storedDomain(domain string) (string, error) {
	if isASCII(domain) && !strings.Contains(foldASCII(domain), asciiPrefix) {
		return domain, nil
	}
	labels := strings.Split(domain, ".")
	for i, label := range labels {
		if isASCII(label) {
			labels[i] = unicodeLabel(foldASCII(label))
			continue
		}
		if c, bad := notInLabels(label); bad {
			return "", fmt.Errorf("must have a domain of letters, digits and hyphens, not %U; "+
				"the ASCII form is taken too, such as xn--bcher-kva.example", c)
		}
		labels[i] = mapped(label)
	}
	stored := strings.Join(labels, ".")
	if isASCII(domain) && isASCII(stored) {
		return domain, nil
	}
	return stored, nil
}

// mapped returns the stored form of a label. Lower case comes before NFC: "I" with a dot
// above becomes "i" with this dot, and never "i" alone.
func mapped(label string) string { return text.NFC(strings.Map(unicode.ToLower, label)) }

// notInLabels returns the first character that a label outside of ASCII cannot have there.
func notInLabels(label string) (rune, bool) {
	for i, c := range label {
		if c == '-' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			continue
		}
		if c < utf8.RuneSelf || !unicode.In(c, unicode.L, unicode.M, unicode.Nd) || unicode.Is(mappedOtherwise, c) || i == 0 && unicode.Is(unicode.M, c) {
			return c, true
		}
	}
	return 0, false
}

// unicodeLabel returns the Unicode form of a label in ASCII and lower case. A label is its own
// Unicode form unless it is the ASCII form of another label.
func unicodeLabel(label string) string {
	encoded, ok := strings.CutPrefix(label, asciiPrefix)
	if !ok {
		return label
	}
	decoded, ok := punycode(encoded)
	if _, bad := notInLabels(decoded); !ok || bad || isASCII(decoded) || mapped(decoded) != decoded {
		return label
	}
	return decoded
}

// punycode decodes a label in lower case, as in RFC 3492, section 6.2.
func punycode(encoded string) (string, bool) {
	const base, tMin, tMax, skew, damp = 36, 1, 26, 38, 700
	last := strings.LastIndexByte(encoded, '-')
	out, rest := []rune(encoded[:max(0, last)]), encoded[last+1:]
	n, at, bias := 0x80, 0, 72
	for rest != "" {
		start, weight := at, 1
		for k := base; ; k += base {
			if rest == "" {
				return "", false
			}
			digit := strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789", rest[0])
			rest = rest[1:]
			if digit < 0 || digit > (math.MaxInt32-at)/weight {
				return "", false
			}
			at += digit * weight
			threshold := min(max(k-bias, tMin), tMax)
			if digit < threshold {
				break
			}
			if weight > math.MaxInt32/(base-threshold) {
				return "", false
			}
			weight *= base - threshold
		}
		size := len(out) + 1
		delta := at - start
		if start == 0 {
			delta /= damp
		} else {
			delta /= 2
		}
		delta += delta / size
		k := 0
		for ; delta > (base-tMin)*tMax/2; k += base {
			delta /= base - tMin
		}
		bias = k + (base-tMin+1)*delta/(delta+skew)
		n += at / size
		at %= size
		if n > unicode.MaxRune || !utf8.ValidRune(rune(n)) {
			return "", false
		}
		out = slices.Insert(out, at, rune(n))
		at++
	}
	return string(out), true
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c >= utf8.RuneSelf })
}
