package httpapi

// writeInput is a request for a write that is about the caller, or about nothing that is there.
type writeInput struct {
	Request
	Write
}

// createInput is a request for a new object. A repeat with its key gets the same answer.
type createInput struct {
	Request
	Write
	Keyed
}

// findInput is a request for an object.
type findInput struct {
	Request
	OfObject
}

// changeInput is a request for a change of an object.
type changeInput struct {
	Request
	OfObject
	Write
}

// problemWriteInput is a request for a write in a problem.
type problemWriteInput struct {
	Request
	OfProblem
	Write
	Matching
}

// keyedProblemWriteInput is such a request with a key: a repeat gets the same answer.
type keyedProblemWriteInput struct {
	Request
	OfProblem
	Write
	Keyed
	Matching
}
