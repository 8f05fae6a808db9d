//! The pages of one column: unpacked within bounds, and checked before the decoder gets them.
//!
//! The decoders of the `parquet` crate trust a page's own lengths and stop the program where they lie.
//! What such a page could do is found here first.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::ColumnDescPtr;
use ruzstd::decoding::FrameDecoder;

use super::delta;
use super::thrift::{Reader, Wire};

/// How a column chunk is packed. Each has its own: a row group can mix them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    None,
    Snappy,
    Gzip,
    Zstd,
}

impl Codec {
    /// The name of the codec where it is one that is not read.
    pub(super) fn of(compression: Compression) -> std::result::Result<Self, &'static str> {
        match compression {
            Compression::UNCOMPRESSED => Ok(Self::None),
            Compression::SNAPPY => Ok(Self::Snappy),
            Compression::GZIP(_) => Ok(Self::Gzip),
            Compression::ZSTD(_) => Ok(Self::Zstd),
            Compression::BROTLI(_) => Err("brotli"),
            Compression::LZ4 | Compression::LZ4_RAW => Err("lz4"),
            Compression::LZO => Err("lzo"),
        }
    }

    /// How many bytes one packed byte can stand for, at the very most.
    fn tightest(self) -> usize {
        match self {
            Self::None => 1,
            Self::Snappy => 32,
            Self::Gzip => 1_040,
            Self::Zstd => 1 << 16,
        }
    }

    /// Exactly `length` bytes, or why not.
    fn unpack(self, packed: &Bytes, length: usize) -> Result<Bytes> {
        // Before room is made for it.
        if packed.len().saturating_mul(self.tightest()) < length {
            return Err(wrong(UNFIT));
        }
        if self != Self::None && length == 0 {
            return Ok(Bytes::new());
        }
        let unpacked = match self {
            Self::None => packed.clone(),
            Self::Snappy => {
                let mut unpacked = vec![0; length];
                let count = snap::raw::Decoder::new()
                    .decompress(packed, &mut unpacked)
                    .map_err(|error| wrong(format!("snappy: {error}")))?;
                unpacked.truncate(count);
                unpacked.into()
            }
            Self::Gzip => {
                let mut unpacked = Vec::with_capacity(length);
                MultiGzDecoder::new(&packed[..])
                    .take(length as u64 + 1)
                    .read_to_end(&mut unpacked)
                    .map_err(|error| wrong(format!("gzip: {error}")))?;
                unpacked.into()
            }
            Self::Zstd => {
                let mut unpacked = vec![0; length];
                let count = FrameDecoder::new()
                    .decode_all(packed, &mut unpacked)
                    .map_err(|error| wrong(format!("zstd: {error}")))?;
                unpacked.truncate(count);
                unpacked.into()
            }
        };
        if unpacked.len() == length { Ok(unpacked) } else { Err(wrong(UNFIT)) }
    }
}

const UNFIT: &str = "a page does not have the length it gives";

/// What may still be decoded, so that no file fills the memory however it lies.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: AtomicU64,
    values: AtomicU64,
}

impl Budget {
    /// Unpacked bytes, and values with the nulls counted in.
    pub(super) fn new(bytes: u64, values: u64) -> Arc<Self> {
        Arc::new(Self { bytes: bytes.into(), values: values.into() })
    }

    fn spend(from: &AtomicU64, amount: usize, what: &str) -> Result<()> {
        // Atomic only because a page reader has to be fit for threads.
        from.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(amount as u64)
        })
        .map(|_| ())
        .map_err(|_| wrong(what))
    }

    pub(super) fn bytes_left(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(super) fn values_left(&self) -> u64 {
        self.values.load(Ordering::Relaxed)
    }

    fn bytes(&self, amount: usize) -> Result<()> {
        Self::spend(&self.bytes, amount, "more unpacked data than is read at once")
    }

    fn values(&self, amount: usize) -> Result<()> {
        Self::spend(&self.values, amount, "more values in a row group than are read at once")
    }
}

fn wrong(what: impl Into<String>) -> ParquetError {
    ParquetError::General(what.into())
}

/// Behind a page's last text, so that a decoder that wants one more finds a length that cannot be.
const NO_MORE: [u8; 4] = i32::MAX.to_le_bytes();

/// The pages of one column chunk.
pub(super) struct Pages {
    /// What is left of the chunk, packed.
    chunk: Bytes,
    codec: Codec,
    column: ColumnDescPtr,
    budget: Arc<Budget>,
    has_dictionary: bool,
}

