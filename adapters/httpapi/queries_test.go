package httpapi

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
)

// A saved query is named by its identifier, or by a URL whose last path segment is
// one. A title after it does not count, whatever it looks like.
func TestSavedIdentifier(t *testing.T) {
	t.Parallel()
	id, other := samples.Query().ID, samples.Identifier(99).String()
	for _, before := range []string{"", "/queries/", "queries/", "ship://Query/", "ship:Query/", "https://example.org/base" + api + "/queries/", "https://example.org/#/q/", "https://example.org/?q=", " "} {
		for _, after := range []string{"", "/", "#", "#top", "?x=1#y", "#50%", " Open", " <Open, mine>", "<Open, mine>", "\u00a0Open", "\tOpen", "\nOpen/" + other, " <Open/mine?x=" + other + ">", "/ <" + other, "%20%3COpen%3E", "%20Open/" + other, " 50% #1"} {
			if strings.ContainsAny(before, "?#") && strings.ContainsAny(after, "?#/%") {
				continue // the identifier is in no path there, so nothing but a title ends it
			}
			for _, name := range []string{id.String(), strings.ToUpper(id.String())} {
				if got := savedIdentifier(before + name + after); got != id {
					t.Errorf("%q names %v", before+name+after, got)
				}
			}
		}
	}
	for _, text := range []string{
		"", " ", "x", "<" + id.String() + ">", "Open " + id.String(), "ship://Query/ " + id.String(), "ship://Query/" + id.String() + "0",
		"ship://Query/" + id.String() + "/x", "ship://Query/" + id.String() + ",Open", "ship://Query/%zz" + id.String(),
	} {
		if got := savedIdentifier(text); !got.IsNone() {
			t.Errorf("%q names %v", text, got)
		}
	}
}
