// Package conformance holds any storage adapter against the contract of package
// store. The author of an adapter writes this and nothing more:
//
//	func TestConformance(t *testing.T) {
//		open := func(t conformance.T, env conformance.Env) store.Store {
//			s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(env.Dir, "problems.db")})
//			if err != nil {
//				t.Fatalf("open: %v", err)
//			}
//			return s
//		}
//		conformance.Run(t, conformance.Harness{
//			Name:   "sqlite",
//			Open:   open,
//			Reopen: open,
//			Peer:   open,
//			Crash:  conformance.CutPower,
//			Caps:   conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.Yes},
//		})
//	}
//
// Every "must" of the contract has a case with its identifier; [Cases] lists them. Each
// case gets a store of its own, and the same clock and identifiers in every run. All
// cases run in parallel. They judge by the contract alone: never by the kind of store,
// and never by the text of an error.
//
// Cases are in layers, which reports call profiles: the rules one by one (port);
// random sequences, compared after every step with the plainest of stores and
// made short when they fail (model); many callers at once, whose histories have to
// have an order (concurrency); the same through two handles on the same data
// (sharing); being opened again, killed, losing what was not synced, and having a
// replica take over (durability); and moving everything to another store and back (migration).
// Package httpsuite does the like for servers.
//
// Optional capabilities are declared. A missing one has to be missing cleanly. Core cases
// hold for every store, extended ones for stores with more capabilities. A missing
// synchronous replica need not be declared.
//
// Durable stores may show a Change before it is safe. The cases of Confirm cut the power,
// or let a replica take over, right after the confirmation of such a Change. A store with
// durable Views alone has a Confirm with a nil result.
//
// These flags of go test are for it:
//
//	-conformance.run REGEXP      only the cases whose identifier matches
//	-conformance.seed N          the random choices of an earlier run
//	-conformance.long DURATION   cases with random choices go on that long
//	-conformance.rounds N        or have that many rounds at least
//	-conformance.patience DURATION  give up a case, or a round of it, after that
//	-conformance.version V       version of the implementation, for the report
//	-conformance.report DIR      report.json and report.md in DIR/NAME
//
// With -short, the cases with kills, power cuts and replicas are left out. The report has
// them as not run.
//
// [Execute] does the same without package testing, and returns the report.
package conformance
