//! The edge's keys: one secret a key, from which the key of each purpose is derived; rotated with overlap; kept in the
//! database, so that tickets and tokens outlive the process.

use crate::clock::SharedClock;
use crate::sqlite::Database;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::pkcs8::EncodePrivateKey;
use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::{DecodingKey, EncodingKey};
use onsale_pow::Issuer;
use sha2::{Digest, Sha256};
use std::sync::{Arc, RwLock};

const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS edge_keys(
    kid TEXT PRIMARY KEY, secret BLOB NOT NULL, created_at_ms INTEGER NOT NULL, ends_at_ms INTEGER NOT NULL) STRICT";

/// Bytes that nobody can guess.
pub(crate) fn entropy<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// HMAC-SHA256 with a key that was prepared.
pub(crate) type TicketMac = Hmac<Sha256>;

/// A key with all that is derived from its secret.
pub(crate) struct Key {
    /// Names it in tokens and tickets.
    pub(crate) kid: String,
    /// It verifies until then.
    pub(crate) ends_at_ms: u64,
    created_at_ms: u64,
    ticket: TicketMac,
    pub(crate) hs256: (EncodingKey, DecodingKey),
    pub(crate) eddsa: (EncodingKey, DecodingKey),
    /// The public half of `eddsa`, base64url.
    pub(crate) public: String,
    /// Makes and verifies puzzles.
    pub(crate) puzzles: Issuer,
}

impl Key {
    fn derive(secret: &[u8; 32], created_at_ms: u64, ends_at_ms: u64) -> Self {
        let purpose = |name: &str| -> [u8; 32] {
            mac(secret).chain_update(name).finalize().into_bytes().into()
        };
        let signing = ed25519_dalek::SigningKey::from_bytes(&purpose("token eddsa"));
        let private = signing.to_pkcs8_der().expect("a key can be written as PKCS #8");
        let public = URL_SAFE_NO_PAD.encode(signing.verifying_key().as_bytes());
        let hs256 = purpose("token hs256");
        Self {
            kid: hex::encode(&Sha256::digest(signing.verifying_key().as_bytes())[..6]),
            ends_at_ms,
            created_at_ms,
            ticket: mac(&purpose("ticket")),
            hs256: (
                EncodingKey::from_secret(&hs256).expect("32 bytes are long enough"),
                DecodingKey::from_secret(&hs256).expect("32 bytes are long enough"),
            ),
            eddsa: (
                EncodingKey::from_ed_der(private.as_bytes()),
                DecodingKey::from_ed_components(&public).expect("the public key was just encoded"),
            ),
            public,
            puzzles: Issuer::new(&purpose("puzzle")),
        }
    }

    /// A fresh MAC for tickets.
    pub(crate) fn ticket(&self) -> TicketMac {
        self.ticket.clone()
    }
}

fn mac(secret: &[u8; 32]) -> TicketMac {
    TicketMac::new_from_slice(secret).expect("HMAC takes a key of any length")
}

/// All keys that still verify; the newest signs.
pub struct KeyRing {
    keys: RwLock<Arc<[Arc<Key>]>>,
    database: Database,
    clock: SharedClock,
    life_ms: u64,
    overlap_ms: u64,
}

impl KeyRing {
    /// Reads the keys, and makes the first. A key signs for `life_ms` and verifies for `overlap_ms` longer.
    pub async fn open(
        database: Database,
        clock: SharedClock,
        life_ms: u64,
        overlap_ms: u64,
    ) -> Result<Self, rusqlite::Error> {
        database.run(|sql| sql.execute_batch(SCHEMA)).await?;
        let ring = Self { keys: RwLock::new(Arc::new([])), database, clock, life_ms, overlap_ms };
        ring.reload().await?;
        ring.rotate_if_due().await?;
        Ok(ring)
    }

    /// Makes a new key that signs from now on, and drops those that no longer verify.
    pub async fn rotate(&self) -> Result<(), rusqlite::Error> {
        let now = self.clock.wall_ms();
        let ends = now.saturating_add(self.life_ms).saturating_add(self.overlap_ms);
        let secret = entropy::<32>();
        let kid = Key::derive(&secret, now, ends).kid;
        let (until, overlap_ends) = (now, now.saturating_add(self.overlap_ms));
        self.database
            .run(move |sql| {
                let change = sql.transaction()?;
                change.execute("DELETE FROM edge_keys WHERE ends_at_ms <= ?1", [signed(until)])?;
                // Whoever was signed a moment ago stays valid for the overlap, not for the rest of the key's life.
                change.execute(
                    "UPDATE edge_keys SET ends_at_ms = min(ends_at_ms, ?1)",
                    [signed(overlap_ends)],
                )?;
                change.execute(
                    "INSERT INTO edge_keys VALUES (?1, ?2, ?3, ?4)",
                    rusqlite::params![kid, secret, signed(now), signed(ends)],
                )?;
                change.commit()
            })
            .await?;
        self.reload().await
    }

    /// Rotates when the newest key is past its life.
    pub async fn rotate_if_due(&self) -> Result<(), rusqlite::Error> {
        let now = self.clock.wall_ms();
        let due = self
            .all()
            .first()
            .is_none_or(|key| now >= key.created_at_ms.saturating_add(self.life_ms));
        if due { self.rotate().await } else { Ok(()) }
    }

    /// The identifiers of all keys that verify, newest first.
    pub fn identifiers(&self) -> Vec<String> {
        self.live().map(|key| key.kid.clone()).collect()
    }

    /// The key that signs.
    pub(crate) fn newest(&self) -> Arc<Key> {
        Arc::clone(self.all().first().expect("a ring has a key from its opening on"))
    }

    /// The key of that name, if it still verifies.
    pub(crate) fn find(&self, kid: &str) -> Option<Arc<Key>> {
        self.live().find(|key| key.kid == kid)
    }

    /// All keys that verify, newest first.
    pub(crate) fn live(&self) -> impl Iterator<Item = Arc<Key>> {
        let now = self.clock.wall_ms();
        let all = self.all();
        (0..all.len()).map(move |at| Arc::clone(&all[at])).filter(move |key| now < key.ends_at_ms)
    }

    fn all(&self) -> Arc<[Arc<Key>]> {
        Arc::clone(&self.keys.read().expect("nobody panics with the keys in hand"))
    }

    async fn reload(&self) -> Result<(), rusqlite::Error> {
        let rows = self
            .database
            .run(|sql| {
                let order = "SELECT secret, created_at_ms, ends_at_ms FROM edge_keys ORDER BY created_at_ms DESC, rowid DESC";
                let mut query = sql.prepare(order)?;
                let rows = query.query_map([], |row| {
                    Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
                })?;
                rows.collect::<Result<Vec<_>, _>>()
            })
            .await?;
        let keys = rows.iter().map(|(secret, created, ends)| {
            Arc::new(Key::derive(secret, created.unsigned_abs(), ends.unsigned_abs()))
        });
        *self.keys.write().expect("nobody panics with the keys in hand") = keys.collect();
        Ok(())
    }
}

/// As SQLite stores it.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
