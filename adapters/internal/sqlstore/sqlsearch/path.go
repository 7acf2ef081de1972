package sqlsearch

import (
	"fmt"
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
)

// variable is a row at the start of paths.
type variable struct {
	entity predicate.Entity
	alias  string // of its table; empty for a problem not yet joined
	// key is the number of a problem.
	key string
	// nullable is true when there may be no such row.
	nullable bool
	scope    *scope
	others   map[string]*variable // of a relationship, by key
}

// columns are the names of columns by entity and key.
var columns = map[predicate.Entity]map[string]string{
	predicate.Problem:    problemKeys("identifier", "id", "claim.holder", "claim_holder", "claim.expires", "claim_expires"),
	predicate.Savepoint:  problemKeys(),
	predicate.Keyword:    {"name": "name", "value": "value"},
	predicate.Comment:    {"author": "author", "creationDate": "created", "text": "text"},
	predicate.Attachment: {"name": "name", "mediaType": "media_type", "size": "size", "author": "author"},
	predicate.Log:        {"type": "type", "author": "author", "creationDate": "created"},
	predicate.Relationship: {
		"type": "type", "problemIdentifier": "other", "parentId": "owner",
	},
}

// problemKeys returns the columns of problems, by key: the columns shared with
// savepoints, and others.
func problemKeys(others ...string) map[string]string {
	keys := make(map[string]string)
	for _, f := range problem.AllFields() {
		keys[f.Name] = Column(f)
	}
	for i := 0; i < len(others); i += 2 {
		keys[others[i]] = others[i+1]
	}
	return keys
}

// listed are the tables of collections, each with the column of the problem's number. The
// deleted comments are places without content (D44), and deleted attachments records of the past.
var listed = map[string]struct{ table, letter, of string }{
	"history":       {"savepoints", "s", "problem"},
	"logs":          {"log", "l", "problem"},
	"keywords":      {"keywords", "k", "problem"},
	"comments":      {"(SELECT * FROM comments WHERE NOT deleted)", "c", "problem"},
	"attachments":   {"(SELECT * FROM attachments WHERE deleted IS NULL)", "f", "problem"},
	"relationships": {"relationships", "r", "owner"},
	"watchers":      {"watchers", "w", "problem"},
}

// indexed are the columns with an index and few rows for each value.
var indexed = map[predicate.Entity][]string{
	predicate.Problem:      {"assignee", "component", "milestone"},
	predicate.Savepoint:    {"modifier"},
	predicate.Keyword:      {"name"},
	predicate.Relationship: {"other"},
	predicate.User:         {"user_id"},
}

// dated are the times of problems with an index for the latest ones.
var dated = []string{"created", "modified", "resolved"}

// Indexed returns the columns for which searches count on an index, as "problems.assignee".
func Indexed() (all []string) {
	add := func(table string, columns []string) {
		for _, column := range columns {
			all = append(all, table+"."+column)
		}
	}
	add("problems", indexed[predicate.Problem])
	add("problems", dated)
	for _, key := range predicate.Keys(predicate.Problem) {
		if key.Type.Many {
			add(listed[key.Name].table, indexed[key.Type.Entity])
		}
	}
	return all
}

// operand is a value of a row, or a constant.
type operand struct {
	fragment
	kind     predicate.Kind
	nullable bool
	root     bool // it is of the problem of the search
	indexed  bool
	dated    bool
	begun    bool // an index has the beginning of the text
	// folded are the columns with folded forms of a String, from the least folded one to
	// the most.
	folded [3]string
	// value is the value of a constant. A constant has no fragment.
	constant bool
	value    predicate.Value
}

// touch marks the open scopes as dependent on the variable.
func (c *compiler) touch(v *variable) {
	for _, s := range c.scopes[v.scope.level+1:] {
		s.outer = true
	}
}

