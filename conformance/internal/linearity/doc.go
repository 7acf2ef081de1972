// Package linearity has the cases of many callers at once. Their histories must have
// an order in which one caller could have made them.
package linearity
