package everyday

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/client"
)

// object is a metadata object or a user.
type object struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	FullName   string `json:"fullName"`
	Email      string `json:"email"`
}

// shown returns the name by which people choose the object.
func (o object) shown() string {
	switch {
	case o.FullName != "":
		return o.FullName
	case o.Email != "":
		return o.Email
	}
	return o.Name
}

// kind is the objects that a field refers to.
type kind struct{ field, plural, predicate, order string }

// kinds are the fields with objects. %s in a predicate stands for the name.
func kinds() []kind {
	const named = "name =[c] %[1]s"
	return []kind{
		{"state", "states", named, "order"},
		{"priority", "priorities", named, "order"},
		{"classification", "classifications", named, "name"},
		{"component", "components", "fullName =[c] %[1]s OR name =[c] %[1]s", "fullName"},
		{"milestone", "milestones", named, "name"},
		{"assignee", "users", "email =[c] %[1]s OR name =[c] %[1]s", "name"},
	}
}

// objects returns some objects of a kind.
func (k kind) objects(ctx context.Context, server *client.Client, predicate string) (found []object, err error) {
	_, err = server.Do(ctx, client.Request{
		Method: http.MethodGet, Path: []string{k.plural, "search"},
		Query: url.Values{"predicate": {predicate}, "sort": {k.order}, "limit": {strconv.Itoa(mostNames)}},
	}, &found)
	return found, err
}

// mostNames is how many names an error or a completion has.
const mostNames = 50

// resolve returns the object of a field by its name in any case. A component has its full
// name or its own, and a user an address or a name, or is "me".
func resolve(ctx context.Context, server *client.Client, field, name string) (*client.Partial, error) {
	at := slices.IndexFunc(kinds(), func(k kind) bool { return k.field == field })
	k := kinds()[at]
	if field == "assignee" && name == "me" {
		me, err := server.Me(ctx)
		return &client.Partial{Identifier: me.User.Identifier}, err
	}
	found, err := k.objects(ctx, server, fmt.Sprintf(k.predicate, quote(name)))
	if err != nil {
		return nil, err
	}
	if exact := slices.DeleteFunc(slices.Clone(found), func(o object) bool { return o.shown() != name && o.Name != name }); len(exact) == 1 {
		found = exact
	}
	if full := slices.DeleteFunc(slices.Clone(found), func(o object) bool { return !strings.EqualFold(o.shown(), name) }); len(full) == 1 {
		found = full
	}
	if len(found) == 1 {
		return &client.Partial{Identifier: found[0].Identifier}, nil
	}
	fault := "there is no %s %q"
	if len(found) > 1 {
		fault = "more than one %s is called %q"
	} else if found, err = k.objects(ctx, server, "TRUEPREDICATE"); err != nil {
		return nil, err
	}
	var names []string
	for _, o := range found {
		names = append(names, o.shown())
	}
	if len(names) > 0 {
		fault += ": choose from " + strings.Join(names, ", ")
	}
	return nil, fmt.Errorf(fault, field, name)
}

// number reads the identifier of a problem, such as 12 or #12.
func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "#"), 10, 64)
	return n, err == nil && n > 0
}

// numbers divides arguments into the identifiers at their start and the rest.
func numbers(args []string) (all []int64, rest []string) {
	for i, arg := range args {
		n, ok := number(arg)
		if !ok {
			return all, args[i:]
		}
		all = append(all, n)
	}
	return all, nil
}

// assignment reads an argument such as priority=High.
func assignment(arg string) (field, value string, ok bool) {
	field, value, ok = strings.Cut(arg, "=")
	return field, value, ok && slices.Contains(fieldNames(), field)
}

// fieldNames are the fields in assignments.
func fieldNames() []string {
	names := []string{"title", "due"}
	for _, k := range kinds() {
		names = append(names, k.field)
	}
	return names
}

// patch returns the change of some assignments. An empty value clears a field.
func patch(ctx context.Context, server *client.Client, assignments []string) (p client.Patch, err error) {
	for _, arg := range assignments {
		field, value, ok := assignment(arg)
		if !ok {
			return p, fmt.Errorf("%q is no assignment: write FIELD=VALUE, with one of the fields %s", arg, strings.Join(fieldNames(), ", "))
		}
		switch {
		case value == "":
			p.Clear = append(p.Clear, field)
			continue
		case field == "title":
			p.Title = value
			continue
		case field == "due":
			p.Due = value
			continue
		}
		object, err := resolve(ctx, server, field, value)
		if err != nil {
			return p, err
		}
		switch field {
		case "state":
			p.State = object
		case "priority":
			p.Priority = object
		case "classification":
			p.Classification = object
		case "component":
			p.Component = object
		case "milestone":
			p.Milestone = object
		case "assignee":
			p.Assignee = object
		}
	}
	return p, nil
}
