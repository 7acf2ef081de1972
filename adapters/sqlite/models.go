package sqlite

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/user"
)

// The rows of what bun reads and writes: metadata, users and tokens. Each has a
// function that makes it from the domain's object, and a method that returns
// that object.

type stateRow struct {
	bun.BaseModel `bun:"table:states"`

	ID       uuid `bun:",pk"`
	Name     string
	Resolved bool
	Initial  bool
	Rank     int
}

func newStateRow(o metadata.State) *stateRow {
	return &stateRow{ID: uuid(o.ID), Name: o.Name, Resolved: o.Resolved, Initial: o.Initial, Rank: o.Order}
}

// object leaves Next to be filled in.
func (r stateRow) object() metadata.State {
	return metadata.State{ID: ident.ID(r.ID), Name: r.Name, Resolved: r.Resolved, Initial: r.Initial, Order: r.Rank}
}

type stateNextRow struct {
	bun.BaseModel `bun:"table:state_next"`

	State uuid `bun:",pk"`
	Place int  `bun:",pk"` // in the order of metadata.State.Next
	Next  uuid
}

func (r stateNextRow) object() [2]ident.ID { return [2]ident.ID{ident.ID(r.State), ident.ID(r.Next)} }

type priorityRow struct {
	bun.BaseModel `bun:"table:priorities"`

	ID   uuid `bun:",pk"`
	Name string
	Rank int
}

func newPriorityRow(o metadata.Priority) *priorityRow {
	return &priorityRow{ID: uuid(o.ID), Name: o.Name, Rank: o.Order}
}

func (r priorityRow) object() metadata.Priority {
	return metadata.Priority{ID: ident.ID(r.ID), Name: r.Name, Order: r.Rank}
}

type classificationRow struct {
	bun.BaseModel `bun:"table:classifications"`

	ID   uuid `bun:",pk"`
	Name string
}

func newClassificationRow(o metadata.Classification) *classificationRow {
	return &classificationRow{ID: uuid(o.ID), Name: o.Name}
}

func (r classificationRow) object() metadata.Classification {
	return metadata.Classification{ID: ident.ID(r.ID), Name: r.Name}
}

type componentRow struct {
	bun.BaseModel `bun:"table:components"`

	ID        uuid `bun:",pk"`
	Name      string
	Closed    bool
	Successor uuid
	Parent    uuid
}

func newComponentRow(o metadata.Component) *componentRow {
	return &componentRow{ID: uuid(o.ID), Name: o.Name, Closed: o.Closed, Successor: uuid(o.Successor), Parent: uuid(o.Parent)}
}

func (r componentRow) object() metadata.Component {
	return metadata.Component{
		ID: ident.ID(r.ID), Name: r.Name, Closed: r.Closed,
		Successor: ident.ID(r.Successor), Parent: ident.ID(r.Parent),
	}
}

type milestoneRow struct {
	bun.BaseModel `bun:"table:milestones"`

	ID        uuid `bun:",pk"`
	Name      string
	Component uuid
	Created   moment
	StartDate moment
	EndDate   moment
}

func newMilestoneRow(o metadata.Milestone) *milestoneRow {
	return &milestoneRow{
		ID: uuid(o.ID), Name: o.Name, Component: uuid(o.Component),
		Created: moment(o.Created), StartDate: moment(o.Start), EndDate: moment(o.End),
	}
}

func (r milestoneRow) object() metadata.Milestone {
	return metadata.Milestone{
		ID: ident.ID(r.ID), Name: r.Name, Component: ident.ID(r.Component),
		Created: r.Created.time(), Start: r.StartDate.time(), End: r.EndDate.time(),
	}
}

type userRow struct {
	bun.BaseModel `bun:"table:users"`

	ID       uuid `bun:",pk"`
	Name     string
	Email    string
	Inactive bool
}

func newUserRow(o user.User) *userRow {
	return &userRow{ID: uuid(o.ID), Name: o.Name, Email: o.Email, Inactive: o.Inactive}
}

func (r userRow) object() user.User {
	return user.User{ID: ident.ID(r.ID), Name: r.Name, Email: r.Email, Inactive: r.Inactive}
}

type tokenRow struct {
	bun.BaseModel `bun:"table:tokens"`

	Position int64 `bun:",pk"` // stays as it was when the token is put again
	ID       uuid
	UserID   uuid
	Scope    string
	Digest   digest
	Created  moment
	Expires  moment
	Revoked  moment
}

func newTokenRow(o access.Token, position int64) *tokenRow {
	return &tokenRow{
		Position: position, ID: uuid(o.ID), UserID: uuid(o.User), Scope: string(o.Scope), Digest: digest(o.Digest),
		Created: moment(o.Created), Expires: moment(o.Expires), Revoked: moment(o.Revoked),
	}
}

func (r tokenRow) object() access.Token {
	return access.Token{
		ID: ident.ID(r.ID), User: ident.ID(r.UserID), Scope: access.Scope(r.Scope), Digest: access.Digest(r.Digest),
		Created: r.Created.time(), Expires: r.Expires.time(), Revoked: r.Revoked.time(),
	}
}

// load appends the objects of a table in the order of the given columns.
func load[Row, Object any](c *conn, objects *[]Object, object func(Row) Object, order ...string) error {
	if err := c.connect(); err != nil {
		return err
	}
	var rows []Row
	if err := c.session.NewSelect().Model(&rows).Order(order...).Scan(context.Background()); err != nil {
		return classify(err)
	}
	for _, row := range rows {
		*objects = append(*objects, object(row))
	}
	return nil
}

// put stores a row, replacing the one with the same identifier.
func (c *conn) put(row any) error {
	_, err := c.session.NewInsert().Model(row).On("CONFLICT (id) DO UPDATE").Exec(context.Background())
	if err != nil {
		return classify(err)
	}
	return nil
}

// putState stores a state with those that can follow it.
func (c *conn) putState(o metadata.State) error {
	if err := c.put(newStateRow(o)); err != nil {
		return err
	}
	if _, err := c.exec("DELETE FROM state_next WHERE state = ?", uuid(o.ID)); err != nil {
		return err
	}
	for place, next := range o.Next {
		_, err := c.exec("INSERT INTO state_next (state, place, next) VALUES (?, ?, ?)", uuid(o.ID), place, uuid(next))
		if err != nil {
			return err
		}
	}
	return nil
}
