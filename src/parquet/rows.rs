//! Rows put together from columns, by their levels, and written as they come.

use parquet::data_type::AsBytes as _;
use parquet::errors::ParquetError;

use super::column::{Column, Values, unsound};
use super::json::{self, Unwritable};
use super::schema::{Kind, Node, Repeated, Shape};

/// Why no more rows are written.
#[derive(Debug)]
pub(super) enum Stop {
    Damaged(ParquetError),
    /// The text would grow beyond what is read.
    TooLarge,
}

impl From<ParquetError> for Stop {
    fn from(error: ParquetError) -> Self {
        Self::Damaged(error)
    }
}

pub(super) struct Rows<'a> {
    columns: &'a mut [Column],
    out: &'a mut Vec<u8>,
    /// How long the text may get, in bytes.
    limit: usize,
    /// What was written as null in this row, by column.
    lost: Vec<(usize, Unwritable)>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(columns: &'a mut [Column], out: &'a mut Vec<u8>, limit: usize) -> Self {
        Self { columns, out, limit, lost: Vec::new() }
    }

    /// Writes the next row on a line, and gives what had to be left out of it.
    pub(super) fn row(&mut self, root: &Node) -> Result<Vec<(usize, Unwritable)>, Stop> {
        self.node(root)?;
        self.out.push(b'\n');
        if !self.columns.iter().all(Column::at_row) {
            return Err(unsound().into());
        }
        if self.limit < self.out.len() {
            return Err(Stop::TooLarge);
        }
        Ok(std::mem::take(&mut self.lost))
    }

    fn node(&mut self, node: &Node) -> Result<(), Stop> {
        if let Shape::Leaf(kind) = node.shape {
            return self.leaf(node.first, kind);
        }
        if let Some(present) = node.present
            && self.defined(node)? < present
        {
            self.out.extend_from_slice(b"null");
            return self.pass(node);
        }
        match &node.shape {
            Shape::Leaf(_) => {}
            Shape::Struct(fields) => {
                let mut before = b'{';
                for (key, field) in fields {
                    self.out.push(before);
                    self.out.extend_from_slice(key);
                    self.node(field)?;
                    before = b',';
                }
                self.out.push(b'}');
            }
            Shape::List(repeated, element) => {
                self.out.push(b'[');
                self.each(node, *repeated, |rows| rows.node(element))?;
                self.out.push(b']');
            }
            Shape::Map(repeated, key, value) => {
                self.out.push(b'{');
                self.each(node, *repeated, |rows| {
                    rows.key(node.first, *key)?;
                    rows.out.push(b':');
                    rows.node(value)
                })?;
                self.out.push(b'}');
            }
        }
        Ok(())
    }

    /// Writes each element, or passes over the one entry that says that there is none.
    fn each(
        &mut self,
        node: &Node,
        repeated: Repeated,
        mut write: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        if self.defined(node)? < repeated.present {
            return self.pass(node);
        }
        loop {
            write(self)?;
            if self.limit < self.out.len() {
                return Err(Stop::TooLarge);
            }
            let next = self.columns.get(node.first).and_then(Column::repeated);
            if next != Some(repeated.level) {
                return Ok(());
            }
            self.out.push(b',');
        }
    }

    /// Its first column speaks for all of them.
    fn defined(&self, node: &Node) -> Result<i16, Stop> {
        let first = self.columns.get(node.first).and_then(Column::defined);
        first.ok_or_else(|| unsound().into())
    }

    fn pass(&mut self, node: &Node) -> Result<(), Stop> {
        let columns = self.columns.get_mut(node.first..node.end).unwrap_or_default();
        for column in columns {
            if column.pass()?.is_some() {
                return Err(unsound().into());
            }
        }
        Ok(())
    }

    fn leaf(&mut self, index: usize, kind: Kind) -> Result<(), Stop> {
        let column = self.columns.get_mut(index).ok_or_else(unsound)?;
        let Some(place) = column.pass()? else {
            self.out.extend_from_slice(b"null");
            return Ok(());
        };
        let before = self.out.len();
        let room = self.limit.saturating_sub(before);
        if let Err(lost) = value(self.out, &column.values, place, kind, room)? {
            self.out.truncate(before);
            self.out.extend_from_slice(b"null");
            self.lost.push((index, lost));
        }
        Ok(())
    }

    /// A key is text, whatever else it was.
    fn key(&mut self, index: usize, kind: Kind) -> Result<(), Stop> {
        let before = self.out.len();
        self.leaf(index, kind)?;
        if self.out.get(before) != Some(&b'"') {
            self.out.insert(before, b'"');
            self.out.push(b'"');
        }
        Ok(())
    }
}

/// Writes one value. The inner error is of the value alone.
fn value(
    out: &mut Vec<u8>,
    values: &Values,
    place: usize,
    kind: Kind,
    room: usize,
) -> Result<Result<(), Unwritable>, Stop> {
    let value = match values {
        Values::Bool(values) => {
            let is = values.get(place).ok_or_else(unsound)?;
            out.extend_from_slice(if *is { b"true" } else { b"false" });
            return Ok(Ok(()));
        }
        Values::Float(values) => {
            json::float(out, *values.get(place).ok_or_else(unsound)?);
            return Ok(Ok(()));
        }
        Values::Double(values) => {
            json::double(out, *values.get(place).ok_or_else(unsound)?);
            return Ok(Ok(()));
        }
        Values::Int96(values) => {
            return Ok(json::int96(out, values.get(place).ok_or_else(unsound)?.data()));
        }
        Values::Int32(values) => {
            let value = *values.get(place).ok_or_else(unsound)?;
            if kind == Kind::Natural {
                // The bits of a number without a sign.
                json::natural(out, u64::from(value as u32));
                return Ok(Ok(()));
            }
            i64::from(value)
        }
        Values::Int64(values) => *values.get(place).ok_or_else(unsound)?,
        Values::Bytes(values) => {
            return bytes(out, values.get(place).ok_or_else(unsound)?.as_bytes(), kind, room);
        }
        Values::Fixed(values) => {
            return bytes(out, values.get(place).ok_or_else(unsound)?.as_bytes(), kind, room);
        }
    };
    Ok(match kind {
        Kind::Natural => {
            json::natural(out, value as u64);
            Ok(())
        }
        Kind::Date => json::date(out, value),
        Kind::Time(per_second) => json::time(out, value, per_second),
        Kind::Timestamp(per_second, zone) => json::timestamp(out, value, per_second, zone),
        Kind::Decimal(scale) => {
            json::decimal(out, i128::from(value), scale);
            Ok(())
        }
        _ => {
            json::whole(out, value);
            Ok(())
        }
    })
}

fn bytes(
    out: &mut Vec<u8>,
    value: &[u8],
    kind: Kind,
    room: usize,
) -> Result<Result<(), Unwritable>, Stop> {
    /// From here on a text is counted as if all of it had to be escaped.
    const LONG: usize = 1 << 20;
    Ok(match kind {
        Kind::Decimal(scale) => {
            json::big_endian(value).map(|number| json::decimal(out, number, scale))
        }
        Kind::Uuid => {
            json::uuid(out, value);
            Ok(())
        }
        Kind::Half => match value {
            [low, high] => {
                json::half(out, u16::from_le_bytes([*low, *high]));
                Ok(())
            }
            _ => Err(Unwritable::Binary),
        },
        Kind::Opaque => Err(Unwritable::Binary),
        _ => {
            let length = if value.len() < LONG { value.len() } else { value.len() * 6 };
            if room < length {
                return Err(Stop::TooLarge);
            }
            json::text(out, value)
        }
    })
}