impl Pages {
    pub(super) fn new(
        chunk: Bytes,
        codec: Codec,
        column: ColumnDescPtr,
        budget: Arc<Budget>,
    ) -> Self {
        Self { chunk, codec, column, budget, has_dictionary: false }
    }

    /// The page that comes next and has something in it.
    ///
    /// Writers leave empty pages behind, and the column readers would take one for the end.
    fn next_head(&mut self) -> Result<Option<(Head, Body)>> {
        while !self.chunk.is_empty() {
            let (head, length) =
                Head::read(&self.chunk).ok_or_else(|| wrong("the head of a page is damaged"))?;
            let end = length.checked_add(head.packed).filter(|end| *end <= self.chunk.len());
            let end = end.ok_or_else(|| wrong("a page reaches beyond its column"))?;
            let is_empty = match &head.kind {
                Kind::Other => true,
                Kind::Dictionary { .. } => false,
                Kind::First(data) | Kind::Second(data, _) => data.count == 0,
            };
            if !is_empty {
                return Ok(Some((head, Body { bytes: self.chunk.slice(length..end), end })));
            }
            self.chunk = self.chunk.slice(end..);
        }
        Ok(None)
    }

    fn dictionary(&mut self, head: &Head, body: &Bytes, count: usize) -> Result<Page> {
        let buf = self.codec.unpack(body, head.unpacked)?;
        let fits = match self.column.physical_type() {
            Type::BYTE_ARRAY => count <= texts(&buf).0,
            Type::BOOLEAN => false,
            Type::INT32 | Type::FLOAT => count <= buf.len() / 4,
            Type::INT64 | Type::DOUBLE => count <= buf.len() / 8,
            Type::INT96 => count <= buf.len() / 12,
            Type::FIXED_LEN_BYTE_ARRAY => count <= buf.len(),
        };
        if !fits {
            return Err(wrong("a dictionary is shorter than it says"));
        }
        self.budget.values(count)?;
        self.has_dictionary = true;
        let num_values = count as u32;
        Ok(Page::DictionaryPage { buf, num_values, encoding: Encoding::PLAIN, is_sorted: false })
    }

    fn first(&mut self, head: &Head, body: &Bytes, data: &Data) -> Result<Page> {
        let buf = self.codec.unpack(body, head.unpacked)?;
        let mut at = 0;
        for (most, encoding) in [
            (self.column.max_rep_level(), data.repetition),
            (self.column.max_def_level(), data.definition),
        ] {
            if most == 0 {
                continue;
            }
            let length = match encoding {
                Encoding::RLE => buf
                    .get(at..)
                    .and_then(<[u8]>::first_chunk)
                    .map(|length| (u32::from_le_bytes(*length) as usize).saturating_add(4)),
                #[expect(deprecated, reason = "files of old writers have it")]
                Encoding::BIT_PACKED => {
                    let width = 16 - most.leading_zeros() as usize;
                    Some((data.count * width).div_ceil(8))
                }
                _ => None,
            };
            at = length
                .and_then(|length| at.checked_add(length))
                .filter(|end| *end <= buf.len())
                .ok_or_else(|| wrong("the levels of a page are longer than the page"))?;
        }
        let (encoding, values) = self.values(data.encoding, buf.slice(at..), data.count)?;
        Ok(Page::DataPage {
            buf: joined(&buf, at, &values)?,
            num_values: data.count as u32,
            encoding,
            def_level_encoding: data.definition,
            rep_level_encoding: data.repetition,
            statistics: None,
        })
    }

    fn second(&mut self, head: &Head, body: &Bytes, data: &Data, v2: &Second) -> Result<Page> {
        let levels = v2.repetition.saturating_add(v2.definition);
        if body.len() < levels || head.unpacked < levels || data.count < v2.nulls {
            return Err(wrong(UNFIT));
        }
        let codec = if v2.is_packed { self.codec } else { Codec::None };
        let values = codec.unpack(&body.slice(levels..), head.unpacked - levels)?;
        let present = data.count - v2.nulls;
        let (encoding, values) = self.values(data.encoding, values, present)?;
        let mut buf = Vec::with_capacity(levels + values.len());
        buf.extend_from_slice(&body[..levels]);
        buf.extend_from_slice(&values);
        Ok(Page::DataPageV2 {
            buf: buf.into(),
            num_values: data.count as u32,
            encoding,
            num_nulls: v2.nulls as u32,
            num_rows: v2.rows as u32,
            def_levels_byte_len: v2.definition as u32,
            rep_levels_byte_len: v2.repetition as u32,
            is_compressed: false,
            statistics: None,
        })
    }

