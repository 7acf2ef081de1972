package preview

import (
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// A preview is opaque text, and anything else is refused.
func TestPreview(t *testing.T) {
	t.Parallel()
	p := Preview{Now: time.Date(2015, 11, 5, 13, 0, 0, 123_000_000, time.UTC), Hash: [32]byte{1, 31: 255}}
	text := p.String()
	if got, err := Parse(text); err != nil || got != p {
		t.Errorf("read again: %v, %v, want %v", got, err, p)
	}
	for _, broken := range []string{"", " ", "x", text[1:], text + "A", text + "=", " " + text, text[:len(text)-1] + "_", Preview{}.String(), Preview{Now: time.Unix(1<<40, 0)}.String(), "________________________________________________________"} {
		if p, err := Parse(broken); !fault.Is(err, fault.MalformedRequest) {
			t.Errorf("%q is %v, %v", broken, p, err)
		}
	}
	for age, why := range map[time.Duration]string{
		0: "", Lifetime: "", -time.Minute: "",
		Lifetime + time.Millisecond: "older than 15 minutes", -Lifetime - time.Millisecond: "yet to come",
	} {
		err := p.Check(p.Now.Add(age))
		if why == "" && err != nil || why != "" && (!fault.Is(err, fault.PreviewRequired) || !strings.Contains(err.Error(), why)) {
			t.Errorf("a preview that is %v old: %v, want %q", age, err, why)
		}
	}
}
