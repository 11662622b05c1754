"""Prints what an account has, one resource a line, so that the difference of two runs is what is new or left."""

import botocore.session

# Service, operation, the member with the list, and the member that identifies an item of it.
LISTS = [
    ("apigateway", "get_api_keys", "items", "id"),
    ("apigateway", "get_rest_apis", "items", "id"),
    ("apigateway", "get_usage_plans", "items", "id"),
    ("cloudformation", "list_stacks", "StackSummaries", "StackName"),
    ("dynamodb", "list_tables", "TableNames", None),
    ("events", "list_rules", "Rules", "Name"),
    ("iam", "list_roles", "Roles", "RoleName"),
    ("lambda", "list_event_source_mappings", "EventSourceMappings", "UUID"),
    ("lambda", "list_functions", "Functions", "FunctionName"),
    ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    ("s3", "list_buckets", "Buckets", "Name"),
    ("secretsmanager", "list_secrets", "SecretList", "Name"),
    ("sesv2", "list_configuration_sets", "ConfigurationSets", None),
    ("sns", "list_topics", "Topics", "TopicArn"),
    ("sqs", "list_queues", "QueueUrls", None),
]

session = botocore.session.get_session()
for service, operation, member, name in LISTS:
    client = session.create_client(service)
    pages = (
        client.get_paginator(operation).paginate()
        if client.can_paginate(operation)
        else [getattr(client, operation)()]
    )
    for page in pages:
        for item in page.get(member, []):
            # A stack that was deleted stays in the list.
            if name and item.get("StackStatus") == "DELETE_COMPLETE":
                continue
            print(service, member, item[name] if name else item)
