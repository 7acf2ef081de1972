package postgrestest

// NewSessions is here for the tests of sessions: they use the helpers of the other tests.
var NewSessions = newSessions
