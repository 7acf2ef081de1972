// Package openid asks a provider of OpenID Connect for the person at a browser. It uses
// the authorization code flow with PKCE.
package openid
