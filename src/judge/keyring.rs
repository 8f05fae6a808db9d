//! Where a key may be kept, for how long, and in which form it lies on a disk.
//!
//! In memory unless a person chooses otherwise. What is written is either the tab's own storage, by
//! explicit choice, or sealed under a passphrase that is kept nowhere.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Where a key is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keeping {
    /// Until the tab is closed or loaded again.
    #[default]
    Memory,
    /// In the tab's own storage, readable, over reloads.
    Tab,
    /// On this device, sealed under a passphrase.
    Vault,
}

impl Keeping {
    pub const ALL: [Self; 3] = [Self::Memory, Self::Tab, Self::Vault];

    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "In memory",
            Self::Tab => "In this tab",
            Self::Vault => "In a vault",
        }
    }

    /// What choosing it means.
    pub fn words(self) -> &'static str {
        match self {
            Self::Memory => "Gone when the tab is closed or loaded again. Nothing is written.",
            Self::Tab => {
                "Written in readable form to this tab’s own storage: it survives reloads, is copied along when the tab is duplicated, and any script of this page’s origin could read it. Gone when the tab is closed."
            }
            Self::Vault => {
                "Written to this device, sealed under a passphrase that is kept nowhere. Who forgets it enters the key again. While the vault is open it guards no better than memory does."
            }
        }
    }
}

/// Hosts that put the pages of many people under one origin: a page's storage and permissions are those
/// of the person's other pages too.
const SHARED: [&str; 8] = [
    // One origin a person or organisation, whose projects are folders of it.
    "github.io",
    "gitlab.io",
    "codeberg.page",
    "bitbucket.io",
    "neocities.org",
    // Pages of many people under one and the same name.
    "raw.githack.com",
    "cdn.jsdelivr.net",
    "storage.googleapis.com",
];

/// Whether other people's or other projects' pages run under this page's origin, and what that means.
///
/// `*.pages.dev`, `*.netlify.app`, `*.vercel.app`, `*.web.app` and `*.hf.space` give each project a name
/// of its own, so nothing is shared there.
pub fn shared_origin(page_origin: &str) -> Option<String> {
    let host = crate::judge::http::host(page_origin)?;
    let name = host.split(':').next().unwrap_or(host).to_ascii_lowercase();
    let is_shared = SHARED
        .iter()
        .any(|it| name == *it || name.strip_suffix(it).is_some_and(|before| before.ends_with('.')));
    is_shared.then(|| {
        format!(
            "Every page at {name} shares this page’s storage: a script on any of them could read what is kept in this tab, or wait for the vault to be opened in it. Keep the key in memory here, or use an address of its own for this page."
        )
    })
}

/// Idle time after which an opened vault is locked, in minutes.
pub const IDLE_MINUTES: u32 = 15;

/// When an opened key is dropped for want of use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Idle {
    after: Duration,
    /// UTC, milliseconds since the epoch.
    last: f64,
}

impl Idle {
    pub fn new(minutes: u32, now: f64) -> Self {
        Self { after: Duration::from_secs(60 * u64::from(minutes.clamp(1, 24 * 60))), last: now }
    }

    /// The key was used.
    pub fn touch(&mut self, now: f64) {
        self.last = now;
    }

    /// How long until it is dropped; nothing once it is due. A clock that was set back starts anew: it
    /// says nothing of when the key was used.
    pub fn left(&mut self, now: f64) -> Option<Duration> {
        if now < self.last {
            self.last = now;
        }
        let used = Duration::from_secs_f64((now - self.last).max(0.0) / 1000.0);
        self.after.checked_sub(used).filter(|it| !it.is_zero())
    }
}

/// The fewest rounds of PBKDF2 that a vault is sealed or opened with.
pub const LEAST_ITERATIONS: u32 = 600_000;

/// More would take a slow machine minutes, and is a file that somebody tampered with.
const MOST_ITERATIONS: u32 = 10_000_000;

