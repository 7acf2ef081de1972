// Package harness has the types between the suite and the author of an adapter: how to
// open, crash and replicate stores, and their capabilities.
package harness
