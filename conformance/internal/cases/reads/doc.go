// Package reads has the cases of Views: their moment, and the answers of each read in them.
package reads
