package lease

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestFree(t *testing.T) {
	t.Parallel()
	held := Lease{Name: "work", Version: ident.ID{1}, Holder: ident.ID{7}}
	renewed := Lease{Name: "work", Version: ident.ID{2}, Holder: ident.ID{7}}
	given := Lease{Name: "work", Version: ident.ID{3}}
	type look struct {
		lease Lease
		ok    bool
		after time.Duration
		free  bool
	}
	for name, looks := range map[string][]look{
		"none yet":       {{Lease{}, false, 0, true}},
		"given back":     {{given, true, 0, true}},
		"held":           {{held, true, 0, false}, {held, true, Patience - 1, false}, {held, true, Patience, true}},
		"renewed":        {{held, true, 0, false}, {renewed, true, Patience, false}, {renewed, true, 2*Patience - 1, false}, {renewed, true, 2 * Patience, true}},
		"lost, and anew": {{held, true, 0, false}, {Lease{}, false, time.Second, true}, {held, true, 2 * time.Second, false}, {held, true, Patience + time.Second, false}},
	} {
		var w Watch
		for i, l := range looks {
			w.See(l.lease, l.ok, noon.Add(l.after))
			if got := w.Free(l.lease, l.ok, ident.ID{8}, noon.Add(l.after)); got != l.free {
				t.Errorf("%s: look %d: free is %t", name, i, got)
			}
		}
	}
}

// A server that has lost sight of its lease takes it again without waiting.
func TestOwnLeaseIsFree(t *testing.T) {
	t.Parallel()
	own := Lease{Name: "work", Version: ident.ID{1}, Holder: ident.ID{7}}
	for me, free := range map[ident.ID]bool{own.Holder: true, {8}: false, ident.None: false} {
		var w Watch
		w.See(own, true, noon)
		if got := w.Free(own, true, me, noon); got != free {
			t.Errorf("for %v, free is %t", me, got)
		}
	}
}

// A holder renews in time, stops before others begin, and others begin within ten seconds
// of its death: up to a second passes until they look.
func TestTimes(t *testing.T) {
	t.Parallel()
	if Renewal*2 > Hold {
		t.Error("one failed renewal ends the work")
	}
	if Hold >= Patience {
		t.Error("two servers work at a time")
	}
	if Patience+2*time.Second >= 10*time.Second {
		t.Error("the work moves too late")
	}
}
