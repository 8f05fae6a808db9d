//! Judges on one's own machine, asked from a hosted page: what their servers must allow, by system, ready
//! to copy, and what the browser has to say in it.

use serde::{Deserialize, Serialize};

use crate::judge::doctor::{Browser, Permission, Surroundings};
use crate::judge::{ProviderId, http};

/// Where a server runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum System {
    MacOs,
    Linux,
    Windows,
    Docker,
}

impl System {
    pub const ALL: [Self; 4] = [Self::MacOs, Self::Linux, Self::Windows, Self::Docker];

    pub fn name(self) -> &'static str {
        match self {
            Self::MacOs => "macOS",
            Self::Linux => "Linux",
            Self::Windows => "Windows",
            Self::Docker => "Docker",
        }
    }

    /// The system of a person's browser, which most often is the server's as well.
    pub fn of(user_agent: &str) -> Self {
        if user_agent.contains("Windows") {
            Self::Windows
        } else if user_agent.contains("Mac OS") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// What to do on one system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    pub system: System,
    /// Where it is to be done, in a sentence.
    pub first: &'static str,
    /// To copy; empty where there is nothing to type.
    pub command: String,
    /// What to do after that, and what to know.
    pub then: String,
}

struct Row {
    provider: ProviderId,
    systems: &'static [System],
    first: &'static str,
    command: &'static str,
    then: &'static str,
}

const SEVERAL: &str =
    "It replaces origins that were set before; several stand in one value, with commas.";

const ROWS: [Row; 12] = [
    Row {
        provider: ProviderId::Ollama,
        systems: &[System::MacOs],
        first: "In a terminal. The menu-bar app reads what is set for the session, not for a shell:",
        command: "launchctl setenv OLLAMA_ORIGINS \"{origin}\"",
        then: "Quit Ollama from the menu bar and open it again. After a restart of the Mac it has to be set again. If you start Ollama with “ollama serve”, write OLLAMA_ORIGINS=\"{origin}\" before that instead.",
    },
    Row {
        provider: ProviderId::Ollama,
        systems: &[System::Linux],
        first: "In a terminal. The service reads its own file, and not what is set in a shell:",
        command: "sudo mkdir -p /etc/systemd/system/ollama.service.d\nprintf '[Service]\\nEnvironment=\"OLLAMA_ORIGINS={origin}\"\\n' | sudo tee /etc/systemd/system/ollama.service.d/viva.conf\nsudo systemctl daemon-reload\nsudo systemctl restart ollama",
        then: "Without the service: stop Ollama, then start it with OLLAMA_ORIGINS=\"{origin}\" ollama serve.",
    },
    Row {
        provider: ProviderId::Ollama,
        systems: &[System::Windows],
        first: "In PowerShell or the command prompt, as the user who runs Ollama:",
        command: "setx OLLAMA_ORIGINS \"{origin}\"",
        then: "Quit Ollama from the notification area and start it again: a program that runs keeps the old value.",
    },
    Row {
        provider: ProviderId::Ollama,
        systems: &[System::Docker],
        first: "Start the container with the variable. The port is opened to this machine only:",
        command: "docker run -d --name ollama -p 127.0.0.1:11434:11434 -v ollama:/root/.ollama -e OLLAMA_ORIGINS=\"{origin}\" ollama/ollama",
        then: "A container that is there already has to be removed first; its models stay in the volume.",
    },
    Row {
        provider: ProviderId::LmStudio,
        systems: &[System::MacOs, System::Linux],
        first: "Turn on “Enable CORS” on the Developer page, or in a terminal:",
        command: "lms server start --cors",
        then: "It then lets every page read its answers, not only this one: turn it off when you are done.",
    },
    Row {
        provider: ProviderId::LmStudio,
        systems: &[System::Windows],
        first: "Turn on “Enable CORS” on the Developer page, or in PowerShell:",
        command: "lms server start --cors",
        then: "It then lets every page read its answers, not only this one: turn it off when you are done.",
    },
    Row {
        provider: ProviderId::LlamaCpp,
        systems: &[System::MacOs, System::Linux],
        first: "It allows every page unless told otherwise. To allow this one only, in a terminal:",
        command: "llama-server -m MODEL.gguf --port 8080 -c 16384 --cors-origins \"{origin}\"",
        then: "Start it without --tools, --agent or MCP: each of them narrows the allowed pages to this machine’s. Older versions do not know --cors-origins; leave it out there.",
    },
    Row {
        provider: ProviderId::LlamaCpp,
        systems: &[System::Windows],
        first: "It allows every page unless told otherwise. To allow this one only, in PowerShell:",
        command: ".\\llama-server.exe -m MODEL.gguf --port 8080 -c 16384 --cors-origins \"{origin}\"",
        then: "Start it without --tools, --agent or MCP: each of them narrows the allowed pages to this machine’s. Older versions do not know --cors-origins; leave it out there.",
    },
    Row {
        provider: ProviderId::LlamaCpp,
        systems: &[System::Docker],
        first: "With the model in the folder you are in. The port is opened to this machine only:",
        command: "docker run --rm -p 127.0.0.1:8080:8080 -v \"$PWD:/models\" ghcr.io/ggml-org/llama.cpp:server -m /models/MODEL.gguf --host 0.0.0.0 --port 8080 -c 16384 --cors-origins \"{origin}\"",
        then: "Older versions do not know --cors-origins; leave it out there.",
    },
    Row {
        provider: ProviderId::Vllm,
        systems: &[System::Linux, System::MacOs],
        first: "It allows every page unless told otherwise. To allow this one only, in a terminal:",
        command: "vllm serve MODEL --allowed-origins '[\"{origin}\"]'",
        then: "The value is a JSON list.",
    },
    Row {
        provider: ProviderId::Vllm,
        systems: &[System::Windows],
        first: "It does not run on Windows itself. In a shell of the Windows Subsystem for Linux:",
        command: "vllm serve MODEL --allowed-origins '[\"{origin}\"]'",
        then: "The value is a JSON list.",
    },
    Row {
        provider: ProviderId::Vllm,
        systems: &[System::Docker],
        first: "The port is opened to this machine only:",
        command: "docker run --rm --gpus all --ipc=host -p 127.0.0.1:8000:8000 vllm/vllm-openai:latest --model MODEL --allowed-origins '[\"{origin}\"]'",
        then: "The value is a JSON list.",
    },
];

