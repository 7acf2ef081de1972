package main

import "slices"

// attack is one way to hurt the service.
type attack struct {
	name  string // short, as -attacks has it
	title string // as tables have it, with the names of sizes in braces
	// prepare makes the target of the attack, up to the limits of the server; nil:
	// nothing is needed.
	prepare func(*stage) error
	// run attacks until the stage's context ends.
	run func(*stage)
	// right are the right statuses of the attack, beside 200, 429 and 503.
	right []int
	// tls lets the server speak HTTPS, and HTTP/2.
	tls bool
	// without names a store beyond this attack.
	without string
	// short includes it in a short run.
	short bool
}

// attacks are all attacks.
var attacks = slices.Concat(keywordAttacks, commentAttacks, searchAttacks, relationshipAttacks, metadataAttacks, bodyAttacks, connectionAttacks, exportAttacks, feedAttacks, pageAttacks)

// rights reports whether a status is a right answer.
func (a attack) rights(status int) bool {
	return status == 200 || status == 429 || status == 503 || slices.Contains(a.right, status)
}
