// Package report describes a run of the conformance suite, in forms for keeping and
// comparing: [Report.JSON] is the whole of it, and [Read] reads it again; [Report.Markdown] is
// for people in search of an implementation, and [Report.Text] for a terminal. [Write] writes
// the first two into a directory.
//
// A report is honest about its gaps. A case without a run has a reason. A run without a
// passed core case is never a pass, and neither is a failure of the harness. No form is
// better than the cases.
package report
