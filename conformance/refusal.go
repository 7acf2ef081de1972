package conformance

import (
	"github.com/problemtracking/problems/domain/store"
)

// refusalCases are about capabilities that are declared not to be there: they
// have to be missing cleanly, and not half there.
func refusalCases() []Case {
	return []Case{{
		ID:    "SHARE-002",
		Rule:  "Where the data of a store cannot be open several times, opening it once more fails, or gives another store; the one that is open goes on as if nothing had happened.",
		Alone: true,
		run: func(b *bench) {
			p := b.furnished()
			before := b.image()
			again := b.h.Reopen
			if again == nil {
				again = b.h.Open
			}
			var second store.Store
			complaints := b.engine.Try(func(t T) {
				second = again(t, b.Env)
			})
			if len(complaints) == 0 {
				other := *b
				other.store = second
				b.equal("the number of problems in the other store", 0, len(other.image().Problems))
				other.seen = newScope()
				other.do(store.AddComment{Problem: other.create().ID, Comment: b.comment("elsewhere")})
				b.must("Close of the other store", second.Close())
			} else {
				b.Logf("opening it once more: %s", complaints[0])
			}
			b.equal("what is stored after it was opened once more", before, b.image())
			b.do(store.AddComment{Problem: p.ID, Comment: b.comment("still here")})
			if b.h.Caps.Durable == Yes {
				before = b.image()
				b.reopen()
				b.equal("what is stored when it is opened again after that", before, b.image())
			}
		},
	}, {
		ID:       "CLOSE-003",
		Rule:     "A store that is not durable is empty when it is opened again, and works.",
		Fleeting: true,
		run: func(b *bench) {
			b.furnished()
			b.do(store.PutToken{Token: b.token()})
			b.must("Close", b.store.Close())
			b.open()
			left := b.image()
			b.equal("what Versions returns", store.Versions{}, left.Versions)
			b.equal("the number of problems that are left", 0, len(left.Problems))
			b.equal("the number of tokens that are left", 0, len(left.Tokens))
			b.create()
		},
	}}
}
