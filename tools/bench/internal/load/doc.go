// Package load prepares a store with the data set, and drives mixes of requests
// against a server while it counts answers, failures, latencies and CPU time.
package load
