//! Redis Cluster's hash slots.

/// The slot of a key: CRC16 of its hash tag, or of the whole key if it has none.
pub fn slot(key: &[u8]) -> u16 {
    crc16(tag(key)) % 16_384
}

/// What stands between the first `{` and the next `}`, if that is not empty.
fn tag(key: &[u8]) -> &[u8] {
    let Some(open) = key.iter().position(|&byte| byte == b'{') else { return key };
    let inside = &key[open + 1..];
    match inside.iter().position(|&byte| byte == b'}') {
        Some(close) if close > 0 => &inside[..close],
        _ => key,
    }
}

/// CRC16 in the XMODEM variant.
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, &byte| {
        (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
            if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::slot;

    #[test]
    fn slots_are_those_of_redis_cluster() {
        let known =
            [("123456789", 12_739), ("foo", 12_182), ("{user1000}.following", slot(b"user1000"))];
        for (key, expected) in known {
            assert_eq!(slot(key.as_bytes()), expected, "{key}");
        }
    }

    #[test]
    fn an_empty_tag_counts_as_no_tag() {
        assert_ne!(slot(b"foo{}{bar}"), slot(b"bar"));
        assert_eq!(slot(b"foo{{bar}}zap"), slot(b"{bar"));
        assert_eq!(slot(b"foo{bar}{zap}"), slot(b"bar"));
    }
}
