//! As much of Thrift's compact protocol as it takes to look at page headers and footers before anything
//! is allocated for what they declare.

/// Bytes that are read from the front. Every step says `None` where they end or make no sense.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

/// What a field holds, by the number the format gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    Bool(bool),
    Byte,
    Int,
    Double,
    Binary,
    List,
    Map,
    Struct,
    Uuid,
}

impl Wire {
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Bool(true),
            2 => Self::Bool(false),
            3 => Self::Byte,
            4..=6 => Self::Int,
            7 => Self::Double,
            8 => Self::Binary,
            9 | 10 => Self::List,
            11 => Self::Map,
            12 => Self::Struct,
            13 => Self::Uuid,
            _ => return None,
        })
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn zigzag(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    pub(super) fn int(&mut self) -> Option<i32> {
        i32::try_from(self.zigzag()?).ok()
    }

    /// Gives each field of a struct to `each`, which reads it or leaves it to be skipped by saying
    /// `Some(false)`.
    pub(super) fn fields(
        &mut self,
        mut each: impl FnMut(i64, Wire, &mut Self) -> Option<bool>,
    ) -> Option<()> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            id = match head >> 4 {
                0 => self.zigzag()?,
                step => id.checked_add(i64::from(step))?,
            };
            let wire = Wire::of(head & 15)?;
            if !each(id, wire, self)? {
                self.skip(wire, 0)?;
            }
        }
    }

    /// How many elements follow, and of what kind. Each takes a byte at least.
    pub(super) fn list(&mut self) -> Option<(usize, Wire)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            count => usize::from(count),
        };
        (count <= self.rest.len()).then_some(())?;
        Some((count, Wire::of(head & 15)?))
    }

    fn skip(&mut self, wire: Wire, depth: u32) -> Option<()> {
        const DEEPEST: u32 = 32;
        if DEEPEST < depth {
            return None;
        }
        match wire {
            Wire::Bool(_) => {}
            Wire::Byte => {
                self.byte()?;
            }
            Wire::Int => {
                self.varint()?;
            }
            Wire::Double => {
                self.take(8)?;
            }
            Wire::Uuid => {
                self.take(16)?;
            }
            Wire::Binary => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.take(length)?;
            }
            Wire::List => {
                let (count, wire) = self.list()?;
                for _ in 0..count {
                    self.skip_element(wire, depth)?;
                }
            }
            Wire::Map => {
                let count = self.varint()?;
                if count != 0 {
                    let kinds = self.byte()?;
                    let (key, value) = (Wire::of(kinds >> 4)?, Wire::of(kinds & 15)?);
                    for _ in 0..count {
                        self.skip_element(key, depth)?;
                        self.skip_element(value, depth)?;
                    }
                }
            }
            Wire::Struct => loop {
                let head = self.byte()?;
                if head == 0 {
                    break;
                }
                if head >> 4 == 0 {
                    self.zigzag()?;
                }
                self.skip(Wire::of(head & 15)?, depth + 1)?;
            },
        }
        Some(())
    }

    /// In a list even a truth value takes a byte.
    fn skip_element(&mut self, wire: Wire, depth: u32) -> Option<()> {
        match wire {
            Wire::Bool(_) => self.byte().map(|_| ()),
            other => self.skip(other, depth + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_ends_are_noticed() {
        assert_eq!(Reader::new(&[0xac, 0x02]).varint(), Some(300));
        assert_eq!(Reader::new(&[0x03]).zigzag(), Some(-2));
        assert_eq!(Reader::new(&[0x80]).varint(), None);
        assert_eq!(Reader::new(&[0xff; 11]).varint(), None);
    }

    #[test]
    fn unknown_fields_are_passed_over() {
        // 1: i32 7, 2: list of two bools, 9: struct { 1: binary "ab" }, 10: i32 -1
        let bytes = [0x15, 14, 0x19, 0x21, 1, 2, 0x7c, 0x18, 2, b'a', b'b', 0, 0x15, 1, 0];
        let mut seen = Vec::new();
        let mut reader = Reader::new(&bytes);
        let end = reader.fields(|id, wire, reader| {
            let wanted = wire == Wire::Int;
            if wanted {
                seen.push((id, reader.int()?));
            }
            Some(wanted)
        });
        assert_eq!(end, Some(()));
        assert_eq!(seen, [(1, 7), (10, -1)]);
        assert_eq!(reader.left(), 0);
    }

    #[test]
    fn what_nests_without_end_is_refused() {
        assert_eq!(Reader::new(&[0x1c; 4000]).fields(|_, _, _| Some(false)), None);
    }
}
