//! Who is before whom when chance decides.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::BTreeMap;

/// A keyed hash of each join decides. Nobody can aim at a rank without the seed, and the same seed and joins
/// give the same ranks after a restart. Ranks are 1 to the last of `seqs`, whose gaps stay gaps.
pub(super) fn ranks(seed: &[u8; 32], seqs: &[u64]) -> BTreeMap<u64, u64> {
    let draw = |seq: u64| -> [u8; 32] {
        let mac = Hmac::<Sha256>::new_from_slice(seed).expect("HMAC takes a key of any length");
        mac.chain_update(seq.to_be_bytes()).finalize().into_bytes().into()
    };
    let mut order = seqs.iter().map(|&seq| (draw(seq), seq)).collect::<Vec<_>>();
    order.sort_unstable();
    order.into_iter().map(|(_, seq)| seq).zip(1..).collect()
}

#[cfg(test)]
mod tests {
    use super::ranks;

    #[test]
    fn the_lottery_gives_each_rank_once_and_favours_nobody() {
        let seqs = (1..=200).collect::<Vec<_>>();
        let mut sums = vec![0_u64; 200];
        for seed in 0..300_u16 {
            let mut bytes = [0; 32];
            bytes[..2].copy_from_slice(&seed.to_be_bytes());
            let drawn = ranks(&bytes, &seqs);
            assert_eq!(drawn, ranks(&bytes, &seqs), "the same seed gives the same draw");
            let mut all = drawn.values().copied().collect::<Vec<_>>();
            all.sort_unstable();
            assert_eq!(all, seqs, "each rank once");
            for (&seq, &rank) in &drawn {
                sums[usize::try_from(seq).unwrap() - 1] += rank;
            }
        }
        // The mean rank of anybody is 100.5 with a deviation of 3.3: the early have no advantage over the late.
        let early = sums[..100].iter().sum::<u64>() / (300 * 100);
        let late = sums[100..].iter().sum::<u64>() / (300 * 100);
        assert!(early.abs_diff(late) <= 3, "{early} {late}");
        assert!(sums.iter().all(|sum| (80..=121).contains(&(sum / 300))), "{sums:?}");
    }
}
