package tracker

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// previewFor is for how long a preview is good.
const previewFor = 15 * time.Minute

// Preview stands for what the dry run of a change of many problems has shown, so that
// exactly that is done. It holds no secret: who has the scope can do all that it
// allows. It is for those who want to see before.
type Preview struct {
	Now  time.Time // NOW() of the predicate
	Hash [32]byte  // of the user, the predicate, the patch, and all that came of it
}

// previewBytes is the length of a Preview as bytes.
const previewBytes = 8 + 32

// String returns the preview as clients keep it, without knowing what it is.
func (p Preview) String() string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, previewBytes), uint64(p.Now.UnixMilli()))
	return base64.RawURLEncoding.EncodeToString(append(b, p.Hash[:]...))
}

// ParsePreview reads what String has written. It fails with fault.MalformedRequest.
func ParsePreview(text string) (p Preview, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil && len(b) == previewBytes {
		p.Now = time.UnixMilli(int64(binary.BigEndian.Uint64(b))).UTC()
		copy(p.Hash[:], b[8:])
	}
	if p.Now.Year() <= 1 || p.Now.Year() > 9999 || p.String() != text {
		return Preview{}, fault.New(fault.MalformedRequest, "the preview is none that this service has made")
	}
	return p, nil
}

// check refuses a preview that is no longer good. Servers whose clocks differ a
// little take each other's.
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

// preview returns the preview of what would be done.
func (b bulk) preview(out ChangedProblems) Preview {
	// All that can be sent can be encoded, and members are in the order of their
	// names: it does not matter how the patch was written.
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
