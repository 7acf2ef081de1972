package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/mailing"
	"github.com/problemtracking/problems/domain/user"
)

func (s *server) registerUsers() {
	userKind().register(s)
	register(s, huma.Operation{
		OperationID: "me", Method: http.MethodGet, Path: "/me", Tags: []string{tagUsers},
		Summary:   "Show whom the token stands for",
		Security:  needs(access.Read),
		Responses: responses{"200": {Description: "The user, and the token's scope and expiry."}},
		Metadata:  about(func(e *wire.Encoder) { e.Me(tracker.Caller{Scope: access.Write}, samples.Ann) }),
	}, s.me)
	register(s, huma.Operation{
		OperationID: "getMail", Method: http.MethodGet, Path: "/me/mail", Tags: []string{tagUsers},
		Summary:     "Show which e-mail the user of the token gets",
		Description: "The service sends e-mail to the user's address, about changes by others, if an administrator has set that up.",
		Security:    needs(access.Read),
		Responses:   responses{"200": {Description: "The choice."}},
		Metadata:    about(func(e *wire.Encoder) { e.Mail(samples.Ann) }),
	}, s.mail)
	register(s, huma.Operation{
		OperationID: "setMail", Method: http.MethodPut, Path: "/me/mail", Tags: []string{tagUsers},
		Summary:   "Choose which e-mail the user of the token gets",
		Security:  needs(access.Write),
		Responses: responses{"200": {Description: "The choice."}},
		Metadata: about(func(e *wire.Encoder) { none := samples.Ann; none.Mail = user.MailNone; e.Mail(none) }, fault.RequiredField, fault.UnknownField, fault.ValidationFailed).
			json(`{"mail":"none"}`, wire.MailPatch{}),
	}, s.setMail)
	preferring := samples.Ann
	preferring.Preferences = "columns=state,due language=de timeZone=Europe/Berlin"
	example := func(e *wire.Encoder) { e.Preferences(preferring) }
	register(s, huma.Operation{
		OperationID: "getPreferences", Method: http.MethodGet, Path: "/me/preferences", Tags: []string{tagUsers},
		Summary:   "Show what the user of the token prefers in the pages",
		Security:  needs(access.Read),
		Responses: responses{"200": {Description: "The preferences."}},
		Metadata:  about(example),
	}, s.preferences)
	register(s, huma.Operation{
		OperationID: "setPreferences", Method: http.MethodPut, Path: "/me/preferences", Tags: []string{tagUsers},
		Summary:     "Choose what the user of the token prefers in the pages",
		Description: "All at once: what is null or left out gets its usual value.",
		Security:    needs(access.Write),
		Responses:   responses{"200": {Description: "The preferences."}},
		Metadata: about(example, fault.UnknownField, fault.ValidationFailed).
			json(`{"columns":"state,due","language":"de","timeZone":"Europe/Berlin"}`, wire.PreferencesPatch{}),
	}, s.setPreferences)
}

// tagUsers is the tag of the operations about users.
const tagUsers = "Users"

func userKind() metadataKind[user.User, admin.UserPatch, wire.User, wire.CreatedUser] {
	inactive := samples.Ann
	inactive.Inactive = true
	return metadataKind[user.User, admin.UserPatch, wire.User, wire.CreatedUser]{
		one: "user", many: "users", tag: tagUsers, order: "by name",
		about:      "Making a user inactive revokes the user's tokens for good. The user of the last valid token of scope admin cannot be made inactive: create another token first. Users are never deleted.",
		objects:    (*admin.Service).Users,
		identifier: func(o user.User) ident.ID { return o.ID },
		encode:     (*wire.Encoder).User,
		members: func(p *admin.UserPatch) []wire.Member {
			return []wire.Member{
				{Name: "name", Into: &p.Name},
				{Name: "email", Into: &p.Email},
				{Name: "inactive", Into: &p.Inactive},
				{Name: "robotOf", Into: &p.RobotOf},
			}
		},
		scope:  access.Admin,
		create: wire.NewUser{}, patch: wire.UserPatch{},
		sampleList: []user.User{samples.Ann, samples.Bob},
		creates: sample[user.User]{`{"name":"Eve","email":"eve@example.org"}`,
			user.User{ID: samples.Identifier(20), Name: "Eve", Email: "eve@example.org"}},
		updates: sample[user.User]{`{"inactive":true}`, inactive},
		more:    []fault.Kind{fault.InUse},
	}
}

// me answers with the user of the token (D33).
func (s *server) me(ctx context.Context, in *Request) (*output[wire.Me], error) {
	a, err := s.Service.Users().Load(ctx, in.caller.User)
	return one[wire.Me](a, err, func(e *wire.Encoder, u user.User) { e.Me(in.caller, u) })
}

func (s *server) mail(ctx context.Context, in *Request) (*output[wire.Mail], error) {
	a, err := s.Service.Users().Load(ctx, in.caller.User)
	return one[wire.Mail](a, err, (*wire.Encoder).Mail)
}

func (s *server) preferences(ctx context.Context, in *Request) (*output[wire.Preferences], error) {
	a, err := s.Service.Users().Load(ctx, in.caller.User)
	return one[wire.Preferences](a, err, (*wire.Encoder).Preferences)
}

func (s *server) setPreferences(ctx context.Context, in *writeInput) (*output[wire.Preferences], error) {
	cmd := admin.SetPreferences{Write: in.write()}
	err := in.decode(&cmd.Faults, wire.Member{Name: "columns", Into: &cmd.Columns}, wire.Member{Name: "density", Into: &cmd.Density},
		wire.Member{Name: "language", Into: &cmd.Language}, wire.Member{Name: "timeZone", Into: &cmd.TimeZone}, wire.Member{Name: "keys", Into: &cmd.Keys})
	if err != nil {
		return nil, err
	}
	a, err := s.Service.SetPreferences(ctx, in.caller, cmd)
	return one[wire.Preferences](a, err, (*wire.Encoder).Preferences)
}

func (s *server) setMail(ctx context.Context, in *writeInput) (*output[wire.Mail], error) {
	cmd := mailing.Set{Write: in.write()}
	if err := in.decode(&cmd.Faults, wire.Member{Name: "mail", Into: &cmd.Mail}); err != nil {
		return nil, err
	}
	a, err := s.Service.Mailing.Set(ctx, in.caller, cmd)
	return one[wire.Mail](a, err, (*wire.Encoder).Mail)
}
