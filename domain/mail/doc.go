// Package mail holds the rules of e-mail about problems: who gets it, when, and in how many
// mails. A mail tells a person of changes by others. The package knows no SMTP.
//
// The way of a change: an event of the feed joins a Group, which gathers the changes of one
// problem. Once the problem is quiet, each addressee gets an Item in a Tray. The mails of a
// Tray are sent one after the other.
package mail
