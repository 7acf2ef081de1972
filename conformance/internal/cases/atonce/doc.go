// Package atonce has the cases of concurrent Changes.
package atonce