const SALT: usize = 16;
/// The only length that AES-GCM takes as it is.
const IV: usize = 12;
/// What AES-GCM adds to a text.
const TAG: usize = 16;
const LONGEST_KEY: usize = 4096;

/// The fewest characters of a passphrase.
pub const LEAST_PASSPHRASE: usize = 12;

/// How keys are made from passphrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kdf {
    #[serde(rename = "pbkdf2-sha256")]
    Pbkdf2Sha256,
}

/// Why something that was sealed is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("it was sealed by a newer version of this page")]
    Newer,
    #[error("it was sealed with fewer than 600,000 rounds, which is too easy to guess")]
    TooFewIterations,
    #[error("it was sealed with more rounds than any version of this page uses")]
    TooManyIterations,
    #[error("its salt, its first block or its text has a length that it cannot have")]
    WrongLength,
    #[error("it names no host")]
    NoOrigin,
}

/// A key under AES-256-GCM, whose own key comes from a passphrase. The origin is authenticated along with
/// it: a sealed key that is put under another host's name does not open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Sealed {
    version: u32,
    origin: String,
    kdf: Kdf,
    iterations: u32,
    #[serde(serialize_with = "write_hex")]
    salt: Vec<u8>,
    #[serde(serialize_with = "write_hex")]
    iv: Vec<u8>,
    #[serde(serialize_with = "write_hex")]
    ciphertext: Vec<u8>,
}

/// As it stands in storage, which anybody may have written to.
#[derive(Deserialize)]
struct Unchecked {
    version: u32,
    origin: String,
    kdf: Kdf,
    iterations: u32,
    #[serde(deserialize_with = "read_hex")]
    salt: Vec<u8>,
    #[serde(deserialize_with = "read_hex")]
    iv: Vec<u8>,
    #[serde(deserialize_with = "read_hex")]
    ciphertext: Vec<u8>,
}

impl TryFrom<Unchecked> for Sealed {
    type Error = SealError;

    fn try_from(it: Unchecked) -> Result<Self, SealError> {
        let Unchecked { version, origin, kdf, iterations, salt, iv, ciphertext } = it;
        let sealed = Self { version, origin, kdf, iterations, salt, iv, ciphertext };
        sealed.check()?;
        Ok(sealed)
    }
}

impl Sealed {
    pub const VERSION: u32 = 1;

    /// With as many rounds as this version uses.
    pub fn new(
        origin: &str,
        salt: [u8; SALT],
        iv: [u8; IV],
        ciphertext: Vec<u8>,
    ) -> Result<Self, SealError> {
        let sealed = Self {
            version: Self::VERSION,
            origin: origin.to_owned(),
            kdf: Kdf::Pbkdf2Sha256,
            iterations: LEAST_ITERATIONS,
            salt: salt.to_vec(),
            iv: iv.to_vec(),
            ciphertext,
        };
        sealed.check()?;
        Ok(sealed)
    }

    fn check(&self) -> Result<(), SealError> {
        let fits = self.salt.len() == SALT
            && self.iv.len() == IV
            && (TAG + 1..=TAG + LONGEST_KEY).contains(&self.ciphertext.len());
        if Self::VERSION < self.version || self.version == 0 {
            Err(SealError::Newer)
        } else if self.iterations < LEAST_ITERATIONS {
            Err(SealError::TooFewIterations)
        } else if MOST_ITERATIONS < self.iterations {
            Err(SealError::TooManyIterations)
        } else if !fits {
            Err(SealError::WrongLength)
        } else if crate::judge::http::origin(&self.origin) != Some(&self.origin) {
            Err(SealError::NoOrigin)
        } else {
            Ok(())
        }
    }

    pub fn origin(&self) -> &str {
        &self.origin
    }

    pub fn iterations(&self) -> u32 {
        self.iterations
    }

    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    pub fn iv(&self) -> &[u8] {
        &self.iv
    }

