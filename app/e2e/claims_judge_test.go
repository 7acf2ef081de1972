package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

// claimAttempt is what a claimer knows of one of its requests.
type claimAttempt struct {
	problem int64
	kind    string // take, comment, title, extend, finish
	claim   string // that was taken, or in the header Claim
	mark    string // unique; it is in the log of a comment, a title and a finish
	outcome outcome
	lost    bool // the answer was that the claim is lost

	began, ended time.Time
}

func (a claimAttempt) String() string {
	return fmt.Sprintf("%s %s of problem %d under claim %s", a.kind, a.mark, a.problem, a.claim)
}

// claimLine is an entry of the log of a problem.
type claimLine struct {
	taken, from string // identifiers of claims
	ended       string
	mark        string
	resolved    bool // the problem was finished
}

// judgeClaims compares the logs of all problems, in their order, with the attempts. The log of a
// problem is the order in which its writes happened, so the history is linearizable if each
// answer agrees with this order, and with the times of all other answers.
func judgeClaims(attempts []claimAttempt, logs map[int64][]claimLine) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	marks, takes := map[string]claimAttempt{}, map[string]claimAttempt{}
	over := map[string]time.Time{} // by claim: since when somebody knows that it is over
	known := func(claim string, a claimAttempt) {
		if since, ok := over[claim]; claim != "" && (!ok || a.ended.Before(since)) {
			over[claim] = a.ended
		}
	}
	for _, a := range attempts {
		switch {
		case a.kind == "take" && a.outcome == acknowledged:
			if _, twice := takes[a.claim]; twice {
				fault("two claimers got claim %s", a.claim)
			}
			takes[a.claim] = a
		case a.mark != "":
			marks[a.mark] = a
		}
		if a.lost || a.kind == "finish" && a.outcome == acknowledged {
			known(a.claim, a)
		}
	}
	times := map[string]int{} // by mark, or by the claim that was taken
	for _, problem := range slices.Sorted(maps.Keys(logs)) {
		current, finished, latest := "", 0, claimAttempt{}
		for _, line := range logs[problem] {
			var by claimAttempt
			switch {
			case line.taken != "":
				if line.from != current || finished > 0 {
					fault("claim %s of problem %d was taken over from %q, and %q had it; the problem was finished %d times", line.taken, problem, line.from, current, finished)
				}
				times[line.taken]++
				if by = takes[line.taken]; by.outcome == acknowledged {
					known(current, by)
				}
				current = line.taken
			case line.ended != "":
				if line.ended != current {
					fault("claim %s of problem %d was ended, and %q had it", line.ended, problem, current)
				}
				current = ""
			case line.mark != "":
				var attempted bool
				by, attempted = marks[line.mark]
				times[line.mark]++
				switch {
				case !attempted || by.problem != problem:
					fault("nobody attempted %s of problem %d", line.mark, problem)
				case by.outcome == rejected:
					fault("%v was refused, and is there", by)
				case by.claim != current:
					fault("%v was accepted, and %q had the problem", by, current)
				}
			}
			if line.resolved {
				finished++
			}
			if by.outcome != acknowledged {
				continue
			}
			if by.ended.Before(latest.began) {
				fault("%v began after the answer to %v, and was done before it", latest, by)
			}
			if by.began.After(latest.began) {
				latest = by
			}
		}
		if finished != 1 {
			fault("problem %d was finished %d times", problem, finished)
		}
	}
	for _, a := range attempts {
		id := a.mark
		if a.kind == "take" {
			id = a.claim
		}
		n := times[id]
		if a.kind != "extend" && a.outcome == acknowledged && n == 0 {
			fault("%v was acknowledged, and is lost", a)
		}
		if n > 1 {
			fault("%v is there %d times", a, n)
		}
		if since, ok := over[a.claim]; ok && a.outcome == acknowledged && a.began.After(since) {
			fault("%v was accepted after the claim was over", a)
		}
	}
	return faults
}

