package sqlite

import "github.com/problemtracking/problems/domain/store"

// expect returns nil when the expectation holds.
func (t *transaction) expect(expectation store.Expectation) error {
	switch e := expectation.(type) {
	case store.ProblemAt:
		found, err := t.one([]any{new(int)}, "SELECT 1 FROM problems WHERE id = ? AND revision = ?", e.ID, e.Revision)
		return unless(found, err, "problem %d is not at revision %d", e.ID, e.Revision)
	case store.CatalogueAt:
		return unless(t.Catalogue == e.Version, nil, "the catalogue is not at version %d", e.Version)
	case store.AccessAt:
		return unless(t.Access == e.Version, nil, "the tokens are not at version %d", e.Version)
	case store.FamilyAt:
		epoch, err := epoch(t.conn, e.Family)
		return unless(epoch == e.Epoch, err, "the family of %s is not at epoch %d", e.Family, e.Epoch)
	case store.KeyUnused:
		used, err := t.one([]any{new(int)}, "SELECT 1 FROM replies WHERE user_id = ? AND key = ? AND created >= ?",
			uuid(e.User), e.Key, notBefore(e.Since))
		return unless(!used, err, "a reply is kept for this key")
	case store.StoreEmpty:
		var used bool
		_, err := t.one([]any{&used}, `SELECT EXISTS (SELECT 1 FROM problems) OR EXISTS (SELECT 1 FROM tokens)
			OR EXISTS (SELECT 1 FROM states) OR EXISTS (SELECT 1 FROM priorities)
			OR EXISTS (SELECT 1 FROM classifications) OR EXISTS (SELECT 1 FROM components)
			OR EXISTS (SELECT 1 FROM milestones) OR EXISTS (SELECT 1 FROM users)`)
		return unless(!used, err, "the store is not empty")
	}
	return unsupported(expectation)
}

// unless returns err if there is one, nil if the condition holds, and a conflict
// otherwise.
func unless(holds bool, err error, format string, args ...any) error {
	if err != nil || holds {
		return err
	}
	return conflict(format, args...)
}
