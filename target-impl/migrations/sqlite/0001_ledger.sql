-- The ledger: the only truth about stock, holds and money.
--
-- Lock order everywhere: buckets (sorted), then holds, then quota (sorted).

CREATE TABLE events (
  event   TEXT PRIMARY KEY,
  config  TEXT NOT NULL
) WITHOUT ROWID;

-- Σ cap of an item's buckets = released.
CREATE TABLE items (
  event     TEXT NOT NULL REFERENCES events,
  sku       TEXT NOT NULL,
  stock     INTEGER NOT NULL,
  released  INTEGER NOT NULL,
  PRIMARY KEY (event, sku),
  CHECK (0 <= released AND released <= stock)
) WITHOUT ROWID;

-- taken = Σ quantity of the bucket's lines whose hold is HELD, PAYING or CONFIRMED.
CREATE TABLE buckets (
  event        TEXT NOT NULL,
  sku          TEXT NOT NULL,
  shard        INTEGER NOT NULL,
  cap          INTEGER NOT NULL,
  taken        INTEGER NOT NULL DEFAULT 0,
  epoch        INTEGER NOT NULL DEFAULT 1,
  lease_clock  INTEGER NOT NULL DEFAULT 0,
  fence        INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (event, sku, shard),
  FOREIGN KEY (event, sku) REFERENCES items,
  CHECK (0 <= taken AND taken <= cap)
) WITHOUT ROWID;

CREATE TABLE quota (
  event        TEXT NOT NULL,
  scope        TEXT NOT NULL CHECK (scope IN ('account', 'instrument')),
  key          TEXT NOT NULL,
  taken        INTEGER NOT NULL,
  limit_units  INTEGER NOT NULL,
  PRIMARY KEY (event, scope, key),
  CHECK (0 <= taken AND taken <= limit_units)
) WITHOUT ROWID;

-- REFUSED is a verdict that was told; it is kept so that a repeat is told the same.
CREATE TABLE holds (
  seq             INTEGER PRIMARY KEY,
  hold_id         TEXT NOT NULL UNIQUE,
  body_hash       TEXT NOT NULL,
  event           TEXT NOT NULL REFERENCES events,
  account         TEXT NOT NULL,
  instrument      TEXT,
  state           TEXT NOT NULL CHECK (state IN ('HELD', 'PAYING', 'CONFIRMED', 'EXPIRED', 'CANCELLED', 'FAILED', 'REFUSED')),
  reason          TEXT,
  fence           INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,
  promised_until  INTEGER NOT NULL,
  expires_at      INTEGER NOT NULL
);
CREATE INDEX holds_due ON holds (expires_at) WHERE state = 'HELD';
CREATE INDEX holds_that_count ON holds (event) WHERE state IN ('HELD', 'PAYING', 'CONFIRMED');
CREATE INDEX holds_of_account ON holds (event, account, state);

CREATE TABLE hold_lines (
  hold_id  TEXT NOT NULL REFERENCES holds (hold_id),
  sku      TEXT NOT NULL,
  shard    INTEGER NOT NULL,
  qty      INTEGER NOT NULL CHECK (qty > 0),
  counted  INTEGER NOT NULL DEFAULT 1,
  PRIMARY KEY (hold_id, sku)
) WITHOUT ROWID;
CREATE INDEX lines_of_bucket ON hold_lines (sku, shard);

CREATE TABLE orders (
  seq         INTEGER PRIMARY KEY,
  order_id    TEXT NOT NULL UNIQUE,
  hold_id     TEXT NOT NULL REFERENCES holds (hold_id),
  account     TEXT NOT NULL,
  instrument  TEXT NOT NULL,
  amount      INTEGER NOT NULL,
  currency    TEXT NOT NULL
);
CREATE INDEX orders_of_account ON orders (account, seq);
CREATE INDEX orders_of_hold ON orders (hold_id);

-- attempt_id is the provider's idempotency key and travels in its metadata.
CREATE TABLE payments (
  attempt_id     TEXT PRIMARY KEY,
  hold_id        TEXT NOT NULL REFERENCES holds (hold_id),
  order_id       TEXT NOT NULL,
  psp_ref        TEXT UNIQUE,
  client_secret  TEXT,
  state          TEXT NOT NULL CHECK (state IN ('INIT', 'CAPTURED', 'FAILED', 'REFUND_DUE', 'REFUNDED')),
  captured       INTEGER NOT NULL DEFAULT 0,
  refund_no      INTEGER NOT NULL DEFAULT 1,
  pay_until      INTEGER NOT NULL,
  polls          INTEGER NOT NULL DEFAULT 0,
  next_poll_at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX payments_of_hold ON payments (hold_id);
CREATE INDEX payments_to_poll ON payments (next_poll_at) WHERE state IN ('INIT', 'FAILED');
CREATE INDEX payments_to_refund ON payments (attempt_id) WHERE state = 'REFUND_DUE';

CREATE TABLE inbox (
  event_id  TEXT PRIMARY KEY
) WITHOUT ROWID;

-- Units to give back to the admission store, at the epoch their bucket had then.
CREATE TABLE outbox (
  id       INTEGER PRIMARY KEY,
  event    TEXT NOT NULL,
  sku      TEXT NOT NULL,
  shard    INTEGER NOT NULL,
  epoch    INTEGER NOT NULL,
  hold_id  TEXT NOT NULL,
  qty      INTEGER NOT NULL
);
