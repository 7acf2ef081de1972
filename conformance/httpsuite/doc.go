// Package httpsuite holds a running server against the HTTP contract: the
// specification and the decisions in domain/rules, through real sockets and without
// any knowledge of the code behind them. The server may be anybody's, in any language.
//
//	func TestServer(t *testing.T) {
//		target := httpsuite.Target{BaseURL: "http://127.0.0.1:8080", AdminToken: token}
//		httpsuite.Run(t, target, httpsuite.Options{})
//	}
//
// [Execute] does the same without package testing, and the command
// problems-conformance from a terminal.
//
// Every case has an ID that never changes, the rule that it checks in words, and
// the tags of the rule, with the addresses of their pages. Core cases ask for what the specification itself
// demands, and for what clients of old cannot do without; extended ones for the
// rest (see [Case]). A failure tells the rule, its page, what was expected and what was seen,
// the latest requests of the case with their answers, and the command that repeats
// it. Tokens are masked wherever something is told.
//
// # What a server needs
//
// An administrator's token; the states, priorities and classifications of D2, beside
// others that it may have; POST /users and POST /tokens (D30), by which cases make
// users of their own; and the limits of D22 at their defaults. Whether all that is
// there, but for the limits, is asked before the first case: where it is not, the run
// is incomplete, and nothing is said about the contract.
//
// It need not be empty, and others may use it meanwhile, as long as they leave the
// problems, users and metadata of the cases alone: each case looks at what it has made
// itself, searches for that alone, follows the pages of lists, and repeats what a
// change by others can spoil for a moment. The cases expect that a revoked token is refused at once, which D17 demands
// of the server that revoked it and not of others that share its store: give the URL
// of one server, not of several behind a balancer.
//
// A rate limiter in front of the server is respected: an answer of 429 is no answer
// to the case, and the request is sent again after the time in Retry-After, or after
// a second when there is none. A case spends at most half of its time on that
// ([Options].Limit); what is answered with 429 then is a failure. A few thousand
// requests a minute are needed for a run that nobody wants to wait for.
//
// A server that goes away in the middle of a run has not broken the contract, and has
// not kept it either. A run waits for it, twenty seconds in all, when nobody listens or a
// 503 says Retry-After: then nothing was done, and the request is sent again. A write that
// is answered with outcome-unknown is never sent again. When the server stays away, drops a
// connection, or answers 502, 503 or 504, the case counts as broken, as do those that complain of something and were under
// way meanwhile, and the run is incomplete. The same holds for the failures of a run after which the
// administrator's token is refused.
//
// # What it leaves behind
//
// About 1,000 problems a run, with comments, keywords and relationships, which the
// contract does not let anybody delete; about 250 users, who are made inactive at the
// end of their case, so that their tokens are revoked and nobody takes them for people;
// about 40 components, which are closed then, and as many milestones; and some 15
// states, which no problem gets to from those that were there, and 10 priorities and
// classifications each. So the server had better be one for tests. Their names begin
// with what they were made for and end in twelve random letters and digits. Nothing
// that was there before is changed.
package httpsuite
