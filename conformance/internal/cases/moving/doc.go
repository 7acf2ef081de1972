// Package moving has the cases of Restore, and of moving everything between stores.
package moving
