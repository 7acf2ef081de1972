package transfer

import (
	"fmt"
	"strings"
)

// Fault reports an invalid record.
type Fault struct {
	Line int64 // the line of the record, from 1
	// Field is a JSON Pointer (RFC 6901) to the invalid member of the line. It is empty
	// for the line as a whole.
	Field string
	// Reason ends a sentence that begins with the member or the line, such as "must not
	// be empty".
	Reason string
}

// Error returns "line 17, /title: must not be empty".
func (f *Fault) Error() string {
	if f.Field == "" {
		return fmt.Sprintf("line %d: %s", f.Line, f.Reason)
	}
	return fmt.Sprintf("line %d, %s: %s", f.Line, f.Field, f.Reason)
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// Pointer returns the JSON Pointer to a member of the object at parent (RFC 6901,
// section 3).
func Pointer(parent, member string) string { return parent + "/" + escaper.Replace(member) }
