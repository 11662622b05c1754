# Converts numbers in headers to text: in sequences schemathesis may use a record's id as X-Request-Id.
import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    for name, value in (case.headers or {}).items():
        if not isinstance(value, (str, bytes)):
            case.headers[name] = str(value)
