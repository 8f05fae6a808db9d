//! Names of systems as numbers, found again without reading most of their bytes twice.

/// Numbers from 0 in order of appearance.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: Vec<u8>,
    /// Where each name ends in `text`.
    ends: Vec<usize>,
    /// By the mixed-up key: numbers plus one, or nothing. A power of two of them, at most half full.
    slots: Vec<u32>,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The number of a name that was added.
    #[inline]
    pub(super) fn known(&self, name: &[u8]) -> Option<u32> {
        let last = self.slots.len().checked_sub(1)?;
        let mut at = key(name) as usize & last;
        while self.slots[at] != 0 {
            let number = self.slots[at] - 1;
            if self.bytes(number as usize) == name {
                return Some(number);
            }
            at = (at + 1) & last;
        }
        None
    }

    /// The number of a name, a new one where it was not known.
    pub(super) fn add(&mut self, name: &[u8]) -> u32 {
        if let Some(known) = self.known(name) {
            return known;
        }
        let number = self.ends.len() as u32;
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        if self.slots.len() < 2 * self.ends.len() {
            self.slots = vec![0; (self.slots.len() * 2).max(512)];
            for number in 0..self.ends.len() as u32 {
                self.place(number);
            }
        } else {
            self.place(number);
        }
        number
    }

    pub(super) fn name(&self, number: u32) -> String {
        String::from_utf8_lossy(self.bytes(number as usize)).into_owned()
    }

    pub(super) fn list(&self) -> Vec<String> {
        (0..self.ends.len() as u32).map(|number| self.name(number)).collect()
    }

    fn place(&mut self, number: u32) {
        let last = self.slots.len() - 1;
        let mut at = key(self.bytes(number as usize)) as usize & last;
        while self.slots[at] != 0 {
            at = (at + 1) & last;
        }
        self.slots[at] = number + 1;
    }

    #[inline]
    fn bytes(&self, number: usize) -> &[u8] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[start..self.ends[number]]
    }
}

/// Length, first and last eight bytes, and eight from the middle. Names that share all these are told apart
/// by comparison, only slower.
#[inline]
fn key(name: &[u8]) -> u64 {
    let (start, middle, end) =
        if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
            let half = name.len() / 2 - 4;
            let middle = name[half..].first_chunk().copied().unwrap_or_default();
            (u64::from_le_bytes(*first), u64::from_le_bytes(middle), u64::from_le_bytes(*last))
        } else {
            let word = name.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            (word, 0, 0)
        };
    // Odd numbers with digits of the golden ratio and of π: products spread, the highest bits most.
    let mixed = start.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ end.wrapping_add(name.len() as u64).wrapping_mul(0x2439_F6A8_885A_308D).rotate_left(29)
        ^ middle.wrapping_mul(0x1319_8A2E_0370_7345).rotate_left(47);
    mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_anywhere_differ() {
        let mut names = Names::default();
        let all: Vec<String> = (0..1500)
            .map(|at| format!("a-system-of-long-{at:04}-and-so-on-name"))
            .chain((0..100).map(|at| at.to_string()))
            .collect();
        for (number, name) in all.iter().enumerate() {
            assert_eq!(names.add(name.as_bytes()), number as u32);
        }
        for (number, name) in all.iter().enumerate() {
            assert_eq!(names.known(name.as_bytes()), Some(number as u32));
        }
        assert_eq!(names.known(b"another"), None);
        assert_eq!(names.list(), all);
    }
}
