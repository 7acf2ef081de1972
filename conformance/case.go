package conformance

import (
	"context"
	"slices"
	"strings"
	"time"
)

// Case is one demand of the contract, with the check that a store meets it.
type Case struct {
	// ID begins with the tag of the rule in the comments of package store.
	// What follows a slash tells apart the cases of one rule.
	ID string
	// Rule says in words what must hold.
	Rule string
	// Durable cases concern only stores that are declared durable.
	Durable bool

	run func(*bench)
}

// Tag returns the tag of the rule in the comments of package store, such as
// COM-002.
func (c Case) Tag() string {
	tag, _, _ := strings.Cut(c.ID, "/")
	return tag
}

// Cases returns all cases of the suite.
func Cases() []Case {
	return slices.Concat(
		commitCases(),
		expectationCases(),
		effectCases(),
		orderCases(),
		cancelCases(),
		outcomeCases(),
		viewCases(),
		readCases(),
		textCases(),
		catalogueCases(),
		versionCases(),
		aliasCases(),
		concurrentCases(),
		lifeCases(),
		randomCases(),
	)
}

// patience is how long a case may take. A store that lets somebody wait for ever
// is found by it; nothing else depends on it.
const patience = 2 * time.Minute

// check runs the case on a store of its own.
func (c Case) check(t T, h Harness) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	b := &bench{T: t, Env: newEnv(t), ctx: ctx, c: c, h: h, seen: newScope()}
	b.author = b.ID()
	b.store = h.Open(t, b.Env)
	t.Cleanup(func() {
		if err := b.store.Close(); err != nil {
			t.Errorf("%s: after the case, Close failed: %v", c.ID, err)
		}
	})
	c.run(b)
}
