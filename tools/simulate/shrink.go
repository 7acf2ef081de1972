package simulate

import "slices"

// mostRuns is how many runs Shrink makes at most.
const mostRuns = 400

// Shrink removes the parts of a plan that are not needed to break the rule. It tries: run
// runs a plan and returns its broken rules. The returned plan breaks the rule, too.
func Shrink(plan Plan, rule Rule, run func(Plan) []Violation) Plan {
	runs := 0
	still := func(p Plan) bool {
		runs++
		return runs <= mostRuns && slices.ContainsFunc(run(p), func(v Violation) bool { return v.Rule == rule })
	}
	for before := -1; before != plan.size() && runs <= mostRuns; {
		before = plan.size()
		for part := max(1, (len(plan.Ops)+1)/2); part > 0; part /= 2 {
			for i := 0; i < len(plan.Ops); {
				smaller := plan
				smaller.Ops = slices.Delete(slices.Clone(plan.Ops), i, min(i+part, len(plan.Ops)))
				if still(smaller) {
					plan = smaller
				} else {
					i += part
				}
			}
		}
		for i := len(plan.Events) - 1; i >= 0; i-- {
			smaller := plan
			smaller.Events = slices.Delete(slices.Clone(plan.Events), i, i+1)
			if still(smaller) {
				plan = smaller
			}
		}
		for i := range plan.Ops {
			for _, simpler := range plan.Ops[i].simpler() {
				smaller := plan
				smaller.Ops = slices.Clone(plan.Ops)
				smaller.Ops[i] = simpler
				if still(smaller) {
					plan = smaller
				}
			}
		}
	}
	return plan
}

// simpler returns the operation with fewer failures.
func (o Op) simpler() (all []Op) {
	if o.Mishap != NoMishap {
		s := o
		s.Mishap = NoMishap
		all = append(all, s)
	}
	if o.Unsettled {
		s := o
		s.Unsettled = false
		all = append(all, s)
	}
	if o.Leaves > 0 {
		s := o
		s.Leaves = 0
		all = append(all, s)
	}
	return all
}

// size counts the removable parts.
func (p Plan) size() int {
	n := len(p.Ops) + len(p.Events)
	for _, op := range p.Ops {
		n += len(op.simpler())
	}
	return n
}
