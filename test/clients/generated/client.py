"""A client of openapi-python-client: logs in, lists, creates and publishes."""

import json
import os

from headless_content_service_client import AuthenticatedClient, Client
from headless_content_service_client.api.admin_posts import admin_create_post, admin_publish_post
from headless_content_service_client.api.auth import login
from headless_content_service_client.api.posts import list_posts
from headless_content_service_client.models import AdminCreatePostInput, LoginInput

API = os.environ.get("API", "http://127.0.0.1:3000")
readers = Client(base_url=API)
admin = AuthenticatedClient(base_url=API, token=os.environ["ADMIN_TOKEN"])


def answer_of(response):
    """The answer of a success. A failure has `errors`, and its `message` says what to do."""
    if not response.success:
        raise SystemExit(response.message)
    return response


credentials = LoginInput(email=os.environ["EMAIL"], password=os.environ["PASSWORD"])
session = answer_of(login.sync(client=readers, body=credentials)).data
total = answer_of(list_posts.sync(client=readers, per_page=2)).pagination.total

draft = AdminCreatePostInput(title="From Python", body="<p>Hello.</p>")
created = answer_of(admin_create_post.sync(client=admin, body=draft)).data
post = answer_of(admin_publish_post.sync(client=admin, id=created.id)).data

print(json.dumps({"user": session.user.email, "total": total, "slug": post.slug, "status": str(post.status)}))
