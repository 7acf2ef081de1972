// Package limits measures the limits of the machine beside the service: a bare HTTP handler
// with the same answers, and syncs to the disk.
package limits
