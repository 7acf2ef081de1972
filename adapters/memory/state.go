package memory

import (
	"hash/maphash"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/webhook"
)

// state is the content of the store at one moment. A published state never changes, nor
// does anything reachable from it.
type state struct {
	position  int64 // of its Commit
	versions  store.Versions
	problems  tree[*record]       // by number
	replies   tree[[]store.Reply] // by replyBucket
	tokens    []access.Token      // in the order of their first put
	queries   []query.Saved       // likewise
	sessions  []access.Session    // likewise
	webhooks  []*webhook.Webhook  // likewise; a webhook never changes
	leases    []lease.Lease
	audit     []audit.Entry // only grows, as the lists of a record do
	feed      []published   // likewise, but for forgetFeed
	forgotten int64         // the number of entries removed from the feed
	content   metadata.Content
	catalogue func() *metadata.Catalogue // of content
}

// record is a problem with all its parts.
type record struct {
	problem       problem.Problem
	batch         ident.ID // see snapshot.Snapshot
	size          int64    // see snapshot.Snapshot
	claim         problem.Claim
	keywords      []problem.Keyword           // by name
	relationships []relationship.Relationship // by Compare
	watchers      []ident.ID
	attachments   []problem.Attachment // in the order of their first put
	readers       []ident.ID           // the users who have read it

	// These only grow, unless a comment is replaced or texts are rewritten. The records of
	// successive states share one array, and each sees the length of its time.
	log        []entry
	comments   []problem.Comment
	savepoints []savepoint
}

// record returns the record of a problem, or nil when there is none.
func (s *state) record(id problem.ID) *record { return s.problems.get(uint64(id)) }

// empty reports whether there is nothing, in the sense of store.StoreEmpty. Of these
// things, only saved queries, sessions and webhooks are ever removed.
func (s *state) empty() bool {
	return s.problems == tree[*record]{} && s.versions == store.Versions{} && len(s.queries) == 0 && len(s.sessions) == 0 && len(s.webhooks) == 0 && len(s.audit) == 0 && len(s.feed) == 0
}

// seed makes the buckets of replies unpredictable.
var seed = maphash.MakeSeed()

// replyBucket returns the bucket for the reply to a user's key, one of 2^18: a bucket
// holds a few replies at most.
func replyBucket(user ident.ID, key string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.Write(user[:])
	h.WriteString(key)
	return h.Sum64() % (fan * fan * fan)
}

// reply returns the reply for a user's key.
func (s *state) reply(user ident.ID, key string) (store.Reply, bool) {
	bucket := s.replies.get(replyBucket(user, key))
	i := slices.IndexFunc(bucket, isReply(user, key))
	if i < 0 {
		return store.Reply{}, false
	}
	return bucket[i], true
}

func isReply(user ident.ID, key string) func(store.Reply) bool {
	return func(r store.Reply) bool { return r.User == user && r.Key == key }
}
