//! Short lists in order. The library's sort is made for long ones, and brings code for each kind of entry.

/// Puts an entry where it belongs in a list in order, unless it is there.
pub fn put<T: Ord>(list: &mut Vec<T>, item: T) {
    if let Err(at) = list.binary_search(&item) {
        list.insert(at, item);
    }
}

/// Puts an entry before the first that `goes_after` it, or last.
pub fn put_before<T>(list: &mut Vec<T>, item: T, goes_after: impl Fn(&T) -> bool) {
    let at = list.iter().position(goes_after).unwrap_or(list.len());
    list.insert(at, item);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stay_in_order_with_each_entry_once() {
        let mut list = Vec::new();
        for it in [3, 1, 2, 3, 1] {
            put(&mut list, it);
        }
        assert_eq!(list, [1, 2, 3]);
        // Equals keep the order they came in.
        let mut pairs = Vec::new();
        for it in [(1, 'a'), (2, 'b'), (1, 'c'), (3, 'd'), (2, 'e')] {
            put_before(&mut pairs, it, |other| other.0 < it.0);
        }
        assert_eq!(pairs, [(3, 'd'), (2, 'b'), (2, 'e'), (1, 'a'), (1, 'c')]);
    }
}
