# Verifies a webhook by each of its two signatures. Copy the functions into your receiver; the lines below them
# try them out on a body from stdin, with secrets and headers from the environment, as CGI names them.
import base64
import hashlib
import hmac
import os
import re
import sys
import time

TOLERANCE_SECONDS = 300


def is_genuine(body, headers, secrets, now=None):
    """Standard Webhooks: also refuses a request that is repeated later. `body` has the raw bytes, `secrets`
    one secret, or both during a rotation. One signature that matches is enough."""
    timestamp = headers.get("webhook-timestamp", "")
    now = time.time() if now is None else now
    if not re.fullmatch("[0-9]+", timestamp) or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    given = headers.get("webhook-signature", "").split(" ")
    for secret in secrets:
        key = base64.b64decode(secret[len("whsec_"):])
        expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        # In constant time, since the time must not tell how much of a guess is right.
        if any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in given):
            return True
    return False


def has_signature(body, headers, secrets):
    """The header `Signature`: the HMAC of the body alone, keyed with the secret as it was shown."""
    given = headers.get("signature", "").encode()
    expected = [hmac.new(secret.encode(), body, hashlib.sha256).hexdigest() for secret in secrets]
    return any(hmac.compare_digest(each.encode(), given) for each in expected)


if __name__ == "__main__":
    headers = {
        "webhook-id": os.environ.get("HTTP_WEBHOOK_ID", ""),
        "webhook-timestamp": os.environ.get("HTTP_WEBHOOK_TIMESTAMP", ""),
        "webhook-signature": os.environ.get("HTTP_WEBHOOK_SIGNATURE", ""),
        "signature": os.environ.get("HTTP_SIGNATURE", ""),
    }
    secrets = os.environ.get("WEBHOOK_SECRETS", "").split(" ")
    body = sys.stdin.buffer.read()
    print("webhook-signature", "matches" if is_genuine(body, headers, secrets) else "does not match")
    print("Signature", "matches" if has_signature(body, headers, secrets) else "does not match")
