"""An unmodified Stripe SDK against the provider: argv is base URL, secret key, webhook secret, webhook port.

Prints `all passed` at the end; any failed assertion ends it with a traceback.
"""

import http.server
import queue
import sys
import threading
import time

import stripe

base, secret_key, webhook_secret, port = sys.argv[1:5]
stripe.api_base = base
stripe.api_key = secret_key
stripe.max_network_retries = 0

webhooks = queue.Queue()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        webhooks.put((body, self.headers["stripe-signature"]))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"expected {kind.__name__}")


def settled(intent_id):
    for _ in range(500):
        intent = stripe.PaymentIntent.retrieve(intent_id)
        if intent.status != "processing":
            return intent
        time.sleep(0.01)
    raise AssertionError(f"{intent_id} is processing for ever")


# Create, idempotently.
create = dict(
    amount=4200,
    currency="usd",
    payment_method_types=["card"],
    metadata={"order_id": "o 1", "account": "buyer-17", "attempt_id": "a1"},
    idempotency_key="a1",
)
intent = stripe.PaymentIntent.create(**create)
assert intent.status == "requires_payment_method", intent
assert intent.metadata["order_id"] == "o 1", intent
again = stripe.PaymentIntent.create(**create)
assert again.id == intent.id
assert again.last_response.headers["idempotent-replayed"] == "true"
error = refused(stripe.IdempotencyError, lambda: stripe.PaymentIntent.create(**{**create, "amount": 1}))
assert error.http_status == 400, error

# A decline goes back; the second card passes.
error = refused(
    stripe.CardError,
    lambda: stripe.PaymentIntent.confirm(intent.id, payment_method="pm_card_chargeDeclined"),
)
assert error.code == "card_declined" and error.http_status == 402, error
assert stripe.PaymentIntent.retrieve(intent.id).status == "requires_payment_method"
assert stripe.PaymentIntent.confirm(intent.id, payment_method="pm_card_visa").status == "processing"
intent = settled(intent.id)
assert intent.status == "succeeded" and intent.amount_received == 4200, intent

# The webhook verifies, with the right secret only.
while True:
    body, signature = webhooks.get(timeout=10)
    event = stripe.Webhook.construct_event(body, signature, webhook_secret)
    if event.type == "payment_intent.succeeded":
        break
assert event.data.object.id == intent.id and event.data.object.metadata["account"] == "buyer-17", event
refused(
    stripe.SignatureVerificationError,
    lambda: stripe.Webhook.construct_event(body, signature, "whsec_wrong"),
)

# A captured payment cannot be cancelled; it can be refunded, in parts, and no more than it was.
error = refused(stripe.InvalidRequestError, lambda: stripe.PaymentIntent.cancel(intent.id))
assert error.code == "payment_intent_unexpected_state", error
part = stripe.Refund.create(payment_intent=intent.id, amount=1200)
assert part.status == "succeeded" and part.amount == 1200, part
rest = stripe.Refund.create(charge=intent.latest_charge)
assert rest.amount == 3000, rest
error = refused(stripe.InvalidRequestError, lambda: stripe.Refund.create(payment_intent=intent.id))
assert error.code == "charge_already_refunded", error
assert [r.id for r in stripe.Refund.list(payment_intent=intent.id).data] == [rest.id, part.id]

# An open payment can be cancelled.
other = stripe.PaymentIntent.create(amount=100, currency="eur", payment_method="pm_card_visa")
assert other.status == "requires_confirmation", other
other = stripe.PaymentIntent.cancel(other.id, cancellation_reason="abandoned")
assert other.status == "canceled" and other.cancellation_reason == "abandoned", other

# Events, page by page, newest first.
for _ in range(500):
    if not stripe.Event.list(delivery_success=False).data:
        break
    time.sleep(0.01)
kinds = [event.type for event in stripe.Event.list(limit=2).auto_paging_iter()]
assert sorted(kinds) == sorted([
    "payment_intent.payment_failed",
    "payment_intent.succeeded",
    "charge.refunded",
    "charge.refunded",
    "payment_intent.canceled",
]), kinds
assert kinds[0] == "payment_intent.canceled", kinds
assert stripe.Event.list(delivery_success=False).data == []

# A wrong key and a payment that is not there.
error = refused(stripe.AuthenticationError, lambda: stripe.Event.list(api_key="sk_wrong"))
assert error.http_status == 401, error
error = refused(stripe.InvalidRequestError, lambda: stripe.PaymentIntent.retrieve("pi_nothing"))
assert error.http_status == 404, error

print("all passed")