// TestJudgeClaims shows that the judge accepts a right history, and finds each fault in one.
func TestJudgeClaims(t *testing.T) {
	t.Parallel()
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	did := func(kind, claim, mark string, began int, how outcome) claimAttempt {
		return claimAttempt{problem: 1, kind: kind, claim: claim, mark: mark, outcome: how, began: at(began), ended: at(began + 1)}
	}
	type history struct {
		attempts []claimAttempt
		log      []claimLine
	}
	right := func() history {
		lost := did("title", "a", "late", 12, rejected)
		lost.lost = true
		return history{
			attempts: []claimAttempt{
				did("take", "a", "", 0, acknowledged), did("comment", "a", "first", 2, acknowledged), did("extend", "a", "e", 4, acknowledged),
				did("comment", "a", "unknown", 6, unknown), did("take", "b", "", 10, acknowledged), lost,
				did("title", "b", "second", 14, acknowledged), did("finish", "b", "end", 16, acknowledged),
			},
			log: []claimLine{
				{taken: "a"}, {mark: "first"}, {mark: "unknown"}, {taken: "b", from: "a"}, {mark: "second"}, {mark: "end"}, {resolved: true}, {ended: "b"},
			},
		}
	}
	if faults := judgeClaims(right().attempts, map[int64][]claimLine{1: right().log}); len(faults) > 0 {
		t.Errorf("of a right history: %q", faults)
	}
	insert := func(h *history, i int, line claimLine) { h.log = slices.Insert(h.log, i, line) }
	remove := func(h *history, i int) { h.log = slices.Delete(h.log, i, i+1) }
	for name, c := range map[string]struct {
		damage func(*history)
		want   string
	}{
		"a write with the old claim": {func(h *history) { insert(h, 4, claimLine{mark: "unknown"}); remove(h, 2) }, `accepted, and "b" had`},
		"a write without a claim":    {func(h *history) { insert(h, 0, claimLine{mark: "unknown"}); remove(h, 3) }, `accepted, and "" had`},
		"a refused write":            {func(h *history) { insert(h, 2, claimLine{mark: "late"}) }, "refused, and is there"},
		"a write of nobody":          {func(h *history) { insert(h, 2, claimLine{mark: "x"}) }, "nobody attempted"},
		"a lost write":               {func(h *history) { remove(h, 1) }, "is lost"},
		"a lost claim":               {func(h *history) { h.log[3] = claimLine{taken: "c", from: "a"} }, "take  of problem 1 under claim b was acknowledged, and is lost"},
		"a write twice":              {func(h *history) { insert(h, 1, claimLine{mark: "first"}) }, "there 2 times"},
		"a claim that two got":       {func(h *history) { h.attempts = append(h.attempts, h.attempts[0]) }, "two claimers"},
		"a claim that was held":      {func(h *history) { h.log[3].from = "" }, `taken over from ""`},
		"another claim is ended":     {func(h *history) { h.log[7].ended = "a" }, "was ended"},
		"never finished":             {func(h *history) { remove(h, 6) }, "finished 0 times"},
		"finished twice":             {func(h *history) { insert(h, 6, claimLine{resolved: true}) }, "finished 2 times"},
		"claimed after the end":      {func(h *history) { h.log = append(h.log, claimLine{taken: "c"}) }, "finished 1 times"},
		"an order against the clock": {func(h *history) { h.attempts[6].began, h.attempts[7].ended = at(20), at(18) }, "was done before it"},
		"extended after the loss":    {func(h *history) { h.attempts[2].began = at(14) }, "after the claim was over"},
		"extended after the taking":  {func(h *history) { h.attempts[2].began = at(12); h.attempts[5].lost = false }, "after the claim was over"},
		"extended after the finish": {func(h *history) {
			h.attempts = append(h.attempts, did("extend", "b", "e", 20, acknowledged))
		}, "after the claim was over"},
	} {
		h := right()
		c.damage(&h)
		faults := judgeClaims(h.attempts, map[int64][]claimLine{1: h.log})
		if !strings.Contains(strings.Join(faults, "\n"), c.want) {
			t.Errorf("%s: the faults are %q, want %q", name, faults, c.want)
		}
	}
}
