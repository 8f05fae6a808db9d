//! Where strings without their escapes are put, one behind the other.

use super::find::BLOCK;

/// Bytes that are written in blocks of a fixed size, of which only the first may count: a copy of a
/// length known beforehand is one instruction, and others are a call.
#[derive(Default)]
pub(super) struct Arena(Vec<u8>);

impl Arena {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn make_room(&mut self, more: usize) {
        self.0.reserve(more);
    }

    #[inline]
    pub(super) fn add_one(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// The first `len` bytes of a block.
    #[inline]
    pub(super) fn add_some<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        let used = self.0.len();
        self.0.extend_from_slice(block);
        self.0.truncate(used + len);
    }

    /// What stands in a file from one place to another.
    #[inline]
    pub(super) fn add_all(&mut self, file: &[u8], mut from: usize, to: usize) {
        while from < to {
            let len = (2 * BLOCK).min(to - from);
            match file.get(from..).and_then(<[u8]>::first_chunk::<{ 2 * BLOCK }>) {
                Some(block) => self.add_some(block, len),
                None => self.0.extend_from_slice(&file[from..to]),
            }
            from += 2 * BLOCK;
        }
    }
}
