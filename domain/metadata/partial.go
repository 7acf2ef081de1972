package metadata

// Partial is a metadata object or user in a client's request: some members, just enough
// to identify one object (spec section 2, D3). A proper one is of type Members. As the
// other types are the values of members, a client may send one of them in place of an
// object. Resolve reports this as a fault. nil is the value null.
type Partial interface{ sent() }

// The types of a Partial.
type (
	// Members are the sent members of an object by their names. A value of nil is null, and
	// differs from an absent member.
	Members map[string]Partial
	// List is a set of objects, in any order.
	List []Partial
	// Text is a string: a name, an address, an identifier, or a time of RFC 3339.
	Text string
	// Number has the digits of a number, with an optional sign. Resolve reports a fraction
	// or an exponent as a fault.
	Number string
	// Flag is true or false.
	Flag bool
)

func (Members) sent() {}
func (List) sent()    {}
func (Text) sent()    {}
func (Number) sent()  {}
func (Flag) sent()    {}
