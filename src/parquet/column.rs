//! One column of a row group: its levels and its values, read through the typed readers.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray, Int96};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescPtr;

use super::page::Pages;

/// Values that are there; nulls are in the levels only.
pub(super) enum Values {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Int96(Vec<Int96>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<ByteArray>),
    Fixed(Vec<FixedLenByteArray>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Bool(values) => values.len(),
            Self::Int32(values) => values.len(),
            Self::Int64(values) => values.len(),
            Self::Int96(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Double(values) => values.len(),
            Self::Bytes(values) => values.len(),
            Self::Fixed(values) => values.len(),
        }
    }
}

/// A column, and how far it has been written.
pub(super) struct Column {
    pub(super) values: Values,
    /// Empty where the column cannot lack a value.
    definition: Vec<i16>,
    /// Empty where the column is in no list.
    repetition: Vec<i16>,
    most: i16,
    entry: usize,
    value: usize,
}

impl Column {
    /// Reads `rows` rows, no less and no more.
    pub(super) fn read(column: ColumnDescPtr, pages: Pages, rows: usize) -> Result<Self> {
        let (most_defined, most_repeated) = (column.max_def_level(), column.max_rep_level());
        let mut levels = Levels { rows, definition: Vec::new(), repetition: Vec::new() };
        let values = match get_column_reader(column, Box::new(pages)) {
            ColumnReader::BoolColumnReader(reader) => Values::Bool(levels.read(reader)?),
            ColumnReader::Int32ColumnReader(reader) => Values::Int32(levels.read(reader)?),
            ColumnReader::Int64ColumnReader(reader) => Values::Int64(levels.read(reader)?),
            ColumnReader::Int96ColumnReader(reader) => Values::Int96(levels.read(reader)?),
            ColumnReader::FloatColumnReader(reader) => Values::Float(levels.read(reader)?),
            ColumnReader::DoubleColumnReader(reader) => Values::Double(levels.read(reader)?),
            ColumnReader::ByteArrayColumnReader(reader) => Values::Bytes(levels.read(reader)?),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                Values::Fixed(levels.read(reader)?)
            }
        };
        let Levels { definition, repetition, .. } = levels;
        let entries = if most_defined == 0 { values.len() } else { definition.len() };
        let whole = repetition.len() == if most_repeated == 0 { 0 } else { entries };
        // Levels are read in so many bits, which can hold more than the schema has.
        let sound = |levels: &[i16], most| levels.iter().all(|level| *level <= most);
        if !whole || !sound(&definition, most_defined) || !sound(&repetition, most_repeated) {
            return Err(unsound());
        }
        Ok(Self { values, definition, repetition, most: most_defined, entry: 0, value: 0 })
    }

    /// How much of the path down to here is there, at the entry that comes next.
    pub(super) fn defined(&self) -> Option<i16> {
        if self.most == 0 {
            return (self.entry < self.values.len()).then_some(0);
        }
        self.definition.get(self.entry).copied()
    }

    /// At which level the entry that comes next goes on; 0 is a new row, `None` the end.
    pub(super) fn repeated(&self) -> Option<i16> {
        self.repetition.get(self.entry).copied()
    }

    /// Whether the row is over, or the whole column.
    pub(super) fn at_row(&self) -> bool {
        self.repetition.is_empty() || self.repeated().is_none_or(|level| level == 0)
    }

    /// Passes one entry, and gives the place of its value if it has one.
    pub(super) fn pass(&mut self) -> Result<Option<usize>> {
        let defined = self.defined().ok_or_else(unsound)?;
        self.entry += 1;
        if defined < self.most {
            return Ok(None);
        }
        self.value += 1;
        Ok(Some(self.value - 1))
    }
}

/// For a column whose levels contradict each other or its values.
pub(super) fn unsound() -> ParquetError {
    ParquetError::General("the levels of a column contradict each other".to_owned())
}

struct Levels {
    rows: usize,
    definition: Vec<i16>,
    repetition: Vec<i16>,
}

impl Levels {
    fn read<T: DataType>(&mut self, mut reader: ColumnReaderImpl<T>) -> Result<Vec<T::T>> {
        let mut values = Vec::new();
        let (rows, count, _) = reader.read_records(
            self.rows,
            Some(&mut self.definition),
            Some(&mut self.repetition),
            &mut values,
        )?;
        if rows != self.rows || count != values.len() {
            return Err(ParquetError::General(format!(
                "a column holds {rows} rows of {}",
                self.rows
            )));
        }
        Ok(values)
    }
}