    pub fn ciphertext(&self) -> &[u8] {
        &self.ciphertext
    }
}

/// All that is sealed on this device: one key a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vault {
    sealed: Vec<Sealed>,
}

impl Vault {
    /// As it was stored. What cannot be read, or is sealed too weakly to be opened, is left out.
    pub fn read(json: &str) -> Self {
        let entries: Vec<serde_json::Value> = serde_json::from_str(json).unwrap_or_default();
        let mut vault = Self::default();
        for entry in entries {
            if let Ok(sealed) = serde_json::from_value(entry) {
                vault.put(sealed);
            }
        }
        vault
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.sealed).unwrap_or_default()
    }

    /// In the place of what was there for its host.
    pub fn put(&mut self, sealed: Sealed) {
        self.remove(&sealed.origin);
        self.sealed.push(sealed);
    }

    pub fn of(&self, origin: &str) -> Option<&Sealed> {
        self.sealed.iter().find(|it| it.origin == origin)
    }

    pub fn remove(&mut self, origin: &str) {
        self.sealed.retain(|it| it.origin != origin);
    }

    pub fn origins(&self) -> Vec<String> {
        self.sealed.iter().map(|it| it.origin.clone()).collect()
    }
}

/// Whether a passphrase is long enough to be worth its rounds.
pub fn check_passphrase(passphrase: &str) -> Result<(), String> {
    let n = passphrase.chars().count();
    if LEAST_PASSPHRASE <= n {
        return Ok(());
    }
    Err(format!(
        "it has {n} of at least {LEAST_PASSPHRASE} characters; four words that do not belong together will do"
    ))
}

fn write_hex<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").ok();
    }
    serializer.serialize_str(&text)
}

