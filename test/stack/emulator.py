"""Starts ministack with what it lacks and the template uses: features of API Gateway, and some types."""

import ministack.services.apigateway_v1 as gateway
import ministack.services.cloudformation.provisioners as cloudformation

# Types that ministack does not know. It accepts them and makes nothing; what of them is checked elsewhere.
MISSING_TYPES = {
    "AWS::Backup::BackupSelection": "test/shape/backups.test.ts: the table alone is selected",
    "AWS::Budgets::Budget": "test/shape/runbook.test.ts: its amount and notices",
    "AWS::CodeDeploy::Application": "test/shape/traffic.test.ts; an alias moves at once here",
    "AWS::CodeDeploy::DeploymentGroup": "test/shape/traffic.test.ts: what moves, and what moves it back",
    "AWS::WAFv2::WebACLAssociation": "test/shape/stack.test.ts: the rule is in front of the API",
}


def create_nothing(logical_id, _, stack_name):
    return f"{stack_name}-{logical_id}", {}


def update_nothing(physical_id, *_):
    return physical_id, {}


for name in MISSING_TYPES:
    cloudformation._RESOURCE_HANDLERS[name] = {
        "create": create_nothing,
        "update": update_nothing,
        "delete": lambda *_: None,
    }

alarm_of = cloudformation._cw_metric_alarm_record


def alarm_of_first_metric(name, props):
    """ministack has no alarms over several metrics: such an alarm watches the first of them."""
    stats = [metric["MetricStat"] for metric in props.get("Metrics", []) if "MetricStat" in metric]
    first = {"Metrics": None, "Period": stats[0]["Period"], **stats[0]["Metric"]} if stats else {}
    return alarm_of(name, {**props, **first})


cloudformation._cw_metric_alarm_record = alarm_of_first_metric

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


import_path_item = gateway._import_path_item
import_operation = gateway._import_operation
import_rest_api = gateway._import_rest_api
ANY = "x-amazon-apigateway-any-method"


def import_any(api_id, path, path_item, *schemes):
    """The method ANY has a name of its own in a document, which ministack skips."""
    import_path_item(api_id, path, path_item, *schemes)
    if ANY in path_item:
        resources = gateway._resources[api_id].items()
        resource_id = next(id for id, resource in resources if resource["path"] == path)
        import_operation(api_id, resource_id, "ANY", path_item[ANY], *schemes)


def import_mock(api_id, resource_id, method, operation, *schemes):
    """Of a mock integration, ministack takes neither the template nor the response."""
    import_operation(api_id, resource_id, method, operation, *schemes)
    integration = operation["x-amazon-apigateway-integration"]
    if integration["type"] == "mock":
        gateway._put_integration(api_id, resource_id, method, {**integration, "type": "MOCK"})
        for response in integration["responses"].values():
            gateway._put_integration_response(
                api_id, resource_id, method, response["statusCode"], response
            )


def import_responses(spec, base_data=None):
    """ministack takes no responses of the gateway itself from a document."""
    api_id = import_rest_api(spec, base_data)
    for name, response in spec.get("x-amazon-apigateway-gateway-responses", {}).items():
        gateway._put_gateway_response(api_id, name, response)
    return api_id


gateway._import_path_item = import_any
gateway._import_operation = import_mock
gateway._import_rest_api = import_responses
gateway._request_identity_sources = request_identity_sources
gateway._check_api_key = check_api_key

from ministack.app import main  # noqa: E402

main()
