package kit

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
)

// Object is a JSON object as a driving adapter decodes it.
type Object = map[string]any

// Partial is a field that is sent with a partial object.
func Partial(o Object) patch.Field[metadata.Partial] { return patch.Set(AsPartial(o)) }

// AsPartial returns a decoded JSON value as the driving adapter sends a reference.
func AsPartial(value any) metadata.Partial {
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return metadata.Text(value)
	case json.Number:
		return metadata.Number(value)
	case int:
		return metadata.Number(strconv.Itoa(value))
	case bool:
		return metadata.Flag(value)
	case []any:
		list := make(metadata.List, len(value))
		for i, element := range value {
			list[i] = AsPartial(element)
		}
		return list
	case Object:
		members := make(metadata.Members, len(value))
		for name, member := range value {
			members[name] = AsPartial(member)
		}
		return members
	}
	panic(fmt.Sprintf("no JSON value: %T", value))
}

// Named is a field that is sent with the name of an object.
func Named(name string) patch.Field[metadata.Partial] { return Partial(Object{"name": name}) }

// Identified is a reference by an identifier.
func Identified(id ident.ID) metadata.Partial {
	return metadata.Members{"identifier": metadata.Text(id.String())}
}

// Person is what is sent to create a user.
func Person(name, email string) metadata.UserPatch {
	return metadata.UserPatch{Name: patch.Set(name), Email: patch.Set(email)}
}
