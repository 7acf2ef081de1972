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
	// Shared cases concern only stores that are declared shared. They work
	// with two handles on the same data.
	Shared bool

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
	// Where one handle could show or do something else than another.
	between := slices.Concat(
		commitCases(),
		expectationCases(),
		orderCases(),
		outcomeCases(),
		viewCases(),
		catalogueCases(),
		versionCases(),
		restoreCases(),
		concurrentCases(),
		lifeCases(),
		randomCases(),
	)
	return slices.Concat(
		between,
		throughTwoHandles(between),
		peerCases(),
		effectCases(),
		cancelCases(),
		readCases(),
		dossierCases(),
		restoredCases(),
		textCases(),
		aliasCases(),
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
	b.open()
	c.run(b)
}
