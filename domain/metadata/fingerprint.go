package metadata

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// Fingerprint is a digest of a catalogue's content.
type Fingerprint [sha256.Size]byte

// Fingerprint identifies the catalogue's content. Catalogues of equal content share it,
// with equal versions or not. A store after a move has another version and the same
// content. It is computed once.
func (c *Catalogue) Fingerprint() Fingerprint {
	c.fingerprinted.Do(func() { c.fingerprint = fingerprintOf(c.content) })
	return c.fingerprint
}

// fingerprintOf digests the content in its order. Each list begins with its length, and
// each value marks its own end. So no two contents have the same encoding.
func fingerprintOf(c Content) (f Fingerprint) {
	e := encoder{Hash: sha256.New()}
	digest(&e, c.States, func(o *State) {
		e.id(o.ID).text(o.Name).flag(o.Resolved).flag(o.Initial).number(o.Order).number(len(o.Next))
		for _, next := range o.Next {
			e.id(next)
		}
	})
	digest(&e, c.Priorities, func(o *Priority) { e.id(o.ID).text(o.Name).number(o.Order) })
	digest(&e, c.Classifications, func(o *Classification) { e.id(o.ID).text(o.Name) })
	digest(&e, c.Components, func(o *Component) {
		e.id(o.ID).text(o.Name).flag(o.Closed).id(o.Successor).id(o.Parent)
	})
	digest(&e, c.Milestones, func(o *Milestone) {
		e.id(o.ID).text(o.Name).id(o.Component).moment(o.Created).moment(o.Start).moment(o.End)
	})
	digest(&e, c.Users, func(o *user.User) {
		e.id(o.ID).text(o.Name).text(o.Email).text(string(o.Mail)).text(string(o.Preferences)).flag(o.Inactive).id(o.RobotOf)
	})
	e.Sum(f[:0])
	return f
}

// digest adds the objects to the digest, one at a time: all users together may be
// many megabytes.
func digest[T any](e *encoder, list []T, encode func(*T)) {
	e.number(len(list))
	for i := range list {
		encode(&list[i])
		e.flush()
	}
	e.flush()
}

// encoder buffers bytes for the digest.
type encoder struct {
	hash.Hash
	next []byte
}

func (e *encoder) flush() {
	e.Write(e.next) // never fails
	e.next = e.next[:0]
}

func (e *encoder) id(id ident.ID) *encoder {
	e.next = append(e.next, id[:]...)
	return e
}

func (e *encoder) text(s string) *encoder {
	e.next = append(binary.AppendUvarint(e.next, uint64(len(s))), s...)
	return e
}

func (e *encoder) number(n int) *encoder {
	e.next = binary.AppendVarint(e.next, int64(n))
	return e
}

func (e *encoder) flag(set bool) *encoder {
	if set {
		return e.number(1)
	}
	return e.number(0)
}

// moment does not encode the zone: stores need not keep it.
func (e *encoder) moment(at time.Time) *encoder {
	e.next = binary.AppendVarint(e.next, at.Unix())
	return e.number(at.Nanosecond())
}
