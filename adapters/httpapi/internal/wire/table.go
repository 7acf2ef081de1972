package wire

import (
	"bytes"
	"encoding/csv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/snapshot"
)

// MediaCSV is the media type of a table (RFC 4180, RFC 7111).
const MediaCSV = "text/csv; charset=utf-8; header=present"

// UsualColumns are the columns of a table unless the client chooses some (D56).
const UsualColumns = "identifier,title,state.name,priority.name,classification.name,component.fullName,milestone.name,assignee.name,due," +
	"originator.name,creationDate,modificationDate,resolveDate,revision"

// Table has the columns of problems as a table. The copies of an Encoder share it.
type Table struct {
	columns []string
	paths   [][]string // of the columns
	cells   []string   // of a line
	lines   bytes.Buffer
	csv     *csv.Writer
}

// NewTable returns a table with the columns in a text that [ParseSelection] reads.
func NewTable(columns string) *Table {
	t := &Table{columns: strings.Split(columns, ",")}
	for _, column := range t.columns {
		t.paths = append(t.paths, strings.Split(column, "."))
	}
	t.cells, t.csv = make([]string, len(t.columns)), csv.NewWriter(&t.lines)
	return t
}

// Header writes the first line of the table, with the names of the columns. No line of a table ends
// by a line feed: the next one, or whoever sends the table, adds it.
func (e *Encoder) Header() { e.cells(e.Table.columns) }

// line writes a problem, without its log, as a line.
func (e *Encoder) line(s snapshot.Snapshot) {
	record := Encoder{Catalogue: e.Catalogue, Only: e.Only, TokenNames: e.TokenNames}
	record.FoundProblem(s, false)
	e.Table.fill(record.Buf)
	e.Buf = append(e.Buf, '\n')
	e.cells(e.Table.cells)
}

func (e *Encoder) cells(cells []string) {
	if len(cells) == 1 && cells[0] == "" { // readers take an empty line for none
		e.Buf = append(e.Buf, `""`...)
		return
	}
	t := e.Table
	t.lines.Reset()
	_ = t.csv.Write(cells) // a buffer takes everything
	t.csv.Flush()
	e.Buf = append(e.Buf, bytes.TrimSuffix(t.lines.Bytes(), []byte("\n"))...)
}

// fill sets the cells to the values of a record.
func (t *Table) fill(record jsontext.Value) {
	members := membersIn(record)
	for i, path := range t.paths {
		t.cells[i] = cell(below(members[path[0]], path[1:]))
	}
}

// membersIn returns the members of an object; none of null. The encoder wrote the text, so it can
// be read.
func membersIn(object jsontext.Value) (members map[string]jsontext.Value) {
	_ = json.Unmarshal(object, &members)
	return members
}

// cell returns a value as a cell: a text as it is, nothing for null, and else its JSON.
func cell(value jsontext.Value) string {
	if len(value) == 0 || value.Kind() == 'n' {
		return ""
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// below returns the value at the end of a path, or nothing below null. Below an array, it is an
// array with the value of each element.
func below(value jsontext.Value, path []string) jsontext.Value {
	if len(path) == 0 {
		return value
	}
	if value.Kind() != '[' {
		return below(membersIn(value)[path[0]], path[1:])
	}
	var elements []jsontext.Value
	_ = json.Unmarshal(value, &elements)
	for i, element := range elements {
		elements[i] = below(element, path)
	}
	array, _ := json.Marshal(elements)
	return array
}
