package wire

import (
	"strconv"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
)

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// pointer returns the JSON Pointer to a place in the body (RFC 6901, section 3). It is
// empty for the body as a whole.
func pointer(at fault.Location) string {
	var b strings.Builder
	for _, step := range at.Steps() {
		b.WriteByte('/')
		if step.Element {
			b.WriteString(strconv.Itoa(step.Index))
		} else {
			b.WriteString(escaper.Replace(step.Name))
		}
	}
	return b.String()
}
