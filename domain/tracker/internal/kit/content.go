package kit

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// The objects of the catalogue that most tests share: see NewContent.
var (
	Ann, Bob, Cat = ID(1), ID(2), ID(3) // Cat is inactive
	Eve1, Eve2    = ID(4), ID(5)        // share a name

	Open, Triage, InProgress, Closed, Archived = ID(11), ID(12), ID(13), ID(14), ID(15)
	Urgent, Low                                = ID(21), ID(22)
	Bug, Task                                  = ID(31), ID(32)
	CoreID, Network, Legacy                    = ID(41), ID(42), ID(43)
	First, CoreFirst                           = ID(51), ID(52)
)

// ID returns one of 256 identifiers.
func ID(n byte) ident.ID { return ident.ID{6: 0x70, 8: 0x80, 15: n} }

// CatalogueVersion is the version of Catalogue.
var CatalogueVersion = ident.Version{Number: 5, Batch: ID(201)}

// StoredBy is the batch that made the revision of the problem that most tests decide about.
var StoredBy = ID(202)

// Catalogue is the catalogue of NewContent.
var Catalogue = metadata.NewCatalogue(CatalogueVersion, NewContent())

// NewContent returns objects of every kind. Of some, several have one name.
func NewContent() metadata.Content {
	return metadata.Content{
		States: []metadata.State{
			{ID: Open, Name: "Open", Initial: true, Order: 1, Next: []ident.ID{InProgress, Closed}},
			{ID: Triage, Name: "Triage", Initial: true, Order: 1, Next: []ident.ID{Open}},
			{ID: InProgress, Name: "In Progress", Order: 2, Next: []ident.ID{Open, Closed}},
			{ID: Closed, Name: "Closed", Resolved: true, Order: 3, Next: []ident.ID{Open, Archived}},
			{ID: Archived, Name: "Archived", Resolved: true, Order: 4},
		},
		Priorities: []metadata.Priority{{ID: Urgent, Name: "Urgent", Order: 1}, {ID: Low, Name: "Low", Order: 2}},
		Classifications: []metadata.Classification{
			{ID: Bug, Name: "Incorrect Behavior"},
			{ID: Task, Name: "Task"},
		},
		Components: []metadata.Component{
			{ID: CoreID, Name: "Core"},
			{ID: Network, Name: "Network", Parent: CoreID},
			{ID: Legacy, Name: "Legacy", Closed: true, Successor: CoreID},
		},
		Milestones: []metadata.Milestone{
			{ID: First, Name: "1.0", Created: Noon},
			{ID: CoreFirst, Name: "1.0", Component: CoreID, Created: Noon, End: Noon.Add(time.Hour)},
		},
		Users: []user.User{
			{ID: Ann, Name: "Ann", Email: "ann@example.org"},
			{ID: Bob, Name: "Bob", Email: "bob@example.org"},
			{ID: Cat, Name: "Cat", Email: "cat@example.org", Inactive: true},
			{ID: Eve1, Name: "Eve", Email: "eve@example.org"},
			{ID: Eve2, Name: "Eve", Email: "eve@example.com"},
		},
	}
}

// Noon is when the problem of most tests was last changed. They decide an hour later, at Now.
var (
	Noon = time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)
	Now  = Noon.Add(time.Hour)
)

// At returns a moment with identifiers that are the same each time.
func At(t time.Time) changes.Moment {
	return changes.Moment{At: t, IDs: ident.NewSequence(t, [10]byte{9: 1})}
}

// BatchOf returns the identifier that a decision at the moment gives its batch:
// the first of the sequence.
func BatchOf(m changes.Moment) ident.ID { return m.IDs.Next() }

// Secret is that of the token of the first administrator.
var Secret = access.NewSecret([32]byte{31: 1})

// Key is the key of the secrets of webhooks.
var Key = webhook.NewKey([32]byte{31: 7})
