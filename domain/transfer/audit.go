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

// auditMembers are the members that objects in values of the audit log can have, in
// the order in which the service writes those that there are: that of D2.
var auditMembers = []string{
	"identifier", "name", "email", "resolved", "initial", "order", "nextStates", "closed", "successor", "parent",
	"component", "creationDate", "startDate", "endDate", "inactive", "user", "scope", "expires", "revoked",
}

// auditEntry checks an entry of the audit log, and writes its values as the service
// writes them. Names are those of then, and are not compared with anything; nor are
// times, for clocks step back.
func (c *Checker) auditEntry(e audit.Entry) {
	c.only(KindAuditEntry, c.auditIDs, e.ID)
	c.moment("/creationDate", e.Created)
	if !e.Author.IsNone() {
		c.reference("/author", metadata.Users, e.Author)
	}
	c.identifier("/batchIdentifier", e.Batch)
	c.audited(e)
	e.Name = c.text("/name", text.Name, e.Name)
	e.From, e.To = c.auditValue("/from", e.From), c.auditValue("/to", e.To)
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

// audited checks that there is an object that the entry is about.
func (c *Checker) audited(e audit.Entry) {
	switch {
	case !slices.Contains(audit.Kinds(), e.Kind):
		c.refuse("/objectKind", "must be one of: %s", list(audit.Kinds()))
	case e.Kind != audit.Token:
		c.reference("/object", metadata.Kind(e.Kind), e.Object)
	default:
		if _, ok := c.tokenIDs[e.Object]; !ok {
			c.refuse("/object", "there is no token with this identifier")
		}
	}
}

// auditValue returns a value as the service writes it.
func (c *Checker) auditValue(field string, v problem.LogValue) problem.LogValue {
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
	return c.rewritten(field, decoded)
}

// rewritten returns the value that shows what was decoded from JSON.
func (c *Checker) rewritten(field string, v any) problem.LogValue {
	switch v := v.(type) {
	case string:
		return problem.LogText(c.text(field, text.Rule{}, v))
	case json.Number:
		// All numbers are orders, which were not bounded in the archives of older versions.
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
			all = append(all, c.rewritten(field, element).JSON()...)
		}
		return problem.LogValue(append(all, ']'))
	case map[string]any:
		return c.rewrittenObject(field, v)
	}
	return ""
}

func (c *Checker) rewrittenObject(field string, object map[string]any) problem.LogValue {
	var members []problem.LogMember
	for _, name := range auditMembers {
		if value, ok := object[name]; ok {
			members = append(members, problem.LogMember{Name: name, Value: c.rewritten(Pointer(field, name), value)})
		}
	}
	for name := range object {
		if !slices.Contains(auditMembers, name) {
			c.refuse(Pointer(field, name), "is not known here")
		}
	}
	return problem.LogObject(members...)
}
