// Package bench is the workbench of a case: a store of its own, the means to write to
// it, read from it and complain about it, and images of everything in it.
package bench
