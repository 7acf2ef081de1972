"""Receives webhooks at the address ADDRESS, with the secret SECRET, and prints each event
once: SECRET=whsec_… ADDRESS=127.0.0.1:9000 python3 receiver.py"""
import base64, hashlib, hmac, http.server, os, time

KEY = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
MOST = 8 << 20  # the largest message, in bytes
seen = set()  # a real receiver keeps the identifiers with its data


def signed(headers, body):
    """Reports whether the message is from the service, and no older than five minutes."""
    ident, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False
    digest = hmac.new(KEY, f"{ident}.{at}.".encode() + body, hashlib.sha256).digest()
    want = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(s, want) for s in headers.get("webhook-signature", "").split())


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if length > MOST:
            self.send_error(413)
            return
        body = self.rfile.read(length)
        if not signed(self.headers, body):
            self.send_error(401)
            return
        if self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            print(body.decode(), flush=True)
        self.send_response(204)
        self.end_headers()


host, port = os.environ["ADDRESS"].rsplit(":", 1)
http.server.ThreadingHTTPServer((host, int(port)), Receiver).serve_forever()
