package boltstore

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

// The buckets, with their keys and values. A number is 8 bytes and big-endian, an
// identifier 16 bytes. "position" is a number from the bucket's sequence, in ascending
// order. A value is the encoded form of the type named here.
const (
	problems      = "problems"      // problem -> problem.Problem
	revisions     = "revisions"     // problem -> identifier of the batch of its last write, its size
	keywords      = "keywords"      // problem, name -> problem.NullText
	entries       = "log"           // problem, position -> problem.LogEntry
	comments      = "comments"      // problem, position -> problem.Comment
	attachments   = "attachments"   // problem, position -> problem.Attachment
	claims        = "claims"        // problem -> problem.Claim
	savepoints    = "savepoints"    // problem, position -> store.Savepoint
	relationships = "relationships" // problem, code of the type, other problem -> relationship.Relationship
	watchers      = "watchers"      // problem, user -> nothing
	readers       = "readers"       // problem, user -> nothing

	states          = "states"          // identifier -> metadata.State
	priorities      = "priorities"      // and so on
	classifications = "classifications" //
	components      = "components"      //
	milestones      = "milestones"      //
	users           = "users"           //

	tokens           = "tokens"         // position -> access.Token
	tokenPositions   = "token places"   // identifier -> position
	queries          = "queries"        // position -> query.Saved
	queryPositions   = "query places"   // identifier -> position
	sessions         = "sessions"       // position -> access.Session
	sessionPositions = "session places" // identifier -> position
	webhooks         = "webhooks"       // position -> webhook.Webhook
	webhookPositions = "webhook places" // identifier -> position
	leases           = "leases"         // name -> lease.Lease
	auditLog         = "audit log"      // position -> audit.Entry
	feed             = "feed"           // number -> event.Entry

	batches = "batches" // identifier -> batch; hands out the positions of Receipts
	replies = "replies" // user, key -> store.Reply
	ages    = "ages"    // time, key in another bucket -> the name of the other bucket; see keep

	counters = "counters" // catalogueVersion or accessVersion -> number, identifier of the batch of its last raise
)

// buckets returns the names of all buckets.
func buckets() []string {
	return []string{
		problems, revisions, keywords, entries, comments, attachments, claims, savepoints, relationships, watchers, readers,
		states, priorities, classifications, components, milestones, users,
		tokens, tokenPositions, queries, queryPositions, sessions, sessionPositions, webhooks, webhookPositions,
		leases, auditLog, feed, batches, replies, ages, counters,
	}
}

// The keys in counters.
const (
	catalogueVersion = "catalogue"
	accessVersion    = "access"
)

// number returns a key, or the beginning of one, with the order of n. A negative number would
// come last, but no key has one.
func number[N ~int64 | ~uint64](n N) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(n))
}

func keywordKey(id problem.ID, name string) []byte { return append(number(id), name...) }

func userKey(id problem.ID, user ident.ID) []byte { return append(number(id), user[:]...) }

func replyKey(user ident.ID, key string) []byte { return append(user[:], key...) }

// relationshipKey sorts like Relationship.Compare among the relationships of one owner.
func relationshipKey(owner problem.ID, t relationship.Type, other problem.ID) []byte {
	return append(typeKey(owner, t), number(other)...)
}

// typeKey is the common prefix of a problem's relationships of one type.
func typeKey(owner problem.ID, t relationship.Type) []byte {
	return binary.BigEndian.AppendUint16(number(owner), uint16(t.Code()))
}

// timeSize is the length of a time in a key.
const timeSize = 8 + 4

// timeKey returns a key with the order of times, exact to the nanosecond. Seconds count
// from 1970, so the sign bit is flipped to put earlier times first.
func timeKey(at time.Time) []byte {
	seconds := uint64(at.Unix()) ^ 1<<63
	return binary.BigEndian.AppendUint32(number(seconds), uint32(at.Nanosecond()))
}

// timeOf returns the time at the beginning of a key.
func timeOf(key []byte) time.Time {
	seconds := binary.BigEndian.Uint64(key) ^ 1<<63
	return time.Unix(int64(seconds), int64(binary.BigEndian.Uint32(key[8:]))).UTC()
}

// ageKey is the key in ages for a key of another bucket.
func ageKey(at time.Time, key []byte) []byte { return slices.Concat(timeKey(at), key) }