    /// Values that the decoder survives, at most `most` of them, and how they are written.
    fn values(&self, encoding: Encoding, values: Bytes, most: usize) -> Result<(Encoding, Bytes)> {
        let kind = self.column.physical_type();
        let width = match kind {
            Type::BOOLEAN | Type::BYTE_ARRAY => 0,
            Type::INT32 | Type::FLOAT => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => usize::try_from(self.column.type_length()).unwrap_or(0),
        };
        let broken = || wrong("the values of a page contradict its lengths");
        let plain = |values: Option<Vec<u8>>| {
            let mut values = values.ok_or_else(broken)?;
            self.budget.bytes(values.len())?;
            if kind == Type::BYTE_ARRAY {
                values.extend_from_slice(&NO_MORE);
            }
            Ok((Encoding::PLAIN, values.into()))
        };
        match (encoding, kind) {
            (Encoding::PLAIN, Type::BYTE_ARRAY) => {
                let (count, end) = texts(&values);
                if most <= count {
                    return Ok((encoding, values));
                }
                let mut ended = Vec::with_capacity(end + NO_MORE.len());
                ended.extend_from_slice(&values[..end]);
                ended.extend_from_slice(&NO_MORE);
                Ok((encoding, ended.into()))
            }
            (Encoding::PLAIN, _) | (Encoding::RLE, Type::BOOLEAN) => Ok((encoding, values)),
            (Encoding::RLE_DICTIONARY, _) if self.has_dictionary => Ok((encoding, values)),
            (Encoding::RLE_DICTIONARY, _) => Err(wrong("a dictionary is missing")),
            (Encoding::DELTA_BINARY_PACKED, Type::INT32) => {
                plain(delta::ints(&values, most).map(|ints| {
                    ints.into_iter().flat_map(|it| (it as i32).to_le_bytes()).collect()
                }))
            }
            (Encoding::DELTA_BINARY_PACKED, Type::INT64) => plain(
                delta::ints(&values, most)
                    .map(|ints| ints.into_iter().flat_map(i64::to_le_bytes).collect()),
            ),
            (Encoding::DELTA_LENGTH_BYTE_ARRAY, Type::BYTE_ARRAY) => {
                plain(delta::lengths(&values, most))
            }
            (Encoding::DELTA_BYTE_ARRAY, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY) => {
                let left = self.budget.bytes_left();
                plain(delta::prefixed(&values, most, width, left))
            }
            (Encoding::BYTE_STREAM_SPLIT, _) if width != 0 => {
                let count = values.len() / width;
                let mut ordered = vec![0; count * width];
                for (byte, stream) in values.chunks_exact(count.max(1)).take(width).enumerate() {
                    for (value, from) in ordered.chunks_exact_mut(width).zip(stream) {
                        value[byte] = *from;
                    }
                }
                plain(Some(ordered))
            }
            _ => Err(wrong(format!("the encoding {encoding} is not read for {kind}"))),
        }
    }
}

/// How many whole texts, each behind its length, and where they end.
fn texts(values: &[u8]) -> (usize, usize) {
    let (mut count, mut at) = (0, 0_usize);
    while let Some(length) = values.get(at..).and_then(<[u8]>::first_chunk) {
        let length = u32::from_le_bytes(*length) as usize;
        match length.checked_add(at + 4).filter(|end| *end <= values.len()) {
            Some(end) => at = end,
            None => break,
        }
        count += 1;
    }
    (count, at)
}

