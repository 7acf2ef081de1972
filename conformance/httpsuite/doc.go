// Package httpsuite tests a running server against the HTTP contract of
// domain/rules. It speaks HTTP only, so the server can be written by anyone, in any
// language.
//
//	func TestServer(t *testing.T) {
//		target := httpsuite.Target{BaseURL: "http://127.0.0.1:8080", AdminToken: token}
//		httpsuite.Run(t, target, httpsuite.Options{})
//	}
//
// [Execute] does the same without package testing. The command problems-conformance
// does it from a terminal.
//
// Each [Case] has a permanent ID, a rule in words, and the tags of this rule with
// links to their pages. Core cases test the specification, and the decisions needed by
// every client. Extended cases test the rest.
//
// A failure shows the rule, its page, the expected and the actual answer, the latest
// requests of the case, and a command to repeat it. Tokens are masked in all output.
//
// # Requirements
//
// The server needs:
//
//   - an administrator's token
//   - the states, priorities and classifications of D2; further ones do no harm
//   - POST /users and POST /tokens (D30): cases make their own users
//   - the limits of D22, at their defaults
//
// A probe before the first case checks all but the limits. If it fails, the run is
// incomplete, and the report has no verdict on the contract.
//
// The store need not be empty. Other clients may use the server during a run, as long
// as they do not touch the problems, users and metadata of the cases. A case searches
// only for its own objects, follows the pages of lists, and retries where changes by
// others can disturb it for a moment.
//
// The base URL must lead to one server, not to a load balancer. Cases expect a server
// to refuse a token at once after it has revoked it. Other servers of the same store
// may take two seconds (D17).
//
// # Rate limits
//
// After a 429 the suite waits for the time in Retry-After, or for a second, and sends
// the request again. A case waits for half of its time at most ([Options].Limit).
// A 429 after this is a failure. A run at full speed needs a few thousand requests a
// minute.
//
// # Outages
//
// An outage during a run neither proves nor breaks the contract. When a connection is
// refused, or a 503 has a Retry-After, the server has done nothing. So the suite waits
// up to twenty seconds in all, and sends the request again. It never repeats a write
// with the answer outcome-unknown.
//
// A case is broken when the server stays away, drops a connection, or answers 502, 503
// or 504. A case with a complaint is broken too if the server was away while the case
// ran: the outage may be the cause. The run is incomplete then. The same holds for
// failures when the server refuses the administrator's token after the run.
//
// # Leftovers
//
// A run leaves objects behind, because the contract has no way to delete them. So use
// a server for tests. One run makes:
//
//   - about 1,000 problems, with comments, keywords and relationships
//   - about 250 users; each case makes its users inactive at its end, which revokes
//     their tokens
//   - about 40 components, closed at the end of their case, and as many milestones
//   - about 15 states, without a transition from the existing ones
//   - 10 priorities and 10 classifications
//
// Each name begins with its purpose and ends in twelve random letters and digits. The
// suite does not change existing objects.
package httpsuite
