package handles

import (
	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/store"
)

// Refusal are about capabilities declared missing. Calls for them must fail cleanly, and
// change nothing.
func Refusal() []bench.Case {
	return []bench.Case{{
		ID:    "SHARE-002",
		Rule:  "Where the data of a store cannot be open several times, a second opening fails, or gives another store; the open store goes on as if nothing had happened.",
		Alone: true,
		Run:   openedOnceMore,
	}, {
		ID:       "CLOSE-003",
		Rule:     "A store without durability is empty when it is opened again, and works.",
		Fleeting: true,
		Run:      emptyAfterReopening,
	}}
}

func openedOnceMore(b *bench.Bench) {
	p := b.Furnished()
	before := b.Image()
	again := b.H.Reopen
	if again == nil {
		again = b.H.Open
	}
	var second store.Store
	complaints := b.Engine.Try(func(t harness.T) {
		second = again(t, b.Env)
	})
	if len(complaints) == 0 {
		other := *b
		other.Store = second
		b.Equal("the number of problems in the other store", 0, len(other.Image().Problems))
		other.Seen = bench.NewScope()
		other.Do(store.AddComment{Problem: other.Create().ID, Comment: b.Comment("elsewhere")})
		b.Must("Close of the other store", second.Close())
	} else {
		b.Logf("opening it once more: %s", complaints[0])
	}
	b.Equal("what is stored after it was opened once more", before, b.Image())
	b.Do(store.AddComment{Problem: p.ID, Comment: b.Comment("still here")})
	if b.H.Caps.Durable == harness.Yes {
		before = b.Image()
		b.Reopen()
		b.Equal("what is stored when it is opened again after that", before, b.Image())
	}
}

func emptyAfterReopening(b *bench.Bench) {
	b.Furnished()
	b.Do(store.PutToken{Token: b.Token()})
	b.Must("Close", b.Store.Close())
	b.Open()
	left := b.Image()
	b.Equal("what Versions returns", store.Versions{}, left.Versions)
	b.Equal("the number of problems that are left", 0, len(left.Problems))
	b.Equal("the number of tokens that are left", 0, len(left.Tokens))
	b.Create()
}
