package bench

import (
	"strings"

	"github.com/problemtracking/problems/conformance/report"
)

// Case is one demand of the contract, with a check of the store.
type Case struct {
	// ID never changes. It begins with the tag of the rule in the comments of package
	// store. A part after a slash tells apart the cases of one rule.
	ID string
	// Rule is the demand in words.
	Rule string
	// Profile is the case's group in reports.
	Profile string

	// Durable cases concern only stores declared durable. Fleeting cases concern only the
	// others.
	Durable, Fleeting bool
	// Shared cases concern only stores declared shared, and work with two handles on the
	// same data. Alone cases concern only the others.
	Shared, Alone bool
	// Crash cases need Harness.Crash. They concern durable stores.
	Crash bool
	// PowerCut cases are Crash cases with a loss of unsynced writes.
	PowerCut bool
	// Replicated cases concern only stores declared replicated. They make a store by
	// Harness.Replicate instead of Harness.Open.
	Replicated bool
	// Held cases need Harness.Hold.
	Held bool
	// Seeded cases make random choices: another seed shows more.
	Seeded bool

	Run func(*Bench)
}

// Level returns the weight of the case: extended for cases of optional capabilities, core
// for all others.
func (c Case) Level() report.Level {
	if c.Durable || c.Shared || c.Replicated || c.Held {
		return report.Extended
	}
	return report.Core
}

// Tag returns the tag of the rule in the comments of package store, such as
// COM-002.
func (c Case) Tag() string {
	tag, _, _ := strings.Cut(c.ID, "/")
	return tag
}

// Source says where the rule stands.
func (c Case) Source() string {
	kind, _, _ := strings.Cut(c.ID, "-")
	place := map[string]string{
		"COM": "Store.Commit", "OUT": "Store.Outcome", "CONF": "Store.Confirm", "VIEW": "Store.View", "ID": "Store.Reserve",
		"RES": "Store.Restore", "CLOSE": "Store.Close", "VER": "Versions", "READ": "Reader", "LAST": "LastReader", "FIND": "Reader.Search",
	}[kind]
	if place == "" {
		place = "Store"
	}
	return "package store, " + place + ", " + c.Tag()
}
