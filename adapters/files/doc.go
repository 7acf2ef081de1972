// Package files keeps the bytes of attachments (D48): in a folder, or in memory. It needs no
// library.
package files
