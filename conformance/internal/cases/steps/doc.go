// Package steps has the steps that cases of several packages share.
package steps
