//! How the columns nest, worked out once: which are lists, maps and plain groups.
//!
//! Writers name the inside of a list `list.element`, `list.item`, `bag.array_element` and more, so lists
//! are known by their structure.

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::json::{self, NANO};

/// A column or a group of columns.
pub(super) struct Node {
    /// The first column in it.
    pub(super) first: usize,
    /// The column behind its last.
    pub(super) end: usize,
    /// The definition level from which on it is there, where it can be null.
    pub(super) present: Option<i16>,
    pub(super) shape: Shape,
}

pub(super) enum Shape {
    Leaf(Kind),
    /// Each with its key as it stands in the text, colon and all.
    Struct(Vec<(Vec<u8>, Node)>),
    List(Repeated, Box<Node>),
    /// Keys that are single values, and their values.
    Map(Repeated, Kind, Box<Node>),
}

/// What repeats.
#[derive(Clone, Copy)]
pub(super) struct Repeated {
    /// The repetition level of its second and later elements.
    pub(super) level: i16,
    /// The definition level from which on there is an element.
    pub(super) present: i16,
}

/// What a value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    /// A whole number without a sign.
    Natural,
    Real,
    /// Sixteen bits of a number.
    Half,
    Text,
    Date,
    /// Ticks a second.
    Time(i64),
    /// Ticks a second, and what stands behind it: `Z`, or nothing where no zone is known.
    Timestamp(i64, &'static str),
    /// Digits behind the point.
    Decimal(u32),
    Uuid,
    /// Bytes with a meaning that has no place in JSON.
    Opaque,
}

/// The levels down to here.
#[derive(Clone, Copy, Default)]
struct Depth {
    definition: i16,
    repetition: i16,
}

impl Depth {
    fn optional(self, field: &Type) -> (Self, Option<i16>) {
        match repetition(field) {
            Repetition::OPTIONAL => {
                let definition = self.definition + 1;
                (Self { definition, ..self }, Some(definition))
            }
            Repetition::REQUIRED | Repetition::REPEATED => (self, None),
        }
    }

    fn repeated(self) -> (Self, Repeated) {
        let depth = Self { definition: self.definition + 1, repetition: self.repetition + 1 };
        (depth, Repeated { level: depth.repetition, present: depth.definition })
    }
}

/// The whole row.
pub(super) fn read(schema: &SchemaDescriptor) -> Node {
    let mut column = 0;
    let shape = fields(schema.root_schema().get_fields(), Depth::default(), &mut column);
    Node { first: 0, end: column, present: None, shape }
}

fn repetition(field: &Type) -> Repetition {
    let info = field.get_basic_info();
    if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED }
}

fn is_repeated(field: &Type) -> bool {
    repetition(field) == Repetition::REPEATED
}

fn fields(fields: &[TypePtr], depth: Depth, column: &mut usize) -> Shape {
    let named = |field: &TypePtr| {
        let mut key = Vec::new();
        // A name is text already.
        json::text(&mut key, field.name().as_bytes()).ok();
        key.push(b':');
        (key, node(field, depth, column))
    };
    Shape::Struct(fields.iter().map(named).collect())
}

fn node(field: &Type, depth: Depth, column: &mut usize) -> Node {
    let first = *column;
    if is_repeated(field) {
        // A list of the old form, without a group around it: it cannot be null, nor can its elements.
        let (depth, repeated) = depth.repeated();
        let element = required(field, depth, column);
        let shape = Shape::List(repeated, Box::new(element));
        return Node { first, end: *column, present: None, shape };
    }
    let (depth, present) = depth.optional(field);
    Node { present, ..required(field, depth, column) }
}

/// The field without its own repetition, which is in `depth` already.
fn required(field: &Type, depth: Depth, column: &mut usize) -> Node {
    let first = *column;
    let shape = if field.is_primitive() {
        *column += 1;
        Shape::Leaf(kind(field))
    } else {
        group(field, depth, column)
    };
    Node { first, end: *column, present: None, shape }
}

