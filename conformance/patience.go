package conformance

import "time"

// patience is how long a case may take if the Options do not say.
const patience = 2 * time.Minute * slowness
