package report

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A JSON value that is an object.
type object = map[string]any

func schema(t *testing.T) object {
	t.Helper()
	var s object
	if err := json.Unmarshal([]byte(JSONSchema()), &s); err != nil {
		t.Fatalf("the schema is not JSON: %v", err)
	}
	return s
}

func definition(t *testing.T, name string) object {
	t.Helper()
	d, ok := schema(t)["$defs"].(object)[name].(object)
	if !ok {
		t.Fatalf("the schema does not define %s", name)
	}
	return d
}

// The schema is held against the types: it defines each struct with its members,
// demands those that are always written, and gives each the type that it has.
func TestSchemaHasAllMembers(t *testing.T) {
	t.Parallel()
	structs := make(map[reflect.Type]bool)
	collect(reflect.TypeFor[Report](), structs)
	if len(structs) < 8 {
		t.Fatalf("of the structs of a report only %v were found", structs)
	}
	for s := range structs {
		d := definition(t, s.Name())
		members, required := d["properties"].(object), texts(d["required"])
		var names []string
		for f := range s.Fields() {
			name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
			if always := option != "omitempty"; always != slices.Contains(required, name) {
				t.Errorf("%s.%s is always written: %v; the schema demands it: %v", s.Name(), f.Name, always, !always)
			}
			if member, ok := members[name].(object); ok {
				checkType(t, s.Name()+"."+f.Name, f.Type, member)
			}
		}
		if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, slices.Sorted(slices.Values(names))) {
			t.Errorf("%s has the members %v, and in the schema %v", s.Name(), names, got)
		}
	}
}

// collect collects the structs that a type is made of.
func collect(of reflect.Type, into map[reflect.Type]bool) {
	switch of.Kind() {
	case reflect.Struct:
		if of == reflect.TypeFor[time.Time]() {
			return
		}
		into[of] = true
		for f := range of.Fields() {
			collect(f.Type, into)
		}
	case reflect.Slice, reflect.Pointer:
		collect(of.Elem(), into)
	}
}

func checkType(t *testing.T, where string, of reflect.Type, member object) {
	t.Helper()
	want := object{}
	switch {
	case of.Kind() == reflect.Pointer:
		checkType(t, where, of.Elem(), member)
		return
	case of == reflect.TypeFor[time.Time]():
		want = object{"type": "string", "format": "date-time"}
	case of.PkgPath() != "":
		want = object{"$ref": "#/$defs/" + of.Name()}
	case of.Kind() == reflect.Slice:
		want = object{"type": "array"}
		checkType(t, where+"[]", of.Elem(), member["items"].(object))
	case of.Kind() == reflect.Map:
		want = object{"type": "object"}
	case of.Kind() == reflect.Int:
		want = object{"type": "integer"}
	case of.Kind() == reflect.Bool:
		want = object{"type": "boolean"}
	case member["const"] == nil && member["enum"] == nil:
		want = object{"type": "string"}
	}
	for key, value := range want {
		if member[key] != value {
			t.Errorf("%s has the %s %v in the schema where %v was expected", where, key, member[key], value)
		}
	}
}

// The values of the schema are the constants of the source.
func TestSchemaHasAllValues(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "report.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Level", "Status", "Result"} {
		want := constants(t, file, name)
		if got := texts(definition(t, name)["enum"]); len(want) < 2 || !slices.Equal(got, want) {
			t.Errorf("%s has the values %q, and in the schema %q", name, want, got)
		}
	}
	if got := definition(t, "Report")["properties"].(object)["schema"].(object)["const"]; got != Schema {
		t.Errorf("the schema demands the schema %q where %q was expected", got, Schema)
	}
}

// constants returns the values of the constants of a type, in their order.
func constants(t *testing.T, file *ast.File, of string) (values []string) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == of {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		return true
	})
	return values
}

