//! Where strings without their escapes are put, one behind the other.

use super::find::BLOCK;

/// Bytes that are written in blocks of a fixed size, of which only the first may count: a copy of a
/// length known beforehand is one instruction, and others are a call.
#[derive(Default)]
pub(super) struct Arena {
    /// Longer than what was written: there is mostly room for a block.
    bytes: Vec<u8>,
    used: usize,
}

impl Arena {
    pub(super) fn len(&self) -> usize {
        self.used
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.used);
        self.bytes
    }

    pub(super) fn make_room(&mut self, more: usize) {
        self.bytes.reserve(more);
    }

    #[inline]
    pub(super) fn add_one(&mut self, byte: u8) {
        self.add_some(&[byte; BLOCK], 1);
    }

    /// The first `len` bytes of a block.
    #[inline]
    pub(super) fn add_some(&mut self, block: &[u8; BLOCK], len: usize) {
        loop {
            if let Some(room) = self.bytes.get_mut(self.used..).and_then(<[u8]>::first_chunk_mut) {
                *room = *block;
                self.used += len;
                return;
            }
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        const STEP: usize = 1 << 12;
        self.bytes.resize(self.used + STEP, 0);
    }
}
