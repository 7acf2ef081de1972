// Package replica has the cases of stores with a replica for fail-over.
package replica
