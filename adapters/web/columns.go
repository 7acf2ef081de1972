package web

import (
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/links"
	columnset "github.com/problemtracking/problems/domain/column"
)

// column is a column of the list.
type column struct {
	Name string // in the address, and in the key of its text
	// Sort is the key of the order by this column.
	Sort string
	// Link orders by this column: ascending first, and descending then.
	Link string
	// Order is "ascending" or "descending" while the list has this order.
	Order string
}

var columns = []column{
	{Name: "state", Sort: "state.order"},
	{Name: "priority", Sort: "priority.order"},
	{Name: "assignee", Sort: "assignee.name"},
	{Name: "component", Sort: "component.fullName"},
	{Name: "milestone", Sort: "milestone.endDate"},
	{Name: "due", Sort: "due"},
	{Name: "classification", Sort: "classification.name"},
	{Name: "originator", Sort: "originator.name"},
	{Name: "created", Sort: "creationDate"},
	{Name: "modified", Sort: "modificationDate"},
}

// fixedColumns are in each list.
var fixedColumns = []column{{Name: "number", Sort: "identifier"}, {Name: "title", Sort: "title"}}

var usualColumns = []string{"state", "assignee", "component", "modified"}

type columnChoice struct {
	Name  string
	Shown bool
}

// sortChoice is an order to choose.
type sortChoice struct {
	Value    string
	Column   string // empty: the order is of no single column
	Down     bool
	Selected bool
}

// shownColumns returns the names of columns in addresses.
func shownColumns(of columnset.List) (names []string) {
	for _, c := range columns {
		if slices.Contains(of.Names(), c.member()) {
			names = append(names, c.Name)
		}
	}
	return names
}

// storedColumns returns columns as a saved query has them. Unknown names count for nothing.
func storedColumns(names []string) string {
	var members []string
	for _, c := range columns {
		if slices.Contains(names, c.Name) {
			members = append(members, c.member())
		}
	}
	return strings.Join(members, ",")
}

// member is the name of the column in saved queries (D57).
func (c column) member() string {
	switch c.Name {
	case "created", "modified":
		return c.Sort
	}
	return c.Name
}

// arrange selects the columns, and links each to its order.
func (v *listPage) arrange(base string, asked []string) {
	first, _, _ := strings.Cut(v.Sort, ",")
	v.Number, v.Name = fixedColumns[0].ordered(base, first, v.Parameters), fixedColumns[1].ordered(base, first, v.Parameters)
	v.Sorts = sortChoices(v.Sort)
	for _, c := range columns {
		if slices.Contains(asked, c.Name) {
			v.Shown = append(v.Shown, c.ordered(base, first, v.Parameters))
		}
	}
	v.Columns = columnChoices(asked)
}

// columnChoices returns all columns, and which are shown.
func columnChoices(shown []string) (all []columnChoice) {
	for _, c := range columns {
		all = append(all, columnChoice{c.Name, slices.Contains(shown, c.Name)})
	}
	return all
}

// sortChoices returns the orders by each column, and the current one.
func sortChoices(current string) (choices []sortChoice) {
	known := false
	for _, c := range slices.Concat(fixedColumns, columns) {
		for _, down := range []bool{false, true} {
			choice := sortChoice{Value: c.Sort, Column: c.Name, Down: down}
			if down {
				choice.Value = "-" + c.Sort
			}
			choice.Selected = choice.Value == current
			known = known || choice.Selected
			choices = append(choices, choice)
		}
	}
	if !known && current != "" {
		choices = append([]sortChoice{{Value: current, Selected: true}}, choices...)
	}
	return choices
}

// ordered returns the column with its link, for a list with this order.
func (c column) ordered(base, first string, parameters url.Values) column {
	next := c.Sort
	switch first {
	case c.Sort:
		c.Order, next = "ascending", "-"+c.Sort
	case "-" + c.Sort:
		c.Order = "descending"
	}
	c.Link = base + "/problems" + links.Suffix(links.With(parameters, "sort", next))
	return c
}
