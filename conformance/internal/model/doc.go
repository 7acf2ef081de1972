// Package model is the plainest of stores: maps in memory behind one lock. Random
// sequences compare the store under test with it.
package model
