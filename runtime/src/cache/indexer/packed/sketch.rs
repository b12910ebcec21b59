//! [`Sketch`]: a few numbers that are mostly the same for bytes that are mostly the same.
//!
//! The least hashes of all windows of 32 bytes (Broder's bottom-k sketch, over a gear hash).

/// How many hashes a sketch has.
pub(super) const SKETCH: usize = 16;

/// The least hashes, ascending; fewer for short bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sketch {
    least: [u32; SKETCH],
    len: usize,
}

/// Random numbers for each byte, by splitmix64.
const GEAR: [u64; 256] = {
    let mut table = [0; 256];
    let mut state = 0_u64;
    let mut byte = 0;
    while byte < 256 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        table[byte] = mixed ^ (mixed >> 31);
        byte += 1;
    }
    table
};

impl Sketch {
    pub(super) fn of(bytes: &[u8]) -> Self {
        let mut sketch = Self {
            least: [u32::MAX; SKETCH],
            len: 0,
        };
        let mut hash = 0_u64;
        for (place, byte) in bytes.iter().enumerate() {
            // After 32 shifts by two a byte has left.
            hash = (hash << 2).wrapping_add(GEAR[usize::from(*byte)]);
            let top = (hash >> 32) as u32;
            if top < sketch.least[SKETCH - 1] && place >= 31 {
                sketch.insert(top);
            }
        }
        sketch
    }

    fn insert(&mut self, hash: u32) {
        let Err(place) = self.least[..self.len].binary_search(&hash) else {
            return;
        };
        let end = (self.len + 1).min(SKETCH);
        self.least.copy_within(place..end - 1, place + 1);
        self.least[place] = hash;
        self.len = end;
    }

    pub(super) fn hashes(&self) -> &[u32] {
        &self.least[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_is_the_least_hashes_in_order_and_each_once() {
        let mut random = fastrand::Rng::with_seed(7);
        let bytes: Vec<u8> = (0..4000).map(|_| random.u8(..)).collect();
        let sketch = Sketch::of(&bytes);
        assert_eq!(sketch.hashes().len(), SKETCH);
        assert!(sketch.hashes().is_sorted_by(|left, right| left < right));
        assert_eq!(
            Sketch::of(&[0; 4000]).hashes().len(),
            1,
            "one window, again and again"
        );
        assert_eq!(Sketch::of(&bytes[..31]).hashes(), [0; 0], "shorter than a window");
    }

    #[test]
    fn what_is_mostly_the_same_has_mostly_the_same_sketch() {
        let mut random = fastrand::Rng::with_seed(8);
        let bytes: Vec<u8> = (0..8000).map(|_| random.u8(..)).collect();
        let mut changed = bytes.clone();
        // Another place for all that follows, and some other bytes.
        changed.splice(100..120, [1, 2, 3]);
        changed[4000..4100].fill(9);
        let other: Vec<u8> = (0..8000).map(|_| random.u8(..)).collect();
        let common = |left: &[u8], right: &[u8]| {
            let (left, right) = (Sketch::of(left), Sketch::of(right));
            left.hashes()
                .iter()
                .filter(|hash| right.hashes().contains(hash))
                .count()
        };
        assert!(common(&bytes, &changed) > SKETCH / 2);
        assert_eq!(common(&bytes, &other), 0);
    }
}
