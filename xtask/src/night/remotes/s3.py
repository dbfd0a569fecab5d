"""A store of S3 on this machine that checks the signature of each URL with the vendor's own signer.

Prints its host and port, and ends with its input.
"""

import sys
import threading
from urllib.parse import parse_qsl, urlsplit

from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

KEY, SECRET, REGION = "PROWESSTEST", "s3cr3t-key-of-the-test", "us-east-1"

def is_signed(environ):
    raw = environ["REQUEST_URI"]
    query = dict(parse_qsl(urlsplit(raw).query, keep_blank_values=True))
    given = query.get("X-Amz-Signature")
    if not given or query["X-Amz-Credential"].split("/")[0] != KEY:
        return False
    path, _, parameters = raw.partition("?")
    rest = "&".join(it for it in parameters.split("&") if not it.startswith("X-Amz-Signature="))
    host = environ["HTTP_HOST"]
    request = AWSRequest(environ["REQUEST_METHOD"], f"http://{host}{path}?{rest}", {"host": host})
    request.context["timestamp"] = query["X-Amz-Date"]
    signer = S3SigV4QueryAuth(Credentials(KEY, SECRET), "s3", REGION, int(query["X-Amz-Expires"]))
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return signer.signature(text, request) == given

class Checked:
    def __init__(self, store):
        self.store = store

    def __call__(self, environ, start_response):
        if is_signed(environ):
            return self.store(environ, start_response)
        start_response("403 Forbidden", [("Content-Length", "0")])
        return [b""]

s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket("skills", REGION)
store = DomainDispatcherApplication(create_backend_app)
server = make_server("127.0.0.1", 0, Checked(store), threaded=True)
print(f"127.0.0.1:{server.server_port}", flush=True)

threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
