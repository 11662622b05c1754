# In sequences schemathesis takes a record's id for X-Request-Id, as a number, which no header can be: it is sent as text.
import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    for name, value in (case.headers or {}).items():
        if not isinstance(value, (str, bytes)):
            case.headers[name] = str(value)