// row returns the alias of the variable's row. The first call joins the row.
func (c *compiler) row(v *variable) string {
	c.touch(v)
	if v.alias == "" {
		v.alias = c.alias("p")
		v.scope.from += " LEFT JOIN problems " + v.alias + " ON " + v.alias + ".id = " + v.key
	}
	return v.alias
}

// other returns the problem at an end of a relationship: child or parent.
func (c *compiler) other(v *variable, key string) *variable {
	if o := v.others[key]; o != nil {
		return o
	}
	o := &variable{entity: predicate.Problem, scope: v.scope}
	switch key {
	case "child":
		o.key, o.nullable = v.alias+".other", true
	case "parent":
		o.key = v.alias + ".owner"
	}
	if v.others == nil {
		v.others = make(map[string]*variable)
	}
	v.others[key] = o
	return o
}

// reach follows keys from a variable. To-many ones are joined to the scope. It returns
// the variable and the key of the value at the end of the path. The key is nil when the
// path ends at a row.
func (c *compiler) reach(s *scope, v *variable, steps []*predicate.Key) (*variable, *predicate.Key, error) {
	for i, key := range steps {
		switch {
		case v.entity == predicate.Relationship && (key.Name == "child" || key.Name == "parent"):
			v = c.other(v, key.Name)
		case key.Type.Many && v.entity == predicate.Problem && s != nil:
			v = c.list(s, v, key)
		case i == len(steps)-1:
			return v, key, nil
		default:
			return nil, nil, fmt.Errorf("no SQL for what is behind %s", key.Name)
		}
	}
	return v, nil, nil
}

// list joins a collection of a problem to the scope.
func (c *compiler) list(s *scope, owner *variable, key *predicate.Key) *variable {
	l := listed[key.Name]
	alias := c.alias(l.letter)
	c.touch(owner)
	if s.from == "" {
		s.from = l.table + " " + alias
	} else {
		s.from += " JOIN " + l.table + " " + alias + " ON " + alias + "." + l.of + " = " + owner.key
	}
	return &variable{entity: key.Type.Entity, alias: alias, scope: s}
}

// collection opens a collection in an empty scope, and binds its members to a slot. The
// scope's rows are for all problems: owner is the problem's number, and of is the column
// to compare with it.
func (c *compiler) collection(s *scope, path predicate.Path, slot int) (owner, of string, err error) {
	v, err := c.variable(path.Slot)
	if err != nil {
		return "", "", err
	}
	first := 0
	for first < len(path.Steps) && !path.Steps[first].Type.Many {
		first++
	}
	if first == len(path.Steps) {
		return "", "", fmt.Errorf("no SQL for the members of a path without a collection")
	}
	from, key, err := c.reach(nil, v, path.Steps[:first])
	if err != nil || key != nil || from.entity != predicate.Problem {
		return "", "", fmt.Errorf("no SQL for the members of a path: %v", err)
	}
	c.touch(from)
	member := c.list(s, from, path.Steps[first])
	of = member.alias + "." + listed[path.Steps[first].Name].of
	if member, key, err = c.reach(s, member, path.Steps[first+1:]); err != nil || key != nil {
		return "", "", fmt.Errorf("no SQL for the members of a path: %v", err)
	}
	c.variables[slot] = member
	return from.key, of, nil
}

func (c *compiler) variable(slot int) (*variable, error) {
	if v := c.variables[slot]; v != nil {
		return v, nil
	}
	return nil, fmt.Errorf("no SQL for a variable that is not bound")
}

// path returns the end of a path outside of the catalogue.
func (c *compiler) path(path predicate.Path) (operand, error) {
	v, err := c.variable(path.Slot)
	if err != nil {
		return operand{}, err
	}
	v, key, err := c.reach(nil, v, path.Steps)
	if err != nil {
		return operand{}, err
	}
	return c.value(v, key)
}

