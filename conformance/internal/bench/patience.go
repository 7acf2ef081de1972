package bench

import "time"

// Patience is how long a case may take if the Options do not say.
const Patience = 2 * time.Minute * Slowness
