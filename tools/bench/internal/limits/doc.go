// Package limits measures the limits of the machine beside the service: bare HTTP
// handlers with the same answers, pgbench with the adapter's SQL, the port without
// HTTP, and syncs to the disk.
package limits