// value returns the value of a key of a row; without a key, the row itself.
func (c *compiler) value(v *variable, key *predicate.Key) (operand, error) {
	if key == nil {
		switch {
		case v.entity == predicate.User:
			c.touch(v)
			return operand{fragment: fragment{sql: v.alias + ".user_id"}, kind: predicate.Object, indexed: true}, nil
		case v.entity == predicate.Problem && v.nullable:
			return operand{fragment: fragment{sql: c.row(v) + ".id"}, kind: predicate.Object, nullable: true}, nil
		case v.entity == predicate.Problem:
			c.touch(v)
			return operand{fragment: fragment{sql: v.key}, kind: predicate.Object}, nil
		}
		return operand{}, fmt.Errorf("no SQL for a %s as a value", v.entity)
	}
	if key.Type.Kind == predicate.Bool {
		return c.flag(v, key)
	}
	column, ok := columns[v.entity][key.Name]
	if !ok || key.Type.Many {
		return operand{}, fmt.Errorf("no SQL for %s of a %s", key.Name, v.entity)
	}
	// A column for a reference can be NULL, even if the schema says otherwise.
	o := operand{kind: key.Type.Kind, nullable: key.Nullable || v.nullable || key.Type.Kind == predicate.Object, root: v.alias == "p"}
	o.indexed = slices.Contains(indexed[v.entity], column) && (o.root || v.entity != predicate.Problem)
	// The times of creation and change rise with the number, which PostgreSQL does not know. That of a
	// resolution does so less, and the estimates are good.
	o.dated = slices.Contains(dated, column) && o.root && (c.Blind || column != "resolved")
	o.begun = v.entity == predicate.Keyword && column == "value"
	o.sql = c.row(v) + "." + column
	if key.Folded && !c.Unfolded {
		o.folded = [3]string{o.sql, o.sql + "_c", o.sql + "_cd"}
	}
	return o, nil
}

// flag returns the value of a boolean key.
func (c *compiler) flag(v *variable, key *predicate.Key) (operand, error) {
	var holds fragment
	c.touch(v)
	switch {
	case v.entity == predicate.Log && key.Name == "isSignificant":
		holds = text(v.alias+".type NOT IN (", argument(string(problem.WatcherAdded)), ", ", argument(string(problem.WatcherRemoved)), ", ",
			argument(string(problem.CommentEdited)), ", ", argument(string(problem.CommentDeleted)), ", ", argument(string(problem.Redacted)), ", ",
			argument(string(problem.ClaimTaken)), ", ", argument(string(problem.ClaimEnded)), ")")
	case v.entity != predicate.Problem:
		return operand{}, fmt.Errorf("no SQL for %s of a %s", key.Name, v.entity)
	case key.Name == "watching":
		// They are few beside all problems, and the best to begin with.
		holds = text(v.key+" IN (SELECT problem FROM watchers WHERE user_id = ", argument(c.ID(c.as)), ")")
		holds.keyed = true
	case key.Name == "read":
		holds = text("EXISTS (SELECT 1 FROM reads WHERE problem = "+v.key+" AND user_id = ", argument(c.ID(c.as)), ")")
	case key.Name == "readByAssignee":
		holds = text("EXISTS (SELECT 1 FROM reads WHERE problem = " + v.key + " AND user_id = " + c.row(v) + ".assignee)")
	default:
		return operand{}, fmt.Errorf("no SQL for %s", key.Name)
	}
	if v.nullable {
		holds = text("CASE WHEN "+c.row(v)+".id IS NOT NULL THEN ", holds, " END")
	}
	keyed := holds.keyed && v.key == "p.id"
	o := operand{fragment: text("(", holds, ")"), kind: predicate.Bool, nullable: v.nullable}
	o.keyed = keyed
	return o, nil
}

// otherColumns are the columns with another name than their field.
var otherColumns = map[string]string{"creationDate": "created", "modificationDate": "modified", "resolveDate": "resolved"}

// Column returns the column of a field.
func Column(f *problem.Field) string {
	if column, ok := otherColumns[f.Name]; ok {
		return column
	}
	return f.Name
}
