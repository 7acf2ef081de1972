package metadata

// Partial is a metadata object or user as a client gives it: some members, just
// enough to identify one object (spec section 2, D3). It is a decoded JSON value:
// nil, bool, string, json.Number, []any or map[string]any, where anything but a
// map is a fault that Resolve reports.
type Partial any
