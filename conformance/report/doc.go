// Package report says what a run of the conformance suite found, in forms that
// can be kept and compared: [Report.JSON] is the whole of it, and [Read] reads it
// again; [Report.JUnit] is for CI systems, [Report.Markdown] and [Report.Badge]
// for people who choose an implementation, and [Report.Text] for a terminal.
// [Write] writes them into a directory.
//
// A report is honest about what it does not know: a case that was not run has a
// reason, a run in which no core case was passed is never a pass, and neither is
// what the harness could not do. No form says better things than the cases do.
package report
