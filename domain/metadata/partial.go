package metadata

// Partial is a metadata object or user in a client's request: some members, just enough
// to identify one object (spec section 2, D3). It is a decoded JSON value: nil, bool,
// string, json.Number, []any or map[string]any. Resolve reports anything but a map as a
// fault.
type Partial any
