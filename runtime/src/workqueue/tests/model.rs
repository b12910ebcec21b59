//! Random operations on a queue and on a reference that is too simple to be wrong.

use std::collections::BTreeMap;

use tokio::time::Instant;

use super::*;

/// A queue as a list, a set and a map.
struct Model {
    order: Order,
    supersede: bool,
    ready: Vec<Waiting>,
    /// Running keys, and what they were asked for with meanwhile.
    running: BTreeMap<u32, Option<i32>>,
    delayed: BTreeMap<u32, (Instant, u64, i32)>,
    closing: bool,
    count: u64,
    added: u64,
}

struct Waiting {
    key: u32,
    priority: i32,
    since: Instant,
    /// When it came, among all.
    number: u64,
}

impl Model {
    fn number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    fn settle(&mut self) {
        let now = Instant::now();
        loop {
            let due = self.delayed.iter().filter(|(_, (at, ..))| *at <= now);
            let Some((key, (at, _, priority))) = due.min_by_key(|(_, (at, number, _))| (*at, *number)) else {
                return;
            };
            let (key, at, priority) = (*key, *at, *priority);
            self.delayed.remove(&key);
            self.enqueue(key, priority, at);
        }
    }

    fn enqueue(&mut self, key: u32, priority: i32, since: Instant) -> Added {
        self.added += 1;
        if let Some(again) = self.running.get_mut(&key) {
            *again = Some(again.map_or(priority, |known| known.max(priority)));
            return Added::AfterRun;
        }
        if let Some(waiting) = self.ready.iter_mut().find(|waiting| waiting.key == key) {
            waiting.priority = waiting.priority.max(priority);
            return Added::Coalesced;
        }
        let number = self.number();
        self.ready.push(Waiting {
            key,
            priority,
            since,
            number,
        });
        Added::Queued
    }

    fn add(&mut self, key: u32, priority: i32) -> Added {
        self.settle();
        if self.closing {
            return Added::Refused;
        }
        if self.supersede {
            self.delayed.remove(&key);
        }
        self.enqueue(key, priority, Instant::now())
    }

    fn delay(&mut self, key: u32, priority: i32, after: Duration) -> Added {
        self.settle();
        if self.closing {
            return Added::Refused;
        }
        let (at, number) = (Instant::now() + after, self.number());
        let new = match self.delayed.get(&key) {
            Some((known, first, other)) if *known <= at => (*known, *first, priority.max(*other)),
            Some((_, _, other)) => (at, number, priority.max(*other)),
            None => (at, number, priority),
        };
        self.delayed.insert(key, new);
        Added::Delayed
    }

    /// The urgency of a waiting key, in microseconds of waiting.
    fn urgency(&self, waiting: &Waiting) -> i64 {
        let waited = i64::try_from(waiting.since.elapsed().as_micros()).unwrap();
        match self.order {
            Order::Fifo => 0,
            Order::Priority { point: None } => i64::from(waiting.priority),
            Order::Priority { point: Some(point) } => {
                i64::from(waiting.priority) * i64::try_from(point.as_micros()).unwrap() + waited
            }
        }
    }

    fn get(&mut self) -> Option<(u32, i32)> {
        self.settle();
        let first = (0..self.ready.len()).min_by_key(|index| {
            let waiting = &self.ready[*index];
            (-self.urgency(waiting), waiting.number)
        })?;
        let Waiting { key, priority, .. } = self.ready.remove(first);
        self.running.insert(key, None);
        Some((key, priority))
    }

    fn finish(&mut self, key: u32) {
        self.settle();
        if let Some(priority) = self.running.remove(&key).unwrap() {
            let number = self.number();
            self.ready.push(Waiting {
                key,
                priority,
                since: Instant::now(),
                number,
            });
        }
    }

    fn close(&mut self) {
        self.closing = true;
        self.delayed.clear();
    }
}

async fn check(seed: u64, order: Order, supersede: bool) {
    let mut random = fastrand::Rng::with_seed(seed);
    let queue = WorkQueue::with_options(QueueOptions {
        order,
        supersede_delayed: supersede,
        ..QueueOptions::default()
    });
    let mut model = Model {
        order,
        supersede,
        ready: Vec::new(),
        running: BTreeMap::new(),
        delayed: BTreeMap::new(),
        closing: false,
        count: 0,
        added: 0,
    };
    let mut items: Vec<Item<'_, u32>> = Vec::new();
    for step in 0..400 {
        let (key, priority) = (random.u32(0..12), random.i32(-3..3));
        let place = format!("seed {seed}, step {step}, {order:?}");
        match random.u32(0..100) {
            0..30 => {
                let request = with_priority(priority);
                assert_eq!(queue.add_with(key, request), model.add(key, priority), "{place}");
            }
            30..45 => {
                let after = Duration::from_millis(random.u64(1..50));
                let request = Request { priority, after };
                assert_eq!(
                    queue.add_with(key, request),
                    model.delay(key, priority, after),
                    "{place}"
                );
            }
            45..50 => {
                let known = model.delayed.remove(&key).is_some();
                assert_eq!(queue.cancel_delayed(&key), known, "{place}");
            }
            50..70 => {
                let got = queue.get().now_or_never().flatten();
                let seen = got.as_ref().map(|item| (**item, item.priority()));
                assert_eq!(seen, model.get(), "{place}");
                items.extend(got);
            }
            70..85 if !items.is_empty() => {
                let item = items.swap_remove(random.usize(0..items.len()));
                let key = *item;
                drop(item);
                model.finish(key);
            }
            85..99 => tokio::time::sleep(Duration::from_millis(random.u64(1..20))).await,
            _ if step > 300 => {
                queue.shutdown();
                model.close();
            }
            _ => {}
        }
        let stats = queue.stats();
        model.settle();
        let seen = (stats.ready, stats.running, stats.delayed, stats.added);
        let expected = (
            model.ready.len(),
            model.running.len(),
            model.delayed.len(),
            model.added,
        );
        assert_eq!(seen, expected, "{place}");
    }
}

#[tokio::test(start_paused = true)]
async fn queues_do_what_the_reference_does() {
    let orders = [
        Order::Fifo,
        Order::by_priority(),
        Order::Priority { point: None },
        Order::Priority {
            point: Some(Duration::from_millis(7)),
        },
    ];
    for seed in 0..150 {
        for order in orders {
            check(seed, order, seed % 2 == 0).await;
        }
    }
}