func TestSchemaTakesReports(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, r *Report) {
		for _, complaint := range violations(t, written(t, r)) {
			t.Error(complaint)
		}
	})
	empty := new(Report)
	empty.Conclude()
	for _, complaint := range append(violations(t, written(t, empty)), violations(t, written(t, conformant()))...) {
		t.Error(complaint)
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	whole := written(t, example(plain))
	for _, test := range []struct{ old, new, want string }{
		{"report/1", "report/2", "$.schema"},
		{`"cpus": 2`, `"cpus": 2.5`, "$.environment.cpus"},
		{`"cpus": 2`, `"cpu": 2`, "$.environment"},
		{`"seed": "7"`, `"seed": "seven"`, "$.cases[1].seed"},
		{`"duration": 3.210`, `"duration": -1`, "$.duration"},
		{`"status": "broken"`, `"status": "odd"`, "$.cases[3].status"},
		{`"waived": true`, `"waived": "yes"`, "$.cases[4].waived"},
		{`"level": "L1"`, `"level": "L3"`, "$.durability.level"},
		{`"shared": "no"`, `"shared": "maybe"`, "$.capabilities.shared"},
	} {
		if !strings.Contains(whole, test.old) {
			t.Fatalf("the example does not have %s", test.old)
		}
		got := violations(t, strings.Replace(whole, test.old, test.new, 1))
		if len(got) != 1 || !strings.HasPrefix(got[0], test.want+":") {
			t.Errorf("with %s, the schema complains of %q where one complaint of %s was expected", test.new, got, test.want)
		}
	}
}

// violations returns where a text does not keep to the schema.
func violations(t *testing.T, text string) []string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	c := &checker{root: schema(t)}
	c.check("$", c.root, v)
	return c.complaints
}

// checker holds a value against a schema that uses the few keywords that it
// knows.
type checker struct {
	root       object
	complaints []string
}

func (c *checker) complain(at, format string, args ...any) {
	c.complaints = append(c.complaints, at+": "+fmt.Sprintf(format, args...))
}

func (c *checker) check(at string, schema object, v any) {
	for keyword, is := range schema {
		switch keyword {
		case "$schema", "$id", "title", "description", "$defs", "format":
		case "$ref":
			name := strings.TrimPrefix(is.(string), "#/$defs/")
			c.check(at, c.root["$defs"].(object)[name].(object), v)
		case "const":
			if v != is {
				c.complain(at, "%v is not %v", v, is)
			}
		case "enum":
			if !slices.Contains(is.([]any), v) {
				c.complain(at, "%v is none of %v", v, is)
			}
		case "type":
			if !hasType(v, is.(string)) {
				c.complain(at, "%v is no %v", v, is)
			}
		case "minimum":
			if n, ok := v.(float64); ok && n < is.(float64) {
				c.complain(at, "%v is less than %v", v, is)
			}
		case "pattern":
			if s, ok := v.(string); ok && !regexp.MustCompile(is.(string)).MatchString(s) {
				c.complain(at, "%q does not match %v", v, is)
			}
		case "required", "properties", "additionalProperties":
			if o, ok := v.(object); ok {
				c.members(at, keyword, schema, o)
			}
		case "items":
			list, _ := v.([]any)
			for i, item := range list {
				c.check(fmt.Sprintf("%s[%d]", at, i), is.(object), item)
			}
		default:
			c.complain(at, "the schema has the keyword %q, which this test does not know", keyword)
		}
	}
}

func (c *checker) members(at, keyword string, schema, o object) {
	known, _ := schema["properties"].(object)
	switch keyword {
	case "required":
		for _, name := range texts(schema[keyword]) {
			if _, there := o[name]; !there {
				c.complain(at, "it has no %s", name)
			}
		}
	case "properties":
		for name, member := range known {
			if v, there := o[name]; there {
				c.check(at+"."+name, member.(object), v)
			}
		}
	case "additionalProperties":
		for name, v := range o {
			if known[name] == nil {
				c.check(at+"."+name, schema[keyword].(object), v)
			}
		}
	}
}

func hasType(v any, name string) bool {
	switch v := v.(type) {
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	case object:
		return name == "object"
	}
	return name == "null"
}

func texts(list any) (all []string) {
	values, _ := list.([]any)
	for _, v := range values {
		all = append(all, v.(string))
	}
	return all
}
