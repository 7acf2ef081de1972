package access

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
)

// Secret is what a client sends to be recognised (D17): "pts_", 32 random bytes
// in base62 padded to 43 digits, and the CRC-32 of all that stands before it, in
// base62 padded to 6 digits. The checksum tells a mistyped or truncated token
// from an unknown one without asking the store, and lets scanners find leaked
// ones.
type Secret struct{ text string }

const (
	prefix         = "pts_"
	randomDigits   = 43
	checksumDigits = 6
	secretLength   = len(prefix) + randomDigits + checksumDigits
	alphabet       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewSecret returns the secret with the given random bytes.
func NewSecret(random [32]byte) Secret {
	body := prefix + base62(new(big.Int).SetBytes(random[:]), randomDigits)
	return Secret{body + checksum(body)}
}

// ErrSecret says that a text is not a token, without repeating any of it.
var ErrSecret = errors.New(`not a token: "pts_" and 49 letters and digits, the last 6 of them a checksum`)

// ParseSecret reads a secret. The error is always [ErrSecret].
func ParseSecret(text string) (Secret, error) {
	if len(text) != secretLength || !strings.HasPrefix(text, prefix) {
		return Secret{}, ErrSecret
	}
	value := new(big.Int)
	for _, digit := range []byte(text[len(prefix) : len(prefix)+randomDigits]) {
		i := strings.IndexByte(alphabet, digit)
		if i < 0 {
			return Secret{}, ErrSecret
		}
		value.Add(value.Mul(value, big.NewInt(62)), big.NewInt(int64(i)))
	}
	if value.BitLen() > 256 {
		return Secret{}, ErrSecret
	}
	body := text[:len(text)-checksumDigits]
	if checksum(body) != text[len(body):] {
		return Secret{}, ErrSecret
	}
	return Secret{text}, nil
}

// Reveal returns the text of the secret. It is to be shown once, to the one who
// asked for the token, and never logged.
func (s Secret) Reveal() string { return s.text }

// Digest returns what is stored of the secret.
func (s Secret) Digest() Digest { return sha256.Sum256([]byte(s.text)) }

// Format hides the secret from every verb of package fmt, and so from logs.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("pts_…")) }

func checksum(body string) string {
	return base62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(body)))), checksumDigits)
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
