// Package harness has the types between the suite and the author of an adapter: how
// stores are opened, crashed and replicated, and what they can do.
package harness
