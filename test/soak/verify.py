# Verifies deliveries, a JSON object a line, with the library of Standard Webhooks: each at its own time.
import json
import sys
from datetime import datetime

from standardwebhooks import webhooks


class Clock(datetime):
    seconds = 0

    @classmethod
    def now(cls, tz=None):
        return datetime.fromtimestamp(cls.seconds, tz)


webhooks.datetime = Clock
verified = 0
for line in sys.stdin:
    delivery = json.loads(line)
    headers = delivery["headers"]
    Clock.seconds = int(headers["webhook-timestamp"])
    webhooks.Webhook(delivery["secret"]).verify(delivery["body"], headers)
    verified += 1
print(f"{verified} verified")
