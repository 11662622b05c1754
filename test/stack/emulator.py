"""Starts ministack with two features of API Gateway that it lacks and the template uses."""

import ministack.services.apigateway_v1 as gateway

modeled_sources = gateway._request_identity_sources


def request_identity_sources(identity_source, headers, query_params, stage):
    """Authorizers are cached by the address of the client, which ministack takes for missing."""
    sources = [source.strip() for source in (identity_source or "").split(",") if source.strip()]
    modeled = [source for source in sources if source != "context.identity.sourceIp"]
    present, values = modeled_sources(",".join(modeled), headers, query_params, stage)
    return present, values + ["127.0.0.1"] * (len(sources) - len(modeled))


def check_api_key(*_):
    """The authorizer names the API key of the usage plan; ministack expects it in a header."""
    return None, None


gateway._request_identity_sources = request_identity_sources
gateway._check_api_key = check_api_key

from ministack.app import main  # noqa: E402

main()
