package pages

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// column is how long a line of an example gets, in characters, where it can be divided.
const column = 56

// literal returns a value of the document as it stands in a request: JSON, or a text by
// itself. It returns "" for nil.
func literal(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := encode(v)
	if err != nil {
		return ""
	}
	return string(text)
}

// encode returns a value as JSON in one line, with "<" and its like as they are.
func encode(v any) (jsontext.Value, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	text := jsontext.Value(b.Bytes())
	err := text.Format(jsontext.Multiline(false), jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true))
	return text, err
}

// layOut returns an example in lines: JSON, or a text by itself. An object or array stays
// in one line when it is short. It returns "" for nil.
func layOut(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := encode(v)
	if v == nil || err != nil {
		return ""
	}
	var b strings.Builder
	divide(&b, text, "", 0)
	return b.String()
}

// divide writes a JSON value behind what the line has already.
func divide(b *strings.Builder, value jsontext.Value, indent string, used int) {
	if kind := value.Kind(); kind != '{' && kind != '[' || used+len([]rune(string(value))) < column {
		b.Write(value)
		return
	}
	deeper := indent + "  "
	d := jsontext.NewDecoder(bytes.NewReader(value))
	opening, _ := d.ReadToken() // the value is JSON: see encode
	b.WriteString(opening.String())
	for i := 0; ; i++ {
		part, err := next(d)
		if err == io.EOF {
			break
		}
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString("\n" + deeper)
		used := len(deeper)
		if opening.Kind() == '{' {
			b.Write(part)
			b.WriteString(": ")
			used += len([]rune(string(part))) + len(": ")
			part, _ = next(d)
		}
		divide(b, part, deeper, used)
	}
	b.WriteString("\n" + indent)
	b.WriteString(map[jsontext.Kind]string{'{': "}", '[': "]"}[opening.Kind()])
}

// next returns the next part of an object or array in one line. It fails with io.EOF at
// the end.
func next(d *jsontext.Decoder) (jsontext.Value, error) {
	if kind := d.PeekKind(); kind == '}' || kind == ']' {
		return nil, io.EOF
	}
	value, err := d.ReadValue()
	if err != nil {
		return nil, io.EOF
	}
	line := value.Clone()
	err = line.Format(jsontext.Multiline(false), jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true))
	return line, err
}

// command returns a line for a shell that sends a request of an operation. The variables
// API and TOKEN stand for the address of the API, and for a token. The query has the
// required parameters, and those in asked.
func command(op *huma.Operation, parameters []*huma.Param, asked []string) string {
	path, query := op.Path, []string(nil)
	for _, p := range parameters {
		value := literal(p.Example)
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case p.In == "query" && (p.Required || slices.Contains(asked, p.Name)):
			query = append(query, p.Name+"="+value)
		}
	}
	media, text := sent(op)
	line := "curl"
	if method := op.Method; method != "GET" && (method != "POST" || text == "") {
		line += " -X " + method
	}
	lines := []string{}
	switch {
	case len(query) == 0:
		line += ` "$API` + path + `"`
	case text == "" && op.Method == "GET":
		line += ` -G "$API` + path + `"`
		for _, q := range query {
			lines = append(lines, "--data-urlencode "+quote(q))
		}
	default:
		for i, q := range query {
			name, value, _ := strings.Cut(q, "=")
			query[i] = name + "=" + strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
		}
		line += ` "$API` + path + "?" + strings.Join(query, "&") + `"`
	}
	lines = append(lines, `-H "Authorization: $TOKEN"`)
	for _, p := range parameters {
		if p.In == "header" && p.Required {
			lines = append(lines, "-H "+quote(p.Name+": "+literal(p.Example)))
		}
	}
	if text != "" {
		lines = append(lines, "-H "+quote("Content-Type: "+media), "-d "+quote(text))
	}
	return strings.Join(append([]string{line}, lines...), " \\\n  ")
}

// sent returns the media type and the example of the first body of a request.
func sent(op *huma.Operation) (media, text string) {
	if op.RequestBody == nil {
		return "", ""
	}
	for _, media := range slices.Sorted(maps.Keys(op.RequestBody.Content)) {
		return media, layOut(op.RequestBody.Content[media].Example)
	}
	return "", ""
}

// quote returns a text as one word of a shell.
func quote(text string) string {
	if strings.Contains(text, "'") && !strings.ContainsAny(text, "\"$`\\!") {
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