fn group(field: &Type, depth: Depth, column: &mut usize) -> Shape {
    let info = field.get_basic_info();
    let is = |logical: &LogicalType, converted: &[ConvertedType]| {
        info.logical_type_ref() == Some(logical) || converted.contains(&info.converted_type())
    };
    let [inner] = field.get_fields() else { return fields(field.get_fields(), depth, column) };
    if !is_repeated(inner) {
        return fields(field.get_fields(), depth, column);
    }
    if is(&LogicalType::Map, &[ConvertedType::MAP, ConvertedType::MAP_KEY_VALUE])
        && inner.is_group()
        && let [key, value] = inner.get_fields()
        && key.is_primitive()
        && repetition(key) == Repetition::REQUIRED
    {
        let (depth, repeated) = depth.repeated();
        *column += 1;
        return Shape::Map(repeated, kind(key), Box::new(node(value, depth, column)));
    }
    if is(&LogicalType::List, &[ConvertedType::LIST]) {
        let (depth, repeated) = depth.repeated();
        let element = match wrapped(field, inner) {
            Some(element) => node(element, depth, column),
            None => required(inner, depth, column),
        };
        return Shape::List(repeated, Box::new(element));
    }
    fields(field.get_fields(), depth, column)
}

/// The element of a list of three levels; `None` where the repeated field is the element itself.
///
/// A group of one field can be either. The format decides by the two names that old writers gave to
/// such elements, and nothing else can.
fn wrapped<'a>(list: &Type, inner: &'a Type) -> Option<&'a Type> {
    if inner.is_primitive() {
        return None;
    }
    let [only] = inner.get_fields() else { return None };
    let old = inner.name() == "array" || inner.name().strip_suffix("_tuple") == Some(list.name());
    (!old && !is_repeated(only)).then_some(only)
}

fn kind(field: &Type) -> Kind {
    let per_second = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => NANO,
    };
    let decimal = |scale: i32| match u32::try_from(scale) {
        // What is more has no number that could be written out.
        Ok(scale @ 0..=76) => Kind::Decimal(scale),
        _ => Kind::Opaque,
    };
    let info = field.get_basic_info();
    let physical = field.get_physical_type();
    let meaning = match info.logical_type_ref() {
        Some(LogicalType::Integer(int)) if !int.is_signed => Some(Kind::Natural),
        Some(LogicalType::Date) => Some(Kind::Date),
        Some(LogicalType::Time(time)) => Some(Kind::Time(per_second(&time.unit))),
        Some(LogicalType::Timestamp(timestamp)) => {
            let zone = if timestamp.is_adjusted_to_u_t_c { "Z" } else { "" };
            Some(Kind::Timestamp(per_second(&timestamp.unit), zone))
        }
        Some(LogicalType::Decimal(it)) => Some(decimal(it.scale)),
        Some(LogicalType::Uuid) => Some(Kind::Uuid),
        Some(LogicalType::Float16) => Some(Kind::Half),
        Some(_) => None,
        None => match info.converted_type() {
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Some(Kind::Natural),
            ConvertedType::DATE => Some(Kind::Date),
            ConvertedType::TIME_MILLIS => Some(Kind::Time(1_000)),
            ConvertedType::TIME_MICROS => Some(Kind::Time(1_000_000)),
            ConvertedType::TIMESTAMP_MILLIS => Some(Kind::Timestamp(1_000, "Z")),
            ConvertedType::TIMESTAMP_MICROS => Some(Kind::Timestamp(1_000_000, "Z")),
            ConvertedType::DECIMAL => Some(decimal(field.get_scale())),
            ConvertedType::INTERVAL => Some(Kind::Opaque),
            _ => None,
        },
    };
    meaning.unwrap_or(match physical {
        Physical::BOOLEAN => Kind::Bool,
        Physical::INT32 | Physical::INT64 => Kind::Int,
        Physical::FLOAT | Physical::DOUBLE => Kind::Real,
        // Nothing else was ever kept in it.
        Physical::INT96 => Kind::Timestamp(NANO, ""),
        Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY => Kind::Text,
    })
}
