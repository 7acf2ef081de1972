package transfer

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/text"
)

// auditMembers are the possible members of objects in values of the audit log. The
// service writes them in this order, given by D2.
var auditMembers = []string{
	"identifier", "name", "email", "resolved", "initial", "order", "nextStates", "closed", "successor", "parent",
	"component", "creationDate", "startDate", "endDate", "inactive", "robotOf", "mail", "user", "scope", "expires", "invitation", "revoked",
	"url", "types", "predicate", "onFailure", "active", "cursor", "state", "secret", "deleted", audit.Erased,
}

// auditEntry checks an entry of the audit log and normalises its values to the form
// used by the service. Names are historical and are not compared with anything. Times
// are not compared either, for clocks step back.
func (c *Checker) auditEntry(e audit.Entry) {
	c.uniqueID(KindAuditEntry, c.auditIDs, e.ID)
	c.moment("/creationDate", e.Created)
	if !e.Author.IsNone() {
		c.reference("/author", metadata.Users, e.Author)
	}
	c.identifier("/batchIdentifier", e.Batch)
	c.audited(e)
	e.Name = c.text("/name", text.Name, e.Name)
	e.From, e.To = c.auditValue("/from", e.Field, e.From), c.auditValue("/to", e.Field, e.To)
	switch e.Type {
	case audit.Created:
		if e.Field != "" {
			c.refuse("/field", "must be null with this type")
		}
		c.null("/from", e.From)
		c.shownObject("/to", e.To)
	case audit.Changed:
		if !slices.Contains(auditMembers[1:], e.Field) {
			c.refuse("/field", "must be the name of a member that can change")
		}
	default:
		c.refuse("/type", "must be %s or %s", audit.Created, audit.Changed)
	}
	c.audit = append(c.audit, e)
}

// audited checks that the object of the entry exists.
func (c *Checker) audited(e audit.Entry) {
	switch {
	case !slices.Contains(audit.Kinds(), e.Kind):
		c.refuse("/objectKind", "must be one of: %s", list(audit.Kinds()))
	case e.Kind == audit.Webhook: // which may be deleted
		c.identifier("/object", e.Object)
	case e.Kind != audit.Token:
		c.reference("/object", metadata.Kind(e.Kind), e.Object)
	default:
		c.tokenAt("/object", e.Object)
	}
}

// auditValue returns a value of a member in the form used by the service.
func (c *Checker) auditValue(field, member string, v problem.LogValue) problem.LogValue {
	if v == "" {
		return v
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(v)))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		c.refuse(field, "must be JSON")
		return v
	}
	return c.normalised(field, member, decoded)
}

// normalised returns a decoded JSON value of a member as a log value.
func (c *Checker) normalised(field, member string, v any) problem.LogValue {
	switch v := v.(type) {
	case string:
		return problem.LogText(c.text(field, text.Rule{AsSent: member == "predicate"}, v))
	case json.Number:
		// All numbers are orders. Older versions had no bounds on them.
		n, err := strconv.ParseInt(v.String(), 10, 64)
		if err != nil || n < -MaxInteger || n > MaxInteger {
			c.refuse(field, "must be an integer without fraction or exponent, of at most %d", int64(MaxInteger))
		}
		return problem.LogNumber(int(n))
	case bool:
		if v {
			return "true"
		}
		return "false"
	case []any:
		all := []byte{'['}
		for i, element := range v {
			if i > 0 {
				all = append(all, ',')
			}
			all = append(all, c.normalised(field, member, element).JSON()...)
		}
		return problem.LogValue(append(all, ']'))
	case map[string]any:
		return c.normalisedObject(field, v)
	}
	return ""
}

func (c *Checker) normalisedObject(field string, object map[string]any) problem.LogValue {
	var members []problem.LogMember
	for _, name := range auditMembers {
		if value, ok := object[name]; ok {
			members = append(members, problem.LogMember{Name: name, Value: c.normalised(Pointer(field, name), name, value)})
		}
	}
	for name := range object {
		if !slices.Contains(auditMembers, name) {
			c.refuse(Pointer(field, name), "is not known here")
		}
	}
	return problem.LogObject(members...)
}
