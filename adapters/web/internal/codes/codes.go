// Package codes keeps codes that stand for tokens, to sign in once.
package codes

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/access"
)

// codeLife is how long a code works.
const codeLife = time.Hour

// Codes are codes for signing in, each once, within an hour, and only in this process. The
// zero Codes are empty. The methods may be called from many goroutines.
type Codes struct {
	mu    sync.Mutex
	codes map[[sha256.Size]byte]code
}

// code stands for a token.
type code struct {
	secret  access.Secret
	expires time.Time
}

// Issue returns a new code for the token with this secret. random is a source of random
// bytes fit for secrets.
func (c *Codes) Issue(secret access.Secret, random io.Reader, now time.Time) (string, error) {
	var bits [18]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString(bits[:])
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.codes == nil {
		c.codes = map[[sha256.Size]byte]code{}
	}
	c.codes[sha256.Sum256([]byte(text))] = code{secret, now.Add(codeLife)}
	return text, nil
}

// Take returns the token of a code, and uses the code up. undo makes the code valid again, until
// its old end, for a sign-in that failed. Take looks for a digest, so the time that it takes
// tells nothing about the codes. nil has no codes.
func (c *Codes) Take(text string, now time.Time) (secret access.Secret, undo func(), ok bool) {
	if c == nil {
		return access.Secret{}, nil, false
	}
	digest := sha256.Sum256([]byte(text))
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.codes[digest]
	delete(c.codes, digest)
	undo = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.codes[digest] = found
	}
	return found.secret, undo, ok && now.Before(found.expires)
}
