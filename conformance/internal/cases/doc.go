// Package cases has the cases of the contract, rule by rule.
package cases
