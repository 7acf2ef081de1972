package problem

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// D49: somebody else can take a claim from 5 seconds after its expiry.
func TestTaken(t *testing.T) {
	t.Parallel()
	expires := time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)
	claim := Claim{ID: ident.ID{15: 1}, Expires: expires}
	for _, c := range []struct {
		claim Claim
		now   time.Time
		want  bool
	}{
		{Claim{}, expires, false},
		{claim, expires.Add(-time.Hour), true},
		{claim, expires, true},
		{claim, expires.Add(ClaimGrace - time.Millisecond), true},
		{claim, expires.Add(ClaimGrace), false},
	} {
		if got := c.claim.Taken(c.now); got != c.want {
			t.Errorf("%v at %v: taken %t", c.claim, c.now, got)
		}
	}
}

func TestClaimInLog(t *testing.T) {
	t.Parallel()
	claim := Claim{ID: ident.ID{15: 1}, Holder: ident.ID{15: 2}, Expires: time.Date(2015, 11, 5, 12, 0, 0, int(time.Millisecond), time.UTC)}
	logged := claim.Log(LogRef(claim.Holder, "Ann"))
	if got, ok := logged.Claim(); got != claim || !ok {
		t.Errorf("%s is read as %v, %t", logged, got, ok)
	}
	if none := (Claim{}).Log(""); none != "" {
		t.Errorf("no claim is logged as %s", none)
	}
	for _, wrong := range []LogValue{"", `{}`, `"x"`, LogRef(claim.Holder, "Ann")} {
		if got, ok := wrong.Claim(); ok {
			t.Errorf("%s is read as the claim %v", wrong, got)
		}
	}
}
