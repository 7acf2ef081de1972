package tracker

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// previewFor is the lifetime of a preview.
const previewFor = 15 * time.Minute

// Preview identifies the result of a dry run of a change of many problems. With it, the
// service makes exactly this change. A Preview is no secret and grants nothing beyond
// the caller's scope. It only helps callers to see the result before the change.
type Preview struct {
	Now  time.Time // NOW() of the predicate
	Hash [32]byte  // of the user, the predicate, the patch, and the result
}

// previewBytes is the length of a Preview as bytes.
const previewBytes = 8 + 32

// String returns the preview in an opaque form for clients.
func (p Preview) String() string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, previewBytes), uint64(p.Now.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(append(b, p.Hash[:]...))
}

// ParsePreview reads the form of String. It fails with fault.MalformedRequest.
func ParsePreview(text string) (p Preview, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil && len(b) == previewBytes {
		p.Now = time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC()
		copy(p.Hash[:], b[8:])
	}
	if p.Now.Year() <= 1 || p.Now.Year() > 9999 || p.String() != text {
		return Preview{}, fault.New(fault.MalformedRequest, "the preview was not made by this service")
	}
	return p, nil
}

// check refuses an expired preview. Servers with slightly different clocks accept each
// other's previews.
func (p Preview) check(now time.Time) error {
	switch age := now.Sub(p.Now); {
	case age > previewFor:
		return previewRequired("the preview is older than %d minutes", previewFor/time.Minute)
	case age < -previewFor:
		return previewRequired("the preview is of a time that is yet to come: by this server's clock, in more than %d minutes", previewFor/time.Minute)
	}
	return nil
}

func previewRequired(format string, args ...any) error {
	return fault.New(fault.PreviewRequired, format+": send the request with dryRun=true, look at the answer, and send it again with its preview", args...)
}

// preview returns the preview of the change.
func (b bulk) preview(out ChangedProblems) Preview {
	// All patches can be encoded, and members are in the order of their names. So the
	// form of the sent patch does not matter.
	patch, err := json.Marshal(b.cmd.ProblemPatch)
	if err != nil {
		panic("tracker: a patch cannot be encoded: " + err.Error())
	}
	parts := []string{fmt.Sprint(b.now.UnixMilli()), b.caller.User.String(), b.text, string(patch)}
	for _, s := range b.problems {
		parts = append(parts, fmt.Sprintf("%d@%d %v", s.ID, s.Revision, s.Batch))
	}
	for _, c := range out.Changes {
		parts = append(parts, fmt.Sprintf("changes %d", c.ID))
		for _, f := range c.Fields {
			parts = append(parts, f.Field, f.From.JSON(), f.To.JSON())
		}
	}
	for _, r := range out.Refused {
		parts = append(parts, fmt.Sprintf("refused %d", r.ID), string(r.Err.Kind))
	}
	return Preview{Now: b.now, Hash: fingerprint(parts...)}
}