/// The levels with the values behind them, copied only where the values are new.
fn joined(page: &Bytes, levels: usize, values: &Bytes) -> Result<Bytes> {
    if values.as_ptr() == page[levels..].as_ptr() {
        return Ok(page.clone());
    }
    let length = levels.checked_add(values.len()).ok_or_else(|| wrong(UNFIT))?;
    let mut joined = Vec::with_capacity(length);
    joined.extend_from_slice(&page[..levels]);
    joined.extend_from_slice(values);
    Ok(joined.into())
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some((head, body)) = self.next_head()? else { return Ok(None) };
        // The head was read from it, so it is as long.
        self.chunk = self.chunk.slice(body.end..);
        let body = body.bytes;
        self.budget.bytes(head.unpacked)?;
        match &head.kind {
            Kind::Dictionary { count } => self.dictionary(&head, &body, *count),
            Kind::First(data) => {
                self.budget.values(data.count)?;
                self.first(&head, &body, data)
            }
            Kind::Second(data, second) => {
                self.budget.values(data.count)?;
                self.second(&head, &body, data, second)
            }
            Kind::Other => Err(wrong("a page is of no kind")),
        }
        .map(Some)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Ok(self.next_head()?.map(|(head, _)| match head.kind {
            Kind::First(data) => {
                PageMetadata { num_rows: None, num_levels: Some(data.count), is_dict: false }
            }
            Kind::Second(data, second) => PageMetadata {
                num_rows: Some(second.rows),
                num_levels: Some(data.count),
                is_dict: false,
            },
            Kind::Dictionary { .. } | Kind::Other => {
                PageMetadata { num_rows: None, num_levels: None, is_dict: true }
            }
        }))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        // Rows are never skipped here.
        self.get_next_page().map(|_| ())
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// What a page holds, packed, and where in its chunk it ends.
struct Body {
    bytes: Bytes,
    end: usize,
}

/// What stands before a page. Lengths in bytes.
struct Head {
    packed: usize,
    unpacked: usize,
    kind: Kind,
}

enum Kind {
    Dictionary {
        count: usize,
    },
    First(Data),
    Second(Data, Second),
    /// An index, which nothing here needs.
    Other,
}

struct Data {
    /// Values, nulls counted in.
    count: usize,
    encoding: Encoding,
    definition: Encoding,
    repetition: Encoding,
}

/// What only pages of the second version say.
struct Second {
    nulls: usize,
    rows: usize,
    definition: usize,
    repetition: usize,
    is_packed: bool,
}

impl Head {
    /// The head, and how long it is.
    fn read(bytes: &[u8]) -> Option<(Self, usize)> {
        const SECOND: i64 = 8;
        let mut reader = Reader::new(bytes);
        let (mut kind, mut unpacked, mut packed) = (None, None, None);
        let mut parts: Option<(i64, [i32; 8])> = None;
        reader.fields(|id, wire, reader| {
            match (id, wire) {
                (1, Wire::Int) => kind = Some(reader.int()?),
                (2, Wire::Int) => unpacked = Some(reader.int()?),
                (3, Wire::Int) => packed = Some(reader.int()?),
                (5 | 7 | SECOND, Wire::Struct) => parts = Some((id, numbers(reader)?)),
                _ => return Some(false),
            }
            Some(true)
        })?;
        let length = bytes.len() - reader.left();
        let size = |number: i32| usize::try_from(number).ok();
        let (packed, unpacked) = (size(packed?)?, size(unpacked?)?);
        let kind = match (kind?, parts) {
            (0, Some((5, [_, count, encoding, definition, repetition, ..]))) => Kind::First(Data {
                count: size(count)?,
                encoding: encoding_of(encoding)?,
                definition: encoding_of(definition)?,
                repetition: encoding_of(repetition)?,
            }),
            (2, Some((7, [_, count, ..]))) => Kind::Dictionary { count: size(count)? },
            (
                3,
                Some((SECOND, [_, count, nulls, rows, encoding, definition, repetition, packed])),
            ) => {
                Kind::Second(
                    Data {
                        count: size(count)?,
                        encoding: encoding_of(encoding)?,
                        definition: Encoding::RLE,
                        repetition: Encoding::RLE,
                    },
                    Second {
                        nulls: size(nulls)?,
                        rows: size(rows)?,
                        definition: size(definition)?,
                        repetition: size(repetition)?,
                        // Where it is not said, it is.
                        is_packed: packed != 2,
                    },
                )
            }
            (1, _) => Kind::Other,
            _ => return None,
        };
        Some((Self { packed, unpacked, kind }, length))
    }
}

/// The fields 1 to 7 of a struct that are numbers or truth values; of these 1 is true and 2 is false.
fn numbers(reader: &mut Reader<'_>) -> Option<[i32; 8]> {
    let mut numbers = [0; 8];
    reader.fields(|id, wire, reader| {
        let place = usize::try_from(id).ok().and_then(|id| numbers.get_mut(id));
        match (place, wire) {
            (Some(place), Wire::Int) => *place = reader.int()?,
            (Some(place), Wire::Bool(is)) => *place = if is { 1 } else { 2 },
            _ => return Some(false),
        }
        Some(true)
    })?;
    Some(numbers)
}

fn encoding_of(number: i32) -> Option<Encoding> {
    Some(match number {
        0 => Encoding::PLAIN,
        // The first has another name and means the same.
        2 | 8 => Encoding::RLE_DICTIONARY,
        3 => Encoding::RLE,
        #[expect(deprecated, reason = "files of old writers have it")]
        4 => Encoding::BIT_PACKED,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        _ => return None,
    })
}
