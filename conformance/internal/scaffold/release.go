package scaffold

// release is the version of the suite and the domain in a new module's go.mod: all
// modules of a release have the same one. "make release" sets it.
const release = "v0.1.0"
