// Package preview identifies the result of a dry run of a change of many problems, as the
// permit for exactly this change.
package preview

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// Lifetime is that of a Preview.
const Lifetime = 15 * time.Minute

// Preview identifies the result of a dry run of a change of many problems. With it, the
// service makes exactly this change. A Preview is no secret and grants nothing beyond
// the caller's scope. It only helps callers to see the result before the change.
type Preview struct {
	Now  time.Time // NOW() of the predicate
	Hash [32]byte  // of the user, the predicate, the patch, and the result
}

// size is the length of a Preview as bytes.
const size = 8 + 32

// String returns the preview in an opaque form for clients.
func (p Preview) String() string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, size), uint64(p.Now.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(append(b, p.Hash[:]...))
}

// Parse reads the form of String. It fails with fault.MalformedRequest.
func Parse(text string) (p Preview, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil && len(b) == size {
		p.Now = time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC()
		copy(p.Hash[:], b[8:])
	}
	if p.Now.Year() <= 1 || p.Now.Year() > 9999 || p.String() != text {
		return Preview{}, fault.New(fault.MalformedRequest, "the preview was not made by this service")
	}
	return p, nil
}

// Check refuses an expired preview. Servers with slightly different clocks accept each
// other's previews.
func (p Preview) Check(now time.Time) error {
	switch age := now.Sub(p.Now); {
	case age > Lifetime:
		return Required("the preview is older than %d minutes", Lifetime/time.Minute)
	case age < -Lifetime:
		return Required("the preview is of a time that is yet to come: by this server's clock, in more than %d minutes", Lifetime/time.Minute)
	}
	return nil
}

// Required returns fault.PreviewRequired with a reason.
func Required(format string, args ...any) error {
	return fault.New(fault.PreviewRequired, format+": send the request with dryRun=true, look at the answer, and send it again with its preview", args...)
}
