// Package linearity has the cases of many callers at once. A history must have an order:
// the same calls of one caller.
package linearity
