package wire

import (
	"bytes"
	"encoding/csv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/store"
)

// MediaCSV is the media type of a table (RFC 4180, RFC 7111).
const MediaCSV = "text/csv; charset=utf-8; header=present"

// UsualColumns are the columns of a table unless the client chooses some (D56).
const UsualColumns = "identifier,title,state.name,priority.name,classification.name,component.fullName,milestone.name,assignee.name,due," +
	"originator.name,creationDate,modificationDate,resolveDate,revision"

// Columns are the columns of a table of problems: dotted names as in [ParseSelection].
type Columns []string

// Header writes the first line of a table, with the names of the columns. No line of a table ends
// by a line feed: the next one, or whoever sends the table, adds it.
func (e *Encoder) Header() { e.cells(e.Columns) }

// line writes a problem, without its log, as a line.
func (e *Encoder) line(s store.Snapshot) {
	record := Encoder{Catalogue: e.Catalogue, Only: e.Only, TokenNames: e.TokenNames}
	record.FoundProblem(s, false)
	cells := make([]string, len(e.Columns))
	for i, column := range e.Columns {
		cells[i] = cell(record.Buf, column)
	}
	e.Buf = append(e.Buf, '\n')
	e.cells(cells)
}

func (e *Encoder) cells(cells []string) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(cells) // a buffer takes everything
	w.Flush()
	e.Buf = append(e.Buf, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

// cell returns the value of a column: a text as it is, nothing for null, and else its JSON.
func cell(record jsontext.Value, column string) string {
	value := below(record, strings.Split(column, "."))
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
// array with the value of each element. The encoder wrote the text, so it can be read.
func below(value jsontext.Value, path []string) jsontext.Value {
	if len(path) == 0 {
		return value
	}
	if value.Kind() != '[' {
		var members map[string]jsontext.Value
		_ = json.Unmarshal(value, &members)
		return below(members[path[0]], path[1:])
	}
	var elements []jsontext.Value
	_ = json.Unmarshal(value, &elements)
	for i, element := range elements {
		elements[i] = below(element, path)
	}
	array, _ := json.Marshal(elements)
	return array
}
