package sqlstore

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/user"
)

// model has the statements for one of bun's models.
type model struct {
	table  string
	fields []*schema.Field
	read   string // reads all rows, in the order of the primary key
	put    string // stores a row, replacing the one with the same primary key
}

func newModels(dialect schema.Dialect) map[reflect.Type]model {
	models := make(map[reflect.Type]model)
	for _, row := range []any{stateRow{}, stateNextRow{}, priorityRow{}, classificationRow{}, componentRow{}, milestoneRow{}, userRow{}} {
		table := dialect.Tables().Get(reflect.TypeOf(row))
		models[table.Type] = newModel(table)
	}
	return models
}

func newModel(table *schema.Table) model {
	columns, keys := names(table.Fields), names(table.PKs)
	return model{
		table:  table.Name,
		fields: table.Fields,
		read:   "SELECT " + columns + " FROM " + table.Name + " ORDER BY " + keys,
		put:    insert(table.Name, columns, placeholders(len(table.Fields)), replacing(keys, columns)),
	}
}

func names(fields []*schema.Field) string {
	var all []string
	for _, field := range fields {
		all = append(all, field.Name)
	}
	return strings.Join(all, ", ")
}

// putModel stores a row, a pointer to one of the models, replacing the one with
// the same primary key.
func (w *writer) putModel(row any) {
	v := reflect.ValueOf(row).Elem()
	m := w.models[v.Type()]
	args := make([]any, len(m.fields))
	for i, field := range m.fields {
		args[i] = field.Value(v).Interface()
	}
	w.do(m.put, args...)
}

// all returns the query for all rows of a model; it appends their objects.
func all[Row, Object any](d *Dialect, objects *[]Object, object func(Row) Object) Query {
	m := d.models[reflect.TypeFor[Row]()]
	return Query{SQL: m.read, Row: func(scan func(...any) error) error {
		var row Row
		v := reflect.ValueOf(&row).Elem()
		into := make([]any, len(m.fields))
		for i, field := range m.fields {
			into[i] = field.Value(v).Addr().Interface()
		}
		if err := scan(into...); err != nil {
			return fmt.Errorf("table %s: %w", m.table, err)
		}
		*objects = append(*objects, object(row))
		return nil
	}}
}

// The models: metadata and users. Each has a function to make it from the domain's
// object, and a method for the way back.

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
	Mail     string
	RobotOf  uuid

	Preferences optionalText
}

func newUserRow(o user.User) *userRow {
	return &userRow{ID: uuid(o.ID), Name: o.Name, Email: o.Email, Inactive: o.Inactive, Mail: string(o.Mail), RobotOf: uuid(o.RobotOf), Preferences: optionalText(o.Preferences)}
}

func (r userRow) object() user.User {
	return user.User{ID: ident.ID(r.ID), Name: r.Name, Email: r.Email, Inactive: r.Inactive, Mail: user.Mail(r.Mail), Preferences: user.Preferences(r.Preferences), RobotOf: ident.ID(r.RobotOf)}
}
