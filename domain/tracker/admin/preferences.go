package admin

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/user"
)

// SetPreferences is the command of PUT /me/preferences: the caller's choices for the pages (D58).
// What is null or was not sent gets its usual value.
type SetPreferences struct {
	core.Write
	Columns  patch.Field[string]
	Density  patch.Field[string]
	Language patch.Field[string]
	TimeZone patch.Field[string]
	Keys     patch.Field[bool]
}

// SetPreferences sets the caller's preferences. It fails with the faults of a body.
func (s *Service) SetPreferences(ctx context.Context, caller core.Caller, cmd SetPreferences) (core.Answer[user.User], error) {
	var chosen user.Choices
	faults := cmd.Faults
	body.SetColumns(&chosen.Columns, cmd.Columns, &faults)
	if body.Given(cmd.Density) {
		compact, err := user.ParseDensity(cmd.Density.Value)
		body.AddInvalid(&faults, fault.At("density"), err)
		chosen.Compact = compact
	}
	if body.Given(cmd.Language) {
		chosen.Language = cmd.Language.Value
		body.AddInvalid(&faults, fault.At("language"), user.CheckLanguage(chosen.Language))
	}
	if body.Given(cmd.TimeZone) {
		chosen.TimeZone = cmd.TimeZone.Value
		body.AddInvalid(&faults, fault.At("timeZone"), user.CheckTimeZone(chosen.TimeZone))
	}
	chosen.KeysOff = body.Given(cmd.Keys) && !cmd.Keys.Value
	cmd.Faults = faults
	return s.Users().Update(ctx, caller, caller.User, UpdateObject[UserPatch]{Write: cmd.Write, Patch: UserPatch{Preferences: patch.Set(chosen.Preferences())}})
}
