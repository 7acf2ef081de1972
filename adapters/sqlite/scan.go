package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
)

// assign stores the values of a row where they are to go. An error names the column.
func assign(dest []any, values []driver.Value, columns []string) error {
	if len(dest) != len(values) {
		return fmt.Errorf("a row has %d columns, and %d are read", len(values), len(dest))
	}
	for i, value := range values {
		if !assigned(dest[i], value) {
			if to, ok := dest[i].(sql.Scanner); !ok {
				return fmt.Errorf("column %s: %T cannot be read into %T", columns[i], value, dest[i])
			} else if err := to.Scan(value); err != nil {
				return fmt.Errorf("column %s: %w", columns[i], err)
			}
		}
	}
	return nil
}

// assigned reports whether it could store a value in a type without a Scan of its own.
func assigned(dest any, value driver.Value) (ok bool) {
	switch to := dest.(type) {
	case *string:
		*to, ok = value.(string)
	case *int64:
		*to, ok = value.(int64)
	case *bool:
		var n int64
		n, ok = value.(int64)
		*to = n != 0
	case *int:
		var n int64
		n, ok = value.(int64)
		*to = int(n)
	case *[]byte:
		*to, ok = value.([]byte)
	case **string:
		ok = optional(to, value)
	case **int64:
		ok = optional(to, value)
	}
	return ok
}

// optional is assigned for a nullable value: NULL becomes nil.
func optional[T any](to **T, value driver.Value) bool {
	*to = nil
	if value == nil {
		return true
	}
	v, ok := value.(T)
	if ok {
		*to = &v
	}
	return ok
}
