//! What surrounds a call: page, target, browser, permission. It decides what a silence can mean.

use serde::{Deserialize, Serialize};

use crate::judge::http;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Browser {
    /// And what is made of it, such as Edge.
    Chrome,
    Safari,
    Firefox,
    Other,
}

impl Browser {
    /// From what a browser says of itself.
    pub fn of(user_agent: &str) -> Self {
        let says = |word: &str| user_agent.contains(word);
        if says("Firefox/") {
            Self::Firefox
        } else if says("Chrome/") || says("Chromium/") {
            Self::Chrome
        } else if says("Safari/") || says("iPhone") || says("iPad") {
            // Every browser on those is Safari underneath.
            Self::Safari
        } else {
            Self::Other
        }
    }
}

/// Whether this page may ask devices of one’s own network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Permission {
    Granted,
    Denied,
    /// The browser asks at the first call.
    Prompt,
}

/// What a page knows of itself and of where it calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    pub page_origin: String,
    /// The base URL of what is called.
    pub target: String,
    /// As the browser believes; `None` where it says nothing.
    pub online: Option<bool>,
    /// `None` where the browser knows no such permission.
    pub permission: Option<Permission>,
    pub browser: Browser,
}

/// What a browser is known to stop before anything is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    MixedContent,
    PermissionDenied,
    PermissionAsked,
    Offline,
}

impl Surroundings {
    pub fn of(
        page_origin: &str,
        target: &str,
        user_agent: &str,
        online: Option<bool>,
        permission: Option<Permission>,
    ) -> Self {
        Self {
            page_origin: page_origin.to_owned(),
            target: target.to_owned(),
            online,
            permission,
            browser: Browser::of(user_agent),
        }
    }

    pub fn page_is_https(&self) -> bool {
        self.page_origin.starts_with("https://")
    }

    /// The page comes from this very machine, so that no permission is asked for.
    pub fn page_is_loopback(&self) -> bool {
        http::is_loopback(&self.page_origin)
    }

    pub fn target_is_http(&self) -> bool {
        self.target.starts_with("http://")
    }

    pub fn target_is_loopback(&self) -> bool {
        http::is_loopback(&self.target)
    }

    /// Of one’s own network, and not this machine.
    pub fn target_is_private(&self) -> bool {
        !self.target_is_loopback() && http::is_private(&self.target)
    }

    pub fn target_is_local(&self) -> bool {
        self.target_is_loopback() || self.target_is_private()
    }

    /// What explains a silence without another call.
    pub(super) fn obstacle(&self) -> Option<Obstacle> {
        let permission = self.permission.filter(|_| !self.page_is_loopback());
        let asked = match permission {
            Some(Permission::Denied) => Some(Obstacle::PermissionDenied),
            Some(Permission::Prompt) => Some(Obstacle::PermissionAsked),
            Some(Permission::Granted) | None => None,
        };
        if self.page_is_https() && self.target_is_http() {
            if !self.target_is_local() {
                return Some(Obstacle::MixedContent);
            }
            // A permission lifts the rule for a document’s calls. Calls to a judge come from a worker, where
            // Chromium 156 stops them all the same, at once and with nothing sent.
            if self.target_is_private() {
                return Some(Obstacle::MixedContent);
            }
            if self.target_is_loopback() && self.browser == Browser::Safari {
                return Some(Obstacle::MixedContent);
            }
        }
        if self.target_is_local()
            && let Some(asked) = asked
        {
            return Some(asked);
        }
        (self.online == Some(false) && !self.target_is_loopback()).then_some(Obstacle::Offline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://someone.github.io";
    const CHROME: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36";
    const SAFARI: &str = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15";
    const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

    fn obstacle(
        page: &str,
        target: &str,
        agent: &str,
        online: bool,
        permission: Option<Permission>,
    ) -> Option<Obstacle> {
        Surroundings::of(page, target, agent, Some(online), permission).obstacle()
    }

    #[test]
    fn what_a_browser_stops_is_known() {
        use Obstacle as O;
        use Permission as P;
        let here = "http://localhost:11434/v1";
        let lan = "http://192.168.1.7:11434/v1";
        let lan_tls = "https://192.168.1.7:11434/v1";
        let away = "https://api.example.org/v1";
        for (page, target, agent, online, permission, expected) in [
            (PAGE, here, SAFARI, true, None, Some(O::MixedContent)),
            (PAGE, here, FIREFOX, true, None, None),
            (PAGE, here, CHROME, true, Some(P::Denied), Some(O::PermissionDenied)),
            (PAGE, here, CHROME, true, Some(P::Prompt), Some(O::PermissionAsked)),
            (PAGE, here, CHROME, true, Some(P::Granted), None),
            (PAGE, here, CHROME, false, Some(P::Granted), None),
            ("http://localhost:8000", here, CHROME, true, Some(P::Prompt), None),
            ("http://localhost:8000", here, SAFARI, true, None, None),
            (PAGE, lan, FIREFOX, true, None, Some(O::MixedContent)),
            (PAGE, lan, CHROME, true, None, Some(O::MixedContent)),
            (PAGE, lan, CHROME, true, Some(P::Granted), Some(O::MixedContent)),
            (PAGE, lan, CHROME, true, Some(P::Denied), Some(O::MixedContent)),
            (PAGE, lan_tls, CHROME, true, Some(P::Denied), Some(O::PermissionDenied)),
            (
                PAGE,
                "http://api.example.org/v1",
                CHROME,
                true,
                Some(P::Granted),
                Some(O::MixedContent),
            ),
            (PAGE, away, CHROME, false, Some(P::Denied), Some(O::Offline)),
            (PAGE, away, CHROME, true, Some(P::Denied), None),
        ] {
            let found = obstacle(page, target, agent, online, permission);
            assert_eq!(found, expected, "{page} to {target}, {permission:?}");
        }
    }
}
