//! Sealing a key under a passphrase and opening it again, by the browser's own cryptography.
//!
//! The key that a passphrase gives can be neither read nor handed on by any script, this one included.
//! Salt and first block are drawn anew at every sealing.

use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Crypto, CryptoKey, SubtleCrypto, WorkerGlobalScope};
use zeroize::Zeroize as _;

use crate::edge::EdgeError;
use crate::judge::ApiKey;
use crate::judge::keyring::{self, Sealed};

/// Why a sealed key did not open.
#[derive(Debug)]
pub enum OpenError {
    /// The passphrase is another one, or what was stored is damaged: cryptography cannot tell them apart.
    Passphrase,
    Edge(EdgeError),
}

impl From<EdgeError> for OpenError {
    fn from(error: EdgeError) -> Self {
        Self::Edge(error)
    }
}

/// Whether this browser gives the page its cryptography: over https and on this machine only.
pub fn is_there() -> bool {
    subtle().is_ok()
}

/// Bytes that nobody can guess.
pub fn random() -> Result<[u8; 32], EdgeError> {
    let mut bytes = [0; 32];
    crypto()?.get_random_values_with_u8_array(&mut bytes)?;
    Ok(bytes)
}

pub async fn seal(key: &ApiKey, passphrase: &str) -> Result<Sealed, EdgeError> {
    let (crypto, subtle) = (crypto()?, subtle()?);
    let (mut salt, mut iv) = ([0; 16], [0; 12]);
    crypto.get_random_values_with_u8_array(&mut salt)?;
    crypto.get_random_values_with_u8_array(&mut iv)?;
    let origin = key.origin();
    let derived = derive(&subtle, passphrase, &salt, keyring::LEAST_ITERATIONS, "encrypt").await?;
    let secret = key
        .reveal_for(origin)
        .ok_or_else(|| EdgeError::Other("the key has no host of its own".to_owned()))?;
    let sealed = subtle.encrypt_with_object_and_u8_array(
        &algorithm(&iv, origin)?,
        &derived,
        secret.as_bytes(),
    )?;
    let ciphertext = bytes(&JsFuture::from(sealed).await?);
    Sealed::new(origin, salt, iv, ciphertext).map_err(|error| EdgeError::Other(error.to_string()))
}

pub async fn open(sealed: &Sealed, passphrase: &str) -> Result<ApiKey, OpenError> {
    let subtle = subtle()?;
    let derived =
        derive(&subtle, passphrase, sealed.salt(), sealed.iterations(), "decrypt").await?;
    let opened = subtle
        .decrypt_with_object_and_u8_array(
            &algorithm(sealed.iv(), sealed.origin())?,
            &derived,
            sealed.ciphertext(),
        )
        .map_err(EdgeError::from)?;
    let opened = JsFuture::from(opened).await.map_err(|_| OpenError::Passphrase)?;
    let mut text = bytes(&opened);
    // What can be overwritten is: JavaScript's own copy cannot.
    if let Some(buffer) = opened.dyn_ref::<js_sys::ArrayBuffer>() {
        Uint8Array::new(buffer).fill(0, 0, buffer.byte_length());
    }
    let key = std::str::from_utf8(&text)
        .ok()
        .and_then(|text| ApiKey::new(text, sealed.origin()).ok())
        .ok_or(OpenError::Passphrase);
    text.zeroize();
    key
}

/// A key for one purpose, which cannot be taken out.
async fn derive(
    subtle: &SubtleCrypto,
    passphrase: &str,
    salt: &[u8],
    iterations: u32,
    purpose: &str,
) -> Result<CryptoKey, EdgeError> {
    let mut typed = passphrase.as_bytes().to_vec();
    let material = Uint8Array::from(typed.as_slice());
    typed.zeroize();
    let base = subtle.import_key_with_str(
        "raw",
        &material,
        "PBKDF2",
        false,
        &Array::of1(&"deriveKey".into()),
    )?;
    let base: CryptoKey = JsFuture::from(base).await?.unchecked_into();
    material.fill(0, 0, material.length());
    let from = Object::new();
    Reflect::set(&from, &"name".into(), &"PBKDF2".into())?;
    Reflect::set(&from, &"hash".into(), &"SHA-256".into())?;
    Reflect::set(&from, &"salt".into(), &Uint8Array::from(salt))?;
    Reflect::set(&from, &"iterations".into(), &iterations.into())?;
    let to = Object::new();
    Reflect::set(&to, &"name".into(), &"AES-GCM".into())?;
    Reflect::set(&to, &"length".into(), &256.into())?;
    let derived = subtle.derive_key_with_object_and_object(
        &from,
        &base,
        &to,
        false,
        &Array::of1(&purpose.into()),
    )?;
    Ok(JsFuture::from(derived).await?.unchecked_into())
}

/// The origin is authenticated with the text, so that neither goes with another.
fn algorithm(iv: &[u8], origin: &str) -> Result<Object, EdgeError> {
    let algorithm = Object::new();
    Reflect::set(&algorithm, &"name".into(), &"AES-GCM".into())?;
    Reflect::set(&algorithm, &"iv".into(), &Uint8Array::from(iv))?;
    Reflect::set(&algorithm, &"additionalData".into(), &Uint8Array::from(origin.as_bytes()))?;
    Ok(algorithm)
}

fn bytes(buffer: &JsValue) -> Vec<u8> {
    Uint8Array::new(buffer).to_vec()
}

fn crypto() -> Result<Crypto, EdgeError> {
    let scope: WorkerGlobalScope = js_sys::global().unchecked_into();
    Ok(scope.crypto()?)
}

/// `undefined` where the page came over plain http.
fn subtle() -> Result<SubtleCrypto, EdgeError> {
    let crypto: JsValue = crypto()?.into();
    let subtle = Reflect::get(&crypto, &"subtle".into())?;
    if subtle.is_undefined() {
        let why = "this browser gives cryptography to pages over https only";
        return Err(EdgeError::Other(why.to_owned()));
    }
    Ok(subtle.unchecked_into())
}