/// What to do for each system on which the server runs, with the page's own origin in its place. Nothing
/// for hosts that are no servers of one's own, and for an origin that is none: it goes into a shell.
pub fn recipes(provider: ProviderId, page_origin: &str) -> Vec<Recipe> {
    let Some(origin) = http::origin(page_origin).filter(|it| *it == page_origin) else {
        return Vec::new();
    };
    System::ALL
        .into_iter()
        .filter_map(|system| {
            let row =
                ROWS.iter().find(|it| it.provider == provider && it.systems.contains(&system))?;
            Some(Recipe {
                system,
                first: row.first,
                command: row.command.replace("{origin}", origin),
                then: row.then.replace("{origin}", origin),
            })
        })
        .collect()
}

/// What else to know about a server of one's own, whatever the system.
pub fn notes(provider: ProviderId) -> Vec<&'static str> {
    match provider {
        ProviderId::Ollama => vec![
            SEVERAL,
            "Set OLLAMA_CONTEXT_LENGTH in the same way, to 16384 for example: what is longer than the context is cut without a word.",
            "One request at a time is answered unless OLLAMA_NUM_PARALLEL is raised: more at once only wait.",
        ],
        ProviderId::LmStudio => vec![
            "The context length is set where the model is loaded. The first call may load it and take long.",
        ],
        ProviderId::LlamaCpp => vec![
            "The context (-c) is shared by the requests at once (-np) unless they are told to unify it.",
        ],
        ProviderId::Vllm => vec!["Set --max-model-len to the context that you need."],
        _ => Vec::new(),
    }
}

