// Package report says what a run of the conformance suite found, in forms that
// can be kept and compared: [Report.JSON] is the whole of it, and [Read] reads it
// again; [Report.JUnit] is for CI systems, [Report.Markdown] and [Report.Badge]
// for people who choose an implementation, and [Report.Text] for a terminal.
// [Write] writes them into a directory.
//
// A report is honest about what it does not know: a case that was not run has a
// reason, a run without one passed core case is a failure, and what the harness
// could not do is never a pass. No form says better things than the cases do.
package report
