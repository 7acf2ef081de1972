// Package backend describes kinds of stores to the program "problems": a scheme of
// URLs, how to open, whether there is a schema to migrate, and how many processes can
// use one store. A [Kind] is a value with all of this.
//
// Package problems builds the program from kinds. It has three of its own. A storage
// adapter elsewhere adds its Kind to them:
//
//	func main() {
//		problems.Main(version, append(problems.BuiltIn(), backend.Kind{
//			Name:    "a bbolt file",
//			Schemes: []string{"bolt"},
//			File:    true,
//			Sharing: backend.Exclusive,
//			Open: func(ctx context.Context, o backend.Options) (store.Store, error) {
//				return boltstore.Open(ctx, boltstore.Options{Path: o.Path})
//			},
//		})...)
//	}
package backend
