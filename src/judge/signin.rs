//! Signing in at OpenRouter instead of pasting a key: OAuth with a proof key (RFC 7636), as plain data.
//!
//! A page that came up with a secret sends its fingerprint along when it sends a person away, and the
//! secret itself when it trades the code that the person came back with for a key. A code that somebody
//! else reads in an address is of no use without the secret.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::judge::ApiKey;
use crate::judge::http::{self, Auth, HttpRequest, HttpResponse, Method};
use crate::judge::provider;
use crate::judge::secret::redact_shapes;

/// The secret of one sign-in, 43 characters long.
pub fn verifier(random: &[u8; 32]) -> String {
    URL_SAFE_NO_PAD.encode(random)
}

/// Its fingerprint, by the method S256.
pub fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

/// Where a person signs in, and is sent back from to `back` with a code. Nothing where the base URL is none.
pub fn address(base_url: &str, back: &str, challenge: &str) -> Option<String> {
    Some(format!(
        "{}/auth?callback_url={}&code_challenge={challenge}&code_challenge_method=S256",
        http::origin(base_url)?,
        http::segment(back),
    ))
}

/// Trades the code for a key.
pub fn exchange(base_url: &str, code: &str, verifier: &str) -> HttpRequest {
    let body = json!({
        "code": code,
        "code_verifier": verifier,
        "code_challenge_method": "S256",
    });
    HttpRequest {
        method: Method::Post,
        url: http::under(base_url, "/auth/keys"),
        headers: vec![("Content-Type", "application/json")],
        auth: Auth::None,
        body: body.to_string(),
    }
}

/// The key that came, for the host of the base URL alone.
///
/// # Errors
/// What the host said instead, without anything that looks like a key.
pub fn key_of(base_url: &str, response: &HttpResponse) -> Result<ApiKey, String> {
    if !(200..300).contains(&response.status) {
        let words = redact_shapes(&provider::words(&response.body));
        return Err(format!("the host answered {}: {words}", response.status));
    }
    let body: Option<Value> = serde_json::from_str(&response.body).ok();
    let key = body.as_ref().and_then(|it| it.get("key")?.as_str());
    let key = key.ok_or_else(|| "the host’s answer holds no key".to_owned())?;
    ApiKey::new(key, base_url).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://openrouter.ai/api/v1";

    #[test]
    fn the_fingerprint_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let random = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212,
            37, 77, 105, 214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121,
        ];
        let verifier = verifier(&random);
        assert_eq!(verifier, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(challenge(&verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn a_person_is_sent_to_the_host_and_back() {
        let back = "https://a.example/x/?viva=1&b=ü";
        let found = address(BASE, back, "abc").unwrap();
        assert_eq!(
            found,
            "https://openrouter.ai/auth?callback_url=https%3A%2F%2Fa.example%2Fx%2F%3Fviva%3D1%26b%3D%C3%BC&code_challenge=abc&code_challenge_method=S256"
        );
        assert_eq!(address("openrouter.ai", back, "abc"), None);
    }

    #[test]
    fn the_key_belongs_to_the_host_that_gave_it() {
        let request = exchange(BASE, "the-code", "the-secret");
        assert_eq!(request.url, "https://openrouter.ai/api/v1/auth/keys");
        assert_eq!(request.headers_with(None), [("Content-Type", "application/json".to_owned())]);
        let body: Value = serde_json::from_str(&request.body).unwrap();
        assert_eq!(body["code_verifier"], "the-secret");

        let said = |status, body: &str| {
            key_of(BASE, &HttpResponse { status, body: body.to_owned(), retry_after: None })
        };
        let key = said(200, r#"{"key":"sk-or-v1-0123456789abcdef"}"#).unwrap();
        assert_eq!(key.origin(), "https://openrouter.ai");
        assert!(key.is_for(BASE) && key.occurs("sk-or-v1-0123456789abcdef") == 1);
        for (status, body, words) in [
            (
                403,
                r#"{"error":{"message":"Invalid code sk-or-v1-0123456789abcdef"}}"#,
                "Invalid code [key]",
            ),
            (200, r#"{"token":"x"}"#, "holds no key"),
            (200, "sign in first", "holds no key"),
            (200, r#"{"key":"a b"}"#, "cannot be sent"),
        ] {
            let why = said(status, body).err().unwrap();
            assert!(why.contains(words), "{why}");
        }
    }
}
