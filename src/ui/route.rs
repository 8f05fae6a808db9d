//! Hash routes, so that any static host and any sub-path will do.

/// Where one is in the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Route {
    #[default]
    Start,
    Data,
    Systems,
    Judge,
    Results,
    /// One question of the chosen run, from 0.
    Inspect(usize),
    Compare,
    Report,
    Settings,
    About,
}

impl Route {
    /// Reads what follows the `#`. Anything unknown is the start.
    pub fn read(hash: &str) -> Self {
        let path = hash.split('?').next().unwrap_or_default();
        let mut parts = path.trim_matches('/').split('/');
        match parts.next().unwrap_or_default() {
            "data" => Self::Data,
            "systems" => Self::Systems,
            "judge" => Self::Judge,
            "results" => Self::Results,
            // Counted from 1 in the address, as people count.
            "inspect" => Self::Inspect(
                parts.next().and_then(|it| it.parse::<usize>().ok()).unwrap_or(1).max(1) - 1,
            ),
            "compare" => Self::Compare,
            "report" => Self::Report,
            "settings" => Self::Settings,
            "about" => Self::About,
            _ => Self::Start,
        }
    }

    /// With the `#`.
    pub fn href(&self) -> String {
        match self {
            Self::Start => "#/".to_owned(),
            Self::Data => "#/data".to_owned(),
            Self::Systems => "#/systems".to_owned(),
            Self::Judge => "#/judge".to_owned(),
            Self::Results => "#/results".to_owned(),
            Self::Inspect(case) => format!("#/inspect/{}", case + 1),
            Self::Compare => "#/compare".to_owned(),
            Self::Report => "#/report".to_owned(),
            Self::Settings => "#/settings".to_owned(),
            Self::About => "#/about".to_owned(),
        }
    }

    /// The document's title.
    pub fn title(&self) -> String {
        match self {
            Self::Start => {
                return "Viva: how much of an expert’s checklist does an answer cover?".to_owned();
            }
            Self::Data => "Data",
            Self::Systems => "Systems",
            Self::Judge => "Judge",
            Self::Results => "Results",
            Self::Inspect(case) => return format!("Question {} – Viva", case + 1),
            Self::Compare => "Compare runs",
            Self::Report => "Report",
            Self::Settings => "Settings",
            Self::About => "How each number is computed",
        }
        .to_owned()
            + " – Viva"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_read_back() {
        for route in [
            Route::Start,
            Route::Data,
            Route::Systems,
            Route::Judge,
            Route::Results,
            Route::Inspect(36),
            Route::Compare,
            Route::Report,
            Route::Settings,
            Route::About,
        ] {
            assert_eq!(Route::read(route.href().trim_start_matches('#')), route);
        }
        assert_eq!(Route::read("/nonsense"), Route::Start);
        assert_eq!(Route::read("/inspect/0"), Route::Inspect(0));
        assert_eq!(Route::read("/results?system=x"), Route::Results);
    }
}
