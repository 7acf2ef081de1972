package webhook

import (
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// RotationFor is the time after a rotation in which the earlier secret signs as well.
const RotationFor = 24 * time.Hour

// MostSecrets is the largest number of secrets of an endpoint that sign at a time.
const MostSecrets = 3

// SecretRef says how to derive the secret of an endpoint from the key of the service. It
// holds no secret.
type SecretRef struct {
	// Key identifies the key.
	Key KeyID
	// Generation counts the secrets: 1 for the first, and 1 more for each rotation.
	Generation int64
	// Rotated is the time of the latest rotation, if the secret before may sign; zero: there
	// is none.
	Rotated time.Time
	// RotatedBefore is the time of the rotation before that one, if the secret of that time
	// may sign; zero: there is none.
	RotatedBefore time.Time
}

// Rotate returns the reference to the next secret. The earlier ones sign on, each until a day
// after its own rotation. With another key the earlier secrets are lost, and sign no more.
// endEarlier ends them, too. It fails with fault.InUse when MostSecrets sign already.
func (r SecretRef) Rotate(key KeyID, at time.Time, endEarlier bool) (SecretRef, error) {
	next := SecretRef{Key: key, Generation: r.Generation + 1}
	if key != r.Key || endEarlier {
		return next, nil
	}
	switch len(r.Generations(at)) {
	case MostSecrets:
		return r, fault.New(fault.InUse,
			"the webhook has %d secrets that sign, and the oldest one ends at %s: try again then, or end the earlier ones at once with \"endEarlier\":true",
			MostSecrets, r.RotatedBefore.Add(RotationFor+time.Second-1).UTC().Format(time.RFC3339)) // rounded up
	case MostSecrets - 1:
		next.RotatedBefore = r.Rotated
	}
	next.Rotated = at
	return next, nil
}

// Generations returns the generations that sign at the given time: the current one first,
// and each earlier one until a day after its rotation.
func (r SecretRef) Generations(at time.Time) []int64 {
	all := []int64{r.Generation}
	for _, rotated := range []time.Time{r.Rotated, r.RotatedBefore} {
		if rotated.IsZero() || at.Sub(rotated) >= RotationFor {
			break
		}
		all = append(all, all[len(all)-1]-1)
	}
	return all
}