/// What the browser does between this page and a server of one's own: a word, and a sentence. Nothing
/// where nothing stands between.
pub fn browser(around: &Surroundings) -> Option<(&'static str, String)> {
    if !around.target_is_local() || around.page_is_loopback() {
        return None;
    }
    let what = if around.target_is_loopback() { "this machine" } else { "your network" };
    if around.page_is_https() && around.target_is_http() && around.browser == Browser::Safari {
        return Some((
            "Not in Safari",
            "Safari lets no https page call a server over plain http, and no setting of the server changes that. Use Chrome, Edge or Firefox, open this page from http://localhost, or put https before the server.".to_owned(),
        ));
    }
    if around.page_is_https() && around.target_is_http() && around.target_is_private() {
        return Some((
            "Not over http",
            "Browsers let an https page call nothing over plain http in your network. Put https before the server, or run it on this machine and use localhost.".to_owned(),
        ));
    }
    match around.permission {
        Some(Permission::Granted) => Some((
            "Allowed",
            format!(
                "The browser lets this page reach {what}. Whether it may read the answers is up to the server."
            ),
        )),
        Some(Permission::Denied) => Some((
            "Refused",
            format!(
                "The browser was told not to let this page reach {what}; the server never hears of the call. Press the sign left of the address and allow local network access for this site."
            ),
        )),
        Some(Permission::Prompt) => Some((
            "Asks first",
            format!(
                "At the first call the browser asks whether this page may reach {what}. It asks before the server is heard, so both have to allow it."
            ),
        )),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "https://someone.github.io";

    #[test]
    fn every_server_of_ones_own_has_commands_with_the_pages_origin() {
        use crate::judge::provider;
        for row in provider::table() {
            let found = recipes(row.id, PAGE);
            assert_eq!(found.is_empty(), !row.is_local(), "{}", row.name);
            assert_eq!(notes(row.id).is_empty(), !row.is_local(), "{}", row.name);
            for recipe in found {
                assert!(!recipe.command.contains('{') && !recipe.then.contains('{'));
                let names_it = recipe.command.contains(PAGE) || row.id == ProviderId::LmStudio;
                assert!(names_it, "{}", recipe.command);
            }
        }
        let systems = |id| recipes(id, PAGE).iter().map(|it| it.system).collect::<Vec<_>>();
        assert_eq!(systems(ProviderId::Ollama), System::ALL);
        assert_eq!(systems(ProviderId::LmStudio), &System::ALL[..3]);
        assert_eq!(systems(ProviderId::LlamaCpp), System::ALL);
    }

    #[test]
    fn nothing_but_an_origin_goes_into_a_command() {
        for bad in ["", "null", "file://", "https://a.org/x", "https://a.org\"; rm -rf ~; \""] {
            assert!(recipes(ProviderId::Ollama, bad).is_empty(), "{bad}");
        }
        let own = recipes(ProviderId::Ollama, "http://localhost:8000");
        assert!(own[1].command.contains("OLLAMA_ORIGINS=http://localhost:8000"));
    }

    #[test]
    fn browsers_are_told_apart() {
        let around = |page: &str, target: &str, browser, permission| Surroundings {
            browser,
            ..Surroundings::of(page, target, "", None, permission)
        };
        let here = "http://localhost:11434/v1";
        let word = |it: &Surroundings| browser(it).map(|(word, _)| word);
        let safari = around(PAGE, here, Browser::Safari, None);
        assert_eq!(word(&safari), Some("Not in Safari"));
        for (permission, expected) in [
            (Some(Permission::Granted), Some("Allowed")),
            (Some(Permission::Denied), Some("Refused")),
            (Some(Permission::Prompt), Some("Asks first")),
            (None, None),
        ] {
            assert_eq!(word(&around(PAGE, here, Browser::Chrome, permission)), expected);
        }
        let lan = around(PAGE, "http://10.0.0.2:8080/v1", Browser::Firefox, None);
        assert_eq!(word(&lan), Some("Not over http"));
        let same = around("http://localhost:8000", here, Browser::Safari, None);
        assert_eq!(word(&same), None);
        let hosted =
            around(PAGE, "https://api.openai.com/v1", Browser::Chrome, Some(Permission::Denied));
        assert_eq!(word(&hosted), None);
    }

    #[test]
    fn systems_are_known_by_what_a_browser_says() {
        assert_eq!(System::of("Mozilla/5.0 (Windows NT 10.0; Win64; x64)"), System::Windows);
        assert_eq!(System::of("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)"), System::MacOs);
        assert_eq!(System::of("Mozilla/5.0 (X11; Linux x86_64)"), System::Linux);
    }
}
