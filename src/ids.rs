//! Names of things. Newtypes, so a system can never be passed where a case is meant.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// One question of a benchmark. Opaque: answers join on the full string and on nothing else.
    CaseId
);
id!(
    /// The name a person reads for one answering system. Editable, so never an identity.
    SystemName
);

/// A 128-bit fingerprint: the first half of SHA-256 over length-prefixed parts, written as 32 hex digits.
///
/// Parts are prefixed with their length, so that `["ab", "c"]` and `["a", "bc"]` differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 16]);

impl Digest {
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        let full = hasher.finalize();
        let mut half = [0; 16];
        half.copy_from_slice(&full[..16]);
        Self(half)
    }

    pub fn of_texts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        Self::of(parts.into_iter().map(str::as_bytes))
    }

    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The first eight hex digits in two groups, for people.
    pub fn short(&self) -> String {
        let hex = self.to_string();
        format!("{} {}", &hex[..4], &hex[4..8])
    }

    pub fn parse(hex: &str) -> Option<Self> {
        if hex.len() != 32 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 16];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[index * 2..index * 2 + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// The first eight bytes as a number, to seed a generator.
    pub fn seed(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(first)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let hex = String::deserialize(deserializer)?;
        Self::parse(&hex).ok_or_else(|| serde::de::Error::custom("a fingerprint is 32 hex digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(Digest::of_texts(["ab", "c"]), Digest::of_texts(["a", "bc"]));
        assert_ne!(Digest::of_texts(["ab"]), Digest::of_texts(["ab", ""]));
    }

    #[test]
    fn hex_is_read_back() {
        let digest = Digest::of_texts(["x"]);
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("xyz"), None);
        let json = serde_json::to_string(&digest).unwrap();
        assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), digest);
    }
}
