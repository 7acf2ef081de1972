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
//			Open:   open,
//			Reopen: open,
//			Peer:   open,
//			Caps:   conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.Yes},
//		})
//	}
//
// Every sentence of the contract that says "must" has a case that bears its
// identifier; [Cases] lists them. Each case gets a store of its own, and all run
// in parallel. Where it matters, stores that can be open several times on the
// same data are held to the rules once more through two handles. What a case
// sees is judged by the contract alone: never by which store it is, and never by
// the text of an error. One case draws its Changes at random: it prints the value
// of the flag -conformance.seed that repeats it.
package conformance
