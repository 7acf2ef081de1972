package access

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/big"
	"strings"
)

// Secret is the credential of a client (D17). It is "pts_", 32 random bytes in base62
// padded to 43 digits, and a CRC-32 in base62 padded to 6 digits. The checksum covers
// all text before it. It tells a mistyped or truncated token from an unknown one without
// asking the store, and lets scanners find leaked ones.
//
// A mask replaces a Secret wherever it is printed, logged or encoded. Two Secrets are
// equal when their Digests are.
type Secret struct {
	// text is behind a pointer because of package fmt. Inside an unexported field of another
	// type, fmt does not call Format, but prints the fields of the value. It does not follow
	// pointers there.
	text *string
}

const (
	prefix         = "pts_"
	randomDigits   = 43
	checksumDigits = 6
	secretLength   = len(prefix) + randomDigits + checksumDigits
	alphabet       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// greatest is the greatest 32 bytes in base62. The alphabet is in the order of ASCII, so
// digits compare like their values.
var greatest = base62(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)), randomDigits)

// NewSecret returns the secret with the given random bytes.
func NewSecret(random [32]byte) Secret {
	text := prefix + base62(new(big.Int).SetBytes(random[:]), randomDigits)
	sum := checksum(text)
	text += string(sum[:])
	return Secret{&text}
}

// ErrSecret reports a text in another form than a token, without repeating any of it.
var ErrSecret = errors.New(`not a token: "pts_" and 49 letters and digits, the last 6 of them a checksum`)

// ParseSecret reads a secret. The error is always [ErrSecret].
func ParseSecret(text string) (Secret, error) {
	if len(text) != secretLength || !strings.HasPrefix(text, prefix) {
		return Secret{}, ErrSecret
	}
	body := text[:len(text)-checksumDigits]
	digits := body[len(prefix):]
	if strings.Trim(digits, alphabet) != "" || digits > greatest {
		return Secret{}, ErrSecret
	}
	if sum := checksum(body); string(sum[:]) != text[len(body):] {
		return Secret{}, ErrSecret
	}
	valid := text // only a valid secret moves to the heap
	return Secret{&valid}, nil
}

// Reveal returns the text of the secret; it is empty for the zero Secret. Show it once,
// to the requester of the token, and never log it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Digest returns the stored form of the secret.
func (s Secret) Digest() Digest {
	return sha256.Sum256(append(make([]byte, 0, secretLength), s.Reveal()...))
}

const mask = prefix + "…"

// Format writes a mask for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// MarshalText returns a mask, for encoders and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

func checksum(body string) [checksumDigits]byte {
	crc := ^uint32(0)
	for i := range len(body) { // same as crc32.ChecksumIEEE, but without a copy in bytes
		crc = crc32.IEEETable[byte(crc)^body[i]] ^ crc>>8
	}
	rest := ^crc
	var b [checksumDigits]byte
	for i := range b {
		b[len(b)-1-i] = alphabet[rest%62]
		rest /= 62
	}
	return b
}

// base62 writes n big-endian, padded with zeros to the given number of digits.
func base62(n *big.Int, digits int) string {
	b := make([]byte, digits)
	digit := new(big.Int)
	for i := digits - 1; i >= 0; i-- {
		n.DivMod(n, big.NewInt(62), digit)
		b[i] = alphabet[digit.Int64()]
	}
	return string(b)
}