fn read_hex<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let wrong = || serde::de::Error::custom("no hexadecimal text");
    if !text.len().is_multiple_of(2) || !text.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| wrong()))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    const ORIGIN: &str = "https://api.example.org";

    fn sealed() -> Sealed {
        Sealed::new(ORIGIN, [7; SALT], [9; IV], vec![1; TAG + 20]).unwrap()
    }

    #[test]
    fn what_was_sealed_is_read_again() {
        let text = serde_json::to_string(&sealed()).unwrap();
        assert!(
            text.contains("\"kdf\":\"pbkdf2-sha256\"") && text.contains("\"iterations\":600000")
        );
        assert_eq!(serde_json::from_str::<Sealed>(&text).unwrap(), sealed());
    }

    #[test]
    fn what_is_sealed_too_weakly_is_refused() {
        let whole = serde_json::to_value(sealed()).unwrap();
        let refused = |name: &str, value: Value| {
            let mut changed = whole.clone();
            changed[name] = value;
            let why = serde_json::from_value::<Sealed>(changed).unwrap_err().to_string();
            (why, name.to_owned())
        };
        let short = |n: usize| json!("ab".repeat(n));
        for (name, value, expected) in [
            ("iterations", json!(599_999), SealError::TooFewIterations.to_string()),
            ("iterations", json!(0), SealError::TooFewIterations.to_string()),
            ("iterations", json!(4_000_000_000_u32), SealError::TooManyIterations.to_string()),
            ("salt", short(8), SealError::WrongLength.to_string()),
            ("iv", short(16), SealError::WrongLength.to_string()),
            ("ciphertext", short(TAG), SealError::WrongLength.to_string()),
            ("ciphertext", short(TAG + LONGEST_KEY + 1), SealError::WrongLength.to_string()),
            ("version", json!(2), SealError::Newer.to_string()),
            ("origin", json!("https://a.org/v1"), SealError::NoOrigin.to_string()),
            ("salt", json!("zz"), "no hexadecimal text".to_owned()),
            ("salt", json!("é"), "no hexadecimal text".to_owned()),
        ] {
            assert_eq!(refused(name, value), (expected, name.to_owned()));
        }
    }

    #[test]
    fn a_vault_has_one_key_a_host_and_survives_damage() {
        let mut vault = Vault::default();
        vault.put(sealed());
        vault.put(Sealed::new("http://localhost:8080", [1; SALT], [2; IV], vec![0; 40]).unwrap());
        vault.put(Sealed { ciphertext: vec![3; 50], ..sealed() });
        assert_eq!(vault.origins(), ["http://localhost:8080", ORIGIN]);
        assert_eq!(vault.of(ORIGIN).map(|it| it.ciphertext().len()), Some(50));
        assert_eq!(Vault::read(&vault.to_json()), vault);
        let mut entries: Value = serde_json::from_str(&vault.to_json()).unwrap();
        entries[0]["iterations"] = json!(1000);
        assert_eq!(Vault::read(&entries.to_string()).origins(), [ORIGIN]);
        assert_eq!(Vault::read("nonsense"), Vault::default());
        vault.remove(ORIGIN);
        assert_eq!(vault.of(ORIGIN), None);
    }

    #[test]
    fn an_idle_key_is_dropped_and_a_used_one_kept() {
        const MINUTE: f64 = 60_000.0;
        let mut idle = Idle::new(15, 0.0);
        assert_eq!(idle.left(0.0), Some(Duration::from_secs(900)));
        assert_eq!(idle.left(14.0 * MINUTE), Some(Duration::from_secs(60)));
        idle.touch(14.0 * MINUTE);
        assert!(idle.left(28.0 * MINUTE).is_some());
        assert_eq!(idle.left(29.0 * MINUTE), None);
        // A frozen page wakes hours later.
        assert_eq!(idle.left(900.0 * MINUTE), None);
        // The clock is set back: it counts from there.
        assert_eq!(idle.left(1.0 * MINUTE), Some(Duration::from_secs(900)));
        assert_eq!(idle.left(16.0 * MINUTE), None);
        assert_eq!(Idle::new(0, 0.0).left(0.0), Some(Duration::from_secs(60)));
    }

    #[test]
    fn shared_origins_are_known() {
        for shared in [
            "https://someone.github.io",
            "https://group.gitlab.io",
            "https://Someone.GitHub.io:443",
            "https://raw.githack.com",
            "https://github.io",
        ] {
            assert!(shared_origin(shared).is_some(), "{shared}");
        }
        for own in [
            "https://viva.pages.dev",
            "https://viva.netlify.app",
            "https://someone-viva.hf.space",
            "https://example.org",
            "https://notgithub.io",
            "http://localhost:8000",
            "null",
        ] {
            assert_eq!(shared_origin(own), None, "{own}");
        }
    }

    #[test]
    fn short_passphrases_are_refused() {
        assert!(check_passphrase("correct horse").is_ok());
        assert!(check_passphrase("çççççççççççç").is_ok());
        assert!(check_passphrase("hunter2").unwrap_err().contains("7 of at least 12"));
        assert!(Keeping::ALL.iter().all(|it| it.words().ends_with('.')));
    }

    /// Values of a field, good and bad, near every limit.
    fn field(name: &'static str) -> BoxedStrategy<Value> {
        let hex = |good: usize| {
            prop_oneof![
                prop::collection::vec(any::<u8>(), good..=good),
                prop::collection::vec(any::<u8>(), 0..40),
                prop::sample::select(vec![TAG, TAG + 1, TAG + LONGEST_KEY, TAG + LONGEST_KEY + 1])
                    .prop_map(|it| vec![7; it]),
            ]
            .prop_map(|it| write_hex(&it, serde_json::value::Serializer).unwrap())
        };
        let usual = match name {
            "version" => (0..3_u32).prop_map(Value::from).boxed(),
            "origin" => prop::sample::select(vec![
                ORIGIN,
                "http://[::1]:80",
                "https://a.org/",
                "https://a@b.org",
                "ftp://a.org",
                "",
                "null",
            ])
            .prop_map(Value::from)
            .boxed(),
            "kdf" => prop::sample::select(vec!["pbkdf2-sha256", "pbkdf2-sha1", "none", ""])
                .prop_map(Value::from)
                .boxed(),
            "iterations" => prop_oneof![
                Just(LEAST_ITERATIONS),
                Just(LEAST_ITERATIONS - 1),
                Just(MOST_ITERATIONS),
                Just(MOST_ITERATIONS + 1),
                any::<u32>(),
            ]
            .prop_map(Value::from)
            .boxed(),
            "salt" => hex(SALT).boxed(),
            "iv" => hex(IV).boxed(),
            _ => hex(TAG + 20).boxed(),
        };
        let odd = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,6}".prop_map(Value::from),
            Just(json!([1])),
        ];
        prop_oneof![9 => usual, 1 => odd].boxed()
    }

    const FIELDS: [&str; 7] =
        ["version", "origin", "kdf", "iterations", "salt", "iv", "ciphertext"];

    /// An entry of storage in which up to three fields are anything, or missing.
    fn entry() -> impl Strategy<Value = Value> {
        let changes = prop::sample::subsequence(FIELDS.to_vec(), 0..4).prop_flat_map(|names| {
            names
                .into_iter()
                .map(|name| (Just(name), prop::option::weighted(0.9, field(name))))
                .collect::<Vec<_>>()
        });
        changes.prop_map(|changes| {
            let mut entry = serde_json::to_value(sealed()).unwrap();
            for (name, value) in changes {
                match value {
                    Some(value) => entry[name] = value,
                    None => {
                        entry.as_object_mut().unwrap().remove(name);
                    }
                }
            }
            entry
        })
    }

    proptest! {
        /// Storage can hold anything. What is read from it is strong enough to be opened, has one key a
        /// host, and was there; what is whole and strong is not lost beside what is not.
        #[test]
        fn nothing_weak_is_read_and_nothing_strong_is_lost(entries in prop::collection::vec(entry(), 0..5)) {
            let vault = Vault::read(&json!(entries).to_string());
            for it in &vault.sealed {
                prop_assert_eq!(it.version, 1);
                prop_assert!((600_000..=10_000_000).contains(&it.iterations));
                prop_assert_eq!((it.salt.len(), it.iv.len()), (16, 12));
                prop_assert!((17..=16 + 4096).contains(&it.ciphertext.len()));
                prop_assert_eq!(crate::judge::http::origin(&it.origin), Some(it.origin()));
                prop_assert!(entries.contains(&serde_json::to_value(it).unwrap()));
                prop_assert_eq!(vault.of(&it.origin), Some(it));
            }
            let untouched = serde_json::to_value(sealed()).unwrap();
            if entries.contains(&untouched) {
                prop_assert!(vault.of(ORIGIN).is_some());
            }
            prop_assert_eq!(Vault::read(&vault.to_json()), vault);
        }

        /// Not even damage in the middle of the text makes something of it that was not sealed here.
        #[test]
        fn damaged_storage_is_whole_or_nothing(
            at: prop::sample::Index,
            with in "[\\[\\]{}\",:0-9a-f]{0,3}",
            removed in 0..4_usize,
        ) {
            let mut vault = Vault::default();
            vault.put(sealed());
            let mut text = vault.to_json();
            let at = at.index(text.len());
            text.replace_range(at..(at + removed).min(text.len()), &with);
            let read = Vault::read(&text);
            prop_assert!(read.sealed.len() <= 1);
            for it in &read.sealed {
                prop_assert!(LEAST_ITERATIONS <= it.iterations && text.contains(&it.origin));
                let whole = serde_json::to_value(it).unwrap();
                for name in ["salt", "iv", "ciphertext"] {
                    prop_assert!(text.contains(whole[name].as_str().unwrap()), "{name}");
                }
            }
        }

        #[test]
        fn any_text_is_a_vault(text in any::<String>()) {
            prop_assert_eq!(Vault::read(&text), Vault::default());
        }
    }
}
