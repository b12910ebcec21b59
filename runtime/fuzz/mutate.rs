//! Seeds, cuts of them and mutations, the same on every run: fuzzing as a test.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

/// SplitMix64: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

fn mutate(random: &mut Random, data: &mut Vec<u8>) {
    const TOKENS: &[&str] = &[
        "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "-", "0", "e", "\\ud800", "\u{e9}", "\n", "k8s",
    ];
    for _ in 0..=random.below(3) {
        let at = random.below(data.len() + 1);
        match random.below(5) {
            0 if at < data.len() => data[at] = random.next() as u8,
            1 if at < data.len() => {
                data.remove(at);
            }
            2 if at < data.len() => data[at] ^= 1 << random.below(8),
            3 => {
                let from = random.below(data.len() + 1);
                let piece = data[from.min(at)..from.max(at)].to_vec();
                data.splice(at..at, piece.into_iter().take(40));
            }
            _ => {
                data.splice(at..at, random.pick(TOKENS).bytes());
            }
        }
    }
}

/// Every beginning of each seed, and `rounds` mutations of it.
pub fn run(target: fn(&[u8]), seeds: &[Vec<u8>], rounds: usize) {
    let mut random = Random(1);
    for seed in seeds {
        target(seed);
        for end in 0..seed.len() {
            target(&seed[..end]);
        }
        for _ in 0..rounds {
            let mut data = seed.clone();
            mutate(&mut random, &mut data);
            target(&data);
        }
    }
}
