// Package httpsuite holds a running server against the HTTP contract: the
// specification and the decisions D1 to D34, through real sockets and knowing
// nothing of the code behind them.
//
// Every case has an ID that never changes, the rule that it checks in words, and
// where the rule comes from. The server need not be empty: each case makes its own
// users and problems. It has to know the states, priorities and classifications
// of D2, and an administrator's token.
//
//	func TestServer(t *testing.T) {
//		httpsuite.Run(t, httpsuite.Target{BaseURL: "http://127.0.0.1:8080", AdminToken: token})
//	}
package httpsuite
