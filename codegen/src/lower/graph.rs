//! Strongly connected components.

use std::collections::{BTreeMap, BTreeSet};

/// For each node the nodes that it reaches and that reach it, itself included.
///
/// Small graphs only: the closure is computed.
pub(super) fn components<N: Ord + Clone>(edges: &BTreeMap<N, BTreeSet<N>>) -> BTreeMap<N, BTreeSet<N>> {
    let closure: BTreeMap<N, BTreeSet<N>> = edges
        .keys()
        .map(|node| (node.clone(), reachable(node, edges)))
        .collect();
    let mutual = |node: &N| {
        let reached = closure.get(node).into_iter().flatten();
        let mut component: BTreeSet<N> = reached
            .filter(|other| closure.get(*other).is_some_and(|back| back.contains(node)))
            .cloned()
            .collect();
        component.insert(node.clone());
        component
    };
    edges.keys().map(|node| (node.clone(), mutual(node))).collect()
}

/// What a node reaches over at least one edge.
pub(super) fn reachable<N: Ord + Clone>(from: &N, edges: &BTreeMap<N, BTreeSet<N>>) -> BTreeSet<N> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&N> = edges.get(from).into_iter().flatten().collect();
    while let Some(node) = open.pop() {
        if seen.insert(node.clone()) {
            open.extend(edges.get(node).into_iter().flatten());
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_components() {
        let edges = [
            ("a", vec!["b"]),
            ("b", vec!["c"]),
            ("c", vec!["b", "d"]),
            ("d", vec!["d"]),
            ("e", vec![]),
        ];
        let edges: BTreeMap<_, BTreeSet<_>> = edges
            .into_iter()
            .map(|(node, to)| (node, to.into_iter().collect()))
            .collect();
        let components = components(&edges);
        for (node, expected) in [
            ("a", vec!["a"]),
            ("b", vec!["b", "c"]),
            ("c", vec!["b", "c"]),
            ("d", vec!["d"]),
        ] {
            assert_eq!(components[node].iter().copied().collect::<Vec<_>>(), expected);
        }
        assert_eq!(
            reachable(&"a", &edges).into_iter().collect::<Vec<_>>(),
            ["b", "c", "d"]
        );
        assert!(reachable(&"e", &edges).is_empty());
    }
}
