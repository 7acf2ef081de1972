package everyday

import (
	"encoding/json"
	"strings"
)

// pick returns some members of a record, in the same nesting.
func pick(record json.RawMessage, fields []string) (json.RawMessage, error) {
	var all map[string]any
	if err := json.Unmarshal(record, &all); err != nil || len(fields) == 0 {
		return record, err
	}
	picked := make(map[string]any)
	for _, f := range fields {
		from, to := all, picked
		steps := strings.Split(f, ".")
		for i, step := range steps {
			below, ok := from[step].(map[string]any)
			if !ok || i == len(steps)-1 {
				to[step] = from[step]
				break
			}
			next, ok := to[step].(map[string]any)
			if !ok {
				next = make(map[string]any)
				to[step] = next
			}
			from, to = below, next
		}
	}
	return json.Marshal(picked)
}
