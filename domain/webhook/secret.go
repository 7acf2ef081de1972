package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// Key is the key of the service. The secrets of all endpoints are derived from it, so no
// store holds them. A mask replaces it wherever it is printed, logged or encoded. The zero
// Key is none.
type Key struct {
	// bytes is behind a pointer for the same reason as in access.Secret.
	bytes *[]byte
}

// keyLength is the least length of a key, in bytes.
const keyLength = 32

// ErrKey reports a text that is no key, without repeating any of it.
var ErrKey = errors.New("not a key for webhooks: it has to be at least 32 random bytes in base64, as openssl rand -base64 32 prints them")

// NewKey returns the key with the given random bytes.
func NewKey(random [keyLength]byte) Key {
	b := random[:]
	return Key{&b}
}

// ParseKey reads the text of Reveal. White space around it does not count. The error is
// always [ErrKey].
func ParseKey(text string) (Key, error) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(b) < keyLength {
		return Key{}, ErrKey
	}
	return Key{&b}, nil
}

// Reveal returns the text of the key, in base64. Only the file of the key may hold it.
func (k Key) Reveal() string { return base64.StdEncoding.EncodeToString(k.raw()) }

func (k Key) raw() []byte {
	if k.bytes == nil {
		return nil
	}
	return *k.bytes
}

const keyMask = "key…"

// Format writes a mask for every verb.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, keyMask) }

// MarshalText returns a mask, for encoders and logs.
func (k Key) MarshalText() ([]byte, error) { return []byte(keyMask), nil }

// KeyID identifies a key without telling anything about it. The zero KeyID is that of none.
type KeyID [8]byte

// String returns the identifier in hexadecimal digits.
func (id KeyID) String() string { return hex.EncodeToString(id[:]) }

// ParseKeyID reads the form of String.
func ParseKeyID(text string) (id KeyID, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) {
		return KeyID{}, errors.New("must be 16 hexadecimal digits")
	}
	copy(id[:], b)
	return id, nil
}

// ID returns the identifier of the key.
func (k Key) ID() (id KeyID) {
	copy(id[:], k.Derive("problems webhook key", nil))
	return id
}

// Secret returns the secret of an endpoint in a generation.
func (k Key) Secret(endpoint ident.ID, generation int64) Secret {
	b := k.Derive("problems webhook secret", binary.BigEndian.AppendUint64(endpoint[:], uint64(generation)))
	return Secret{&b}
}

// Derive returns 32 bytes for a purpose. Nobody can compute them, or the key from them,
// without the key.
func (k Key) Derive(purpose string, of []byte) []byte {
	mac := hmac.New(sha256.New, k.raw())
	mac.Write([]byte(purpose)) // never fails
	mac.Write([]byte{0})
	mac.Write(of)
	return mac.Sum(nil)
}

// Secret signs the messages to an endpoint, and lets the receiver check them. A mask
// replaces it wherever it is printed, logged or encoded.
type Secret struct {
	bytes *[]byte
}

const secretPrefix = "whsec_"

// ParseSecret reads the text of Reveal. The error repeats none of it.
func ParseSecret(text string) (Secret, error) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(text, secretPrefix))
	if err != nil || len(b) == 0 {
		return Secret{}, errors.New("not a secret of a webhook: whsec_ and base64")
	}
	return Secret{&b}, nil
}

// Reveal returns the text of the secret: "whsec_" and base64. Show it once, to the one who
// asked for it, and never log it.
func (s Secret) Reveal() string {
	if s.bytes == nil {
		return ""
	}
	return secretPrefix + base64.StdEncoding.EncodeToString(*s.bytes)
}

const secretMask = secretPrefix + "…"

// Format writes a mask for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, secretMask) }

// MarshalText returns a mask, for encoders and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(secretMask), nil }

// Sign returns the signature of a message, as Standard Webhooks defines it: "v1," and the
// HMAC-SHA256 of identifier, time and body. The identifier has no dot.
func (s Secret) Sign(id string, at time.Time, body []byte) string {
	var key []byte
	if s.bytes != nil {
		key = *s.bytes
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + Timestamp(at) + ".")) // never fails
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Timestamp returns a time as in the header webhook-timestamp: in seconds since 1970.
func Timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// CheckKey fails with fault.Unavailable when the secret was derived from another key.
func (r SecretRef) CheckKey(id KeyID) error {
	if id != r.Key {
		return fault.New(fault.Unavailable,
			"this server has another key than the one behind the secret of the webhook: give it that key by PROBLEMS_WEBHOOK_KEY_FILE, or make a new secret")
	}
	return nil
}

// Sign returns the signatures of a message to the endpoint, separated by a space. For a day
// after a rotation there are several. It fails as CheckKey does.
func (e Endpoint) Sign(k Key, id string, at time.Time, body []byte) (string, error) {
	if err := e.Secret.CheckKey(k.ID()); err != nil {
		return "", err
	}
	var all []string
	for _, generation := range e.Secret.Generations(at) {
		all = append(all, k.Secret(e.ID, generation).Sign(id, at, body))
	}
	return strings.Join(all, " "), nil
}
