package browser

import (
	"fmt"
	"testing"
)

// A list says how many changes came since it was loaded, and moves nothing.
func TestChangesAreCounted(t *testing.T) {
	t.Parallel()
	s := open(t, "memory:")
	s.api("POST", "/problems", map[string]any{"title": "The lamp is dark"})
	p := s.signedIn(s.token)
	p.must(p.Open("/problems?query=all"), p.Shows("The lamp is dark"))
	s.api("POST", "/problems", map[string]any{"title": "The fuse blows"})
	p.must(p.Shows("One change since this page was loaded."))
	for i := range 22 {
		s.api("POST", "/problems", map[string]any{"title": fmt.Sprintf("Problem %d", i)})
	}
	p.must(p.Shows("23 changes since this page was loaded."), p.Until("document.querySelectorAll('.problems tbody tr').length === 1"))
	p.must(p.Until("document.querySelector('.side .only-wide a[href$=open] small')?.textContent === '24'"))
	p.must(p.Click(".live a"), p.Shows("Problem 21"), p.Until("document.querySelector('.live').hidden"))
	p.clean()
}
